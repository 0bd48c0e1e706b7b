// One conversation with the server: sends, reads what streams, merges it, and comes back after a lost connection
// through the last chunk id. Knows nothing of the page.

import { Refusal, resume, send } from "./api.js";
import { keep, kept } from "./keep.js";
import { Merger } from "./merge.js";
import { eventsOf } from "./sse.js";

/** The server's word for a conversation that it has lost, and for there being nothing new. */
const GONE = 410;
const NO_CONTENT = 204;

/** What a server that is being exchanged, or a balancer before it, answers for a while: as if it were not reached. */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/** How long the page may be kept from taking input and from drawing, in milliseconds. */
const SLICE = 8;
const FRAME = 16;

/** How long is waited before a lost connection is tried again, each time. */
const RETRIES = [250, 500, 1000, 2000, 4000, 8000];

/** Lets the browser take input. */
const breathe = () => globalThis.scheduler?.yield?.() ?? new Promise((resolve) => setTimeout(resolve));

/** Lets the browser draw; a page that nobody sees does not, and does not wait for it. */
const frame = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 100);
  });

/** What the network gives; nothing if it gives out, which is no failure yet. */
const reached = (promise) =>
  promise.catch((error) => {
    if (error instanceof TypeError) return undefined;
    throw error;
  });

/** Whole milliseconds, on one scale for every load of the page; whole, so that they add up to the same in a replay. */
const now = () => Math.round(performance.timeOrigin + performance.now());

export class Session {
  #leave = new AbortController();
  #sliceBegan = 0;
  #worked = 0;
  #isResuming = false;
  #isFollowing = false;
  #hasBegun = false; // the turn that is sent, before the stream's record of its message has come

  /**
   * `on` hears: `state(name, words)` with `idle`, `resuming`, `streaming`, `reconnecting`; `begin(at, isWitnessed)` of a turn;
   * `reset()` when the messages have been read anew; `chunk(entry, result)` with `{event, chunk, at}` and
   * what the merger made of it; `fail(words)` of what has no place in the stream, and `unsent(message)`
   * if the server has not taken it.
   */
  constructor({ assistant, conversationId, on }) {
    this.assistant = assistant;
    this.conversationId = conversationId;
    this.on = on;
    const { state, record = [], turnBegan, isWitnessed = false, isOver = true } = kept(conversationId) ?? {};
    this.merger = state ? Merger.from(state) : new Merger();
    this.record = record;
    this.turnBegan = turnBegan;
    this.isWitnessed = isWitnessed; // whether the last turn was sent here: only then it is known when it could be seen
    this.isOver = isOver;
  }

  /** Keeps what has come, for a reload: it goes on behind the last chunk. */
  keep() {
    const { merger, record, turnBegan, isWitnessed, isOver } = this;
    keep(this.conversationId, { state: merger.state, record, turnBegan, isWitnessed, isOver });
  }

  /** Leaves the conversation: what still streams is no longer read. */
  close() {
    this.#leave.abort();
  }

  /**
   * Says something, with what it answers of the open questions, and in the place of what was said in the chunk that it
   * edits; reads what comes of it, to its end.
   */
  async send(message, answers, edits) {
    const { assistant, conversationId } = this;
    const before = this.merger.lastChunkId;
    this.isOver = false;
    this.#begin(now(), true);
    this.#hasBegun = true;
    const hasFailed = await this.#turn((signal) => send({ assistant, conversationId, message, answers, edits }, signal));
    if (!this.#hasBegun || this.#leave.signal.aborted) return;
    this.#hasBegun = false;
    // A turn that was stopped at once has told of that, but has not taken the message up.
    if (!hasFailed && this.merger.lastChunkId === before) this.on.fail("The message was not delivered. Send it again.");
    this.on.unsent(message);
  }

  /** Reads what the conversation has so far, and what is still streaming; nothing of it may be an end. */
  async resume() {
    this.#isResuming = true;
    await this.#turn((signal) => this.#comeBack(signal));
  }

  /** Looks whether the conversation has gone on elsewhere, and if so reads what comes of it. */
  async follow() {
    if (!this.isOver || this.#isFollowing) return;
    this.#isFollowing = true;
    const { signal } = this.#leave;
    const { conversationId } = this;
    const looking = resume({ conversationId, lastChunkId: this.merger.lastChunkId }, signal);
    // Whatever is wrong is told when somebody asks for something.
    const response = await looking.catch(() => undefined);
    this.#isFollowing = false;
    if (signal.aborted || response?.status !== 200) return;
    // Meanwhile something may have been sent here.
    if (!this.isOver) return void response.body?.cancel().catch(() => {});
    this.isOver = false;
    await this.#turn(() => Promise.resolve(response));
  }

  // Nothing if there is nobody to answer just now.
  #comeBack(signal) {
    return this.#resumed(signal).catch((error) => {
      if (!PASSING.has(error.status)) throw error;
    });
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
    this.on.fail("The server has lost this conversation. It starts over.");
    return go();
  }

  // Reads a stream to the turn's end, over as many connections as it takes. Gives whether it failed, and has said so.
  async #turn(open) {
    const { signal } = this.#leave;
    let hasFailed = false;
    this.on.state(this.#isResuming ? "resuming" : "streaming");
    try {
      await this.#read(await reached(open(signal)));
      for (let retry = 0; !this.isOver; retry += 1) retry = await this.#again(retry, signal);
    } catch (error) {
      if (signal.aborted) return true;
      hasFailed = true;
      this.isOver = true;
      if (!(error instanceof Refusal)) console.error(error);
      this.on.fail(error instanceof Refusal ? error.message : `The answer can't be read: ${error.message}`);
    }
    if (!signal.aborted) this.on.state("idle");
    return hasFailed;
  }

  // One more try to go on from the last chunk; gives the number of tries since something came.
  async #again(retry, signal) {
    if (retry === RETRIES.length) throw new Refusal(0, "The connection was lost, and the server can't be reached.");
    this.on.state("reconnecting", `Connection lost. Trying again (${retry + 1} of ${RETRIES.length})…`);
    await new Promise((resolve) => setTimeout(resolve, RETRIES[retry]));
    signal.throwIfAborted();
    const before = this.merger.lastChunkId;
    const response = await reached(this.#comeBack(signal));
    if (response) this.on.state("streaming");
    await this.#read(response);
    return this.merger.lastChunkId > before ? -1 : retry;
  }

  // Reads a stream until it ends or breaks off, or until a chunk is missing: then the rest is asked for again.
  async #read(response) {
    if (response?.status === NO_CONTENT) this.isOver = true;
    if (!response?.body) return;
    const events = eventsOf(response.body);
    for (;;) {
      const next = await reached(events.next());
      if (!next || next.done) break;
      this.#take(next.value);
      if (this.merger.hasGap) break;
      await this.#pause();
    }
    await reached(events.return());
    this.merger.dropHeld();
  }

  #begin(at, isWitnessed) {
    this.turnBegan = at;
    this.isWitnessed = isWitnessed;
    this.on.begin(at, isWitnessed);
  }

  // What arrives all at once is worked off in slices, and drawn in between.
  async #pause() {
    if (performance.now() - this.#sliceBegan < SLICE) return;
    this.#worked += performance.now() - this.#sliceBegan;
    await (this.#worked < FRAME ? breathe() : frame());
    if (this.#worked >= FRAME) this.#worked = 0;
    this.#sliceBegan = performance.now();
  }

  #take({ event, data }) {
    const chunk = JSON.parse(data);
    // An error of the connection has no place in the stream: the rest can still be read later.
    if (chunk.chunk_id === 0) {
      this.isOver = true;
      return void this.on.fail(chunk.props.message);
    }
    const entry = { event, chunk, at: now() };
    const result = this.merger.apply(chunk);
    if (result.outcome !== "merged") return;
    for (const { chunkId, reason } of result.refused) {
      console.error(`chunk ${chunkId} can't be merged: ${reason}`);
      this.on.fail("A part of the answer can't be shown.");
    }
    if (this.#isResuming) {
      this.#isResuming = false;
      this.on.state("streaming");
    }
    // A turn that was not begun here begins with its message.
    if (chunk.type === "user" && !this.#hasBegun) this.#begin(entry.at, false);
    if (chunk.type === "user") this.#hasBegun = false;
    this.record.push(entry);
    this.isOver = event === "done" || event === "error";
    this.on.chunk(entry, result);
  }
}
