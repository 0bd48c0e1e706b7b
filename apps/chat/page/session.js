// One conversation with the server: sends, reads what streams, merges it, and comes back after a lost connection through
// the last chunk id. Knows nothing of the page.

import { Refusal, resume, send } from "./api.js";
import { keep, kept } from "./keep.js";
import { Merger } from "./merge.js";
import { eventsOf } from "./sse.js";

/** The server's word for a conversation that it has lost, and for there being nothing new. */
const GONE = 410;
const NO_CONTENT = 204;

/** How long the page may be kept from drawing, in milliseconds, and how often a lost connection is tried again. */
const SLICE = 8;
const RETRIES = [250, 500, 1000, 2000, 4000, 8000];

/** Lets the browser draw and take input. */
const breathe = () =>
  new Promise((resolve) => {
    if (globalThis.scheduler?.yield) return resolve(globalThis.scheduler.yield());
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** Milliseconds, on one scale for every load of the page. */
const now = () => performance.timeOrigin + performance.now();

export class Session {
  #leave = new AbortController();
  #sliceBegan = 0;

  /**
   * `on` hears: `state(name, words)` with `idle`, `streaming`, `reconnecting`; `begin(at)` of a turn; `reset()` when
   * the messages have been read anew; `chunk(entry, result)` with `{event, chunk, at}` and what the merger made of it; `fail(words)` of what has no place in the stream.
   */
  constructor({ assistant, conversationId, on }) {
    this.assistant = assistant;
    this.conversationId = conversationId;
    this.on = on;
    const { state, record = [], turnBegan, isOver = true } = kept(conversationId) ?? {};
    this.merger = state ? Merger.from(state) : new Merger();
    this.record = record;
    this.turnBegan = turnBegan;
    this.isOver = isOver;
  }

  /** Keeps what has come, for a reload: it goes on behind the last chunk. */
  keep() {
    const { merger, record, turnBegan, isOver } = this;
    keep(this.conversationId, { state: merger.state, record, turnBegan, isOver });
  }

  /** Leaves the conversation: what still streams is no longer read. */
  close() {
    this.#leave.abort();
  }

  /** Says something and reads what comes of it, to its end. */
  async send(message) {
    const { assistant, conversationId } = this;
    this.isOver = false;
    this.turnBegan = now();
    this.on.begin(this.turnBegan);
    await this.#turn((signal) => send({ assistant, conversationId, message }, signal));
  }

  /** Reads what the conversation has so far, and what is still streaming; nothing of it may be an end. */
  async resume() {
    await this.#turn((signal) => this.#resumed(signal));
  }

  async #resumed(signal) {
    const { conversationId } = this;
    const go = () => resume({ conversationId, lastChunkId: this.merger.lastChunkId }, signal);
    try {
      return await go();
    } catch (error) {
      if (error.status !== GONE) throw error;
    }
    // The server has less of the conversation than was seen here: its store is another one.
    this.merger = new Merger();
    this.record = [];
    this.on.reset();
    this.on.fail("The server has lost this conversation. It begins anew.");
    return go();
  }

  async #turn(open) {
    const { signal } = this.#leave;
    this.on.state("streaming");
    try {
      await this.#read(await open(signal));
      for (let retry = 0; !this.isOver; retry += 1) retry = await this.#again(retry, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.on.fail(error instanceof Refusal ? error.message : `The connection was lost: ${error.message}`);
    }
    if (signal.aborted) return;
    this.keep();
    this.on.state("idle");
  }

  // One more try to go on from the last chunk; gives the number of tries since something came.
  async #again(retry, signal) {
    if (retry === RETRIES.length) throw new Error("the server can't be reached any more");
    this.on.state("reconnecting", `Connection lost. Trying again (${retry + 1} of ${RETRIES.length})…`);
    await new Promise((resolve) => setTimeout(resolve, RETRIES[retry]));
    signal.throwIfAborted();
    const before = this.merger.lastChunkId;
    try {
      const response = await this.#resumed(signal);
      this.on.state("streaming");
      await this.#read(response);
    } catch (error) {
      if (signal.aborted || error instanceof Refusal) throw error;
    }
    return this.merger.lastChunkId > before ? -1 : retry;
  }

  // Reads a stream until it ends, or until a chunk is missing: then the rest is asked for again.
  async #read(response) {
    if (response.status === NO_CONTENT) this.isOver = true;
    if (!response.body) return;
    try {
      for await (const { event, data } of eventsOf(response.body)) {
        this.#take(event, JSON.parse(data));
        if (this.merger.hasGap) break;
        if (performance.now() - this.#sliceBegan > SLICE) {
          await breathe();
          this.#sliceBegan = performance.now();
        }
      }
    } catch (error) {
      // A connection that breaks off is no error yet; a frame that is no JSON is one.
      if (error instanceof SyntaxError) throw error;
    }
    this.merger.dropHeld();
  }

  #take(event, chunk) {
    const entry = { event, chunk, at: now() };
    const result = this.merger.apply(chunk);
    if (result.outcome !== "merged") return;
    for (const { chunkId, reason } of result.refused) console.warn(`chunk ${chunkId} can't be merged: ${reason}`);
    this.record.push(entry);
    this.isOver = event === "done" || event === "error";
    this.on.chunk(entry, result);
  }
}
