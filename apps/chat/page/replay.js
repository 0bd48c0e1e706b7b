// A recorded turn again, at its own speed.

import { Merger } from "./merge.js";

/** Cuts a record into what came before the last turn, and that turn. */
export function lastTurn(record) {
  const began = record.findLastIndex(({ chunk }) => chunk.type === "user");
  return { before: record.slice(0, Math.max(began, 0)), turn: record.slice(Math.max(began, 0)) };
}

export class Replay {
  #timer = undefined;

  /**
   * `on.chunk(entry, result)` receives each chunk with its recorded time, counted from the replay's beginning; `on.end()`
   * follows the last one.
   */
  constructor(record, { began, on }) {
    const { before, turn } = lastTurn(record);
    this.turn = turn;
    this.isInstant = false;
    this.origin = began ?? turn[0]?.at ?? 0;
    this.on = on;
    this.merger = new Merger();
    for (const entry of before) on.before(entry, this.merger.apply(entry.chunk));
    this.next = 0;
  }

  start() {
    this.began = performance.now();
    this.on.begin(this.began);
    this.#step();
  }

  /** Gives the rest at once. */
  finish() {
    clearTimeout(this.#timer);
    this.isInstant = true;
    this.#step();
  }

  /** Stops, and gives nothing more. */
  cancel() {
    clearTimeout(this.#timer);
    this.next = Infinity;
  }

  #due(entry) {
    return this.isInstant ? 0 : this.began + entry.at - this.origin;
  }

  #step() {
    const now = performance.now();
    while (this.next < this.turn.length && this.#due(this.turn[this.next]) <= now) {
      const entry = this.turn[this.next];
      this.next += 1;
      this.on.chunk({ ...entry, at: this.began + entry.at - this.origin }, this.merger.apply(entry.chunk));
    }
    if (this.next < this.turn.length) {
      this.#timer = setTimeout(() => this.#step(), this.#due(this.turn[this.next]) - now);
    } else if (this.next !== Infinity) {
      this.next = Infinity;
      this.on.end();
    }
  }
}
