// One conversation with the server: sends, reads and merges what streams, and resumes after the last chunk when the
// connection is lost. Knows nothing of the page.

import { Refusal, resume, send } from "./api.js";
import { afterFrame } from "./dom.js";
import { Merger } from "./merge.js";
import { eventsOf } from "./sse.js";

/** The statuses of a conversation that the server has lost, and of a stream that has nothing new. */
const GONE = 410;
const NO_CONTENT = 204;

/** What a server that restarts, or a balancer before it, answers for a while. */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/** How long the page may be kept from taking input and from drawing, in milliseconds. */
const SLICE = 12;

/** The pauses before a lost connection is tried again. */
const RETRIES = [250, 500, 1000, 2000, 4000, 8000];

/** Awaits the network; a failure of it gives `undefined`, as it may pass. */
const reached = (promise) =>
  promise.catch((error) => {
    if (error instanceof TypeError) return undefined;
    throw error;
  });

const now = () => Math.round(performance.now());

export class Session {
  merger = new Merger();
  isOver = true;
  #leave = new AbortController();
  #sliceBegan = 0;
  #isResuming = false;
  #isFollowing = false;
  #isSent = false; // a message was sent, and the stream's record of it has not come

  /**
   * `on` hears: `state(name, words)` with `idle`, `resuming`, `streaming`, `reconnecting`; `begin(at, isWitnessed)` of a turn;
   * `reset()` when the messages are read anew; `chunk(entry, message)` with `{event, chunk, at}` and the message that it
   * has changed; `fail(words)` of an error that has no place in the stream; `unsent(message)` if the server has not taken it.
   */
  constructor({ assistant, conversationId, on }) {
    Object.assign(this, { assistant, conversationId, on });
  }

  /** Leaves the conversation: what still streams is no longer read. */
  close() {
    this.#leave.abort();
  }

  /** Sends a message, with what it answers, and reads the turn to its end. */
  async send(message, answers) {
    const { assistant, conversationId } = this;
    this.isOver = false;
    this.on.begin(now(), true);
    this.#isSent = true;
    await this.#turn((signal) => send({ assistant, conversationId, message, answers }, signal));
    if (!this.#isSent || this.#leave.signal.aborted) return;
    this.#isSent = false;
    this.on.unsent(message);
  }

  /** Reads what the conversation has so far, and what is still streaming. */
  async resume() {
    this.#isResuming = true;
    await this.#turn((signal) => this.#comeBack(signal));
    this.#isResuming = false;
  }

  /** Looks whether the conversation has continued elsewhere, and reads that. */
  async follow() {
    if (!this.isOver || this.#isFollowing) return;
    this.#isFollowing = true;
    const { conversationId, merger } = this;
    const { signal } = this.#leave;
    // An error is reported when the person asks for something.
    const response = await resume({ conversationId, lastChunkId: merger.lastChunkId }, signal).catch(() => undefined);
    this.#isFollowing = false;
    if (signal.aborted || response?.status !== 200) return;
    // A message may have been sent from here meanwhile.
    if (!this.isOver) return void response.body?.cancel().catch(() => {});
    this.isOver = false;
    await this.#turn(() => Promise.resolve(response));
  }

  async #comeBack(signal) {
    const go = () => resume({ conversationId: this.conversationId, lastChunkId: this.merger.lastChunkId }, signal);
    try {
      return await go();
    } catch (error) {
      if (PASSING.has(error.status)) return undefined;
      if (error.status !== GONE) throw error;
    }
    // The server has less of the conversation than was seen here: its store is another one.
    this.merger = new Merger();
    this.on.reset();
    this.on.fail("The server has lost this conversation. It starts over.");
    return go();
  }

  /** Reads a stream to the turn's end, over as many connections as it takes. */
  async #turn(open) {
    const { signal } = this.#leave;
    let isAgain = false;
    this.on.state(this.#isResuming ? "resuming" : "streaming");
    try {
      for (let retry = 0; ; retry += 1) {
        const before = this.merger.lastChunkId;
        const response = await reached(open(signal));
        if (response && isAgain) this.on.state("streaming");
        await this.#read(response);
        if (this.isOver) break;
        if (this.merger.lastChunkId > before) retry = 0;
        if (retry === RETRIES.length) throw new Refusal(0, "The connection was lost, and the server can't be reached.");
        this.on.state("reconnecting", `Connection lost. Trying again (${retry + 1} of ${RETRIES.length})…`);
        await new Promise((resolve) => setTimeout(resolve, RETRIES[retry]));
        signal.throwIfAborted();
        isAgain = true;
        open = () => this.#comeBack(signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.isOver = true;
      if (!(error instanceof Refusal)) console.error(error);
      this.on.fail(error instanceof Refusal ? error.message : `The answer can't be read: ${error.message}`);
    }
    if (!signal.aborted) this.on.state("idle");
  }

  /** Reads a stream until it ends or breaks off, or a chunk is missing: then the rest is requested again. */
  async #read(response) {
    if (response?.status === NO_CONTENT) {
      if (this.#isSent) throw new Refusal(NO_CONTENT, "The message was not delivered. Send it again.");
      this.isOver = true;
    }
    if (!response?.body) return;
    const events = eventsOf(response.body);
    for (;;) {
      const next = await reached(events.next());
      if (!next || next.done) break;
      if (this.#take(next.value) === "gap") break;
      await this.#pause();
    }
    await reached(events.return());
  }

  /** Works in slices, and lets the browser draw in between. */
  async #pause() {
    if (performance.now() - this.#sliceBegan < SLICE) return;
    await new Promise(afterFrame);
    this.#sliceBegan = performance.now();
  }

  /** Merges an event; returns what became of it. */
  #take({ event, data }) {
    const chunk = JSON.parse(data);
    // An error of the connection has no place in the stream: the rest can still be read later.
    if (chunk.chunk_id === 0) {
      this.isOver = true;
      return void this.on.fail(chunk.props.message);
    }
    const at = now();
    const result = this.merger.apply(chunk);
    if (result.outcome !== "merged") return result.outcome;
    if (result.refused) {
      console.error(`chunk ${chunk.chunk_id} can't be merged: ${result.refused}`);
      this.on.fail("A part of the answer can't be shown.");
    }
    if (this.#isResuming) {
      this.#isResuming = false;
      this.on.state("streaming");
    }
    if (chunk.type === "user") {
      // A turn that was not sent from here begins with its message.
      if (!this.#isSent) this.on.begin(at, false);
      this.#isSent = false;
    }
    this.isOver = event === "done" || event === "error";
    this.on.chunk({ event, chunk, at }, result.message);
    return result.outcome;
  }
}
