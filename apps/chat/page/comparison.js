// The landing page's case: one recorded call, as a client sees it that waits for all of it, and as this page's does. Both are
// given the same chunks at the same times; the merger is the one that conversations are shown with.

import { demo } from "./api.js";
import { el, setText } from "./dom.js";
import { Merger } from "./merge.js";
import { span } from "./timing.js";

export class Comparison {
  #record = undefined;
  #timer = undefined;

  constructor({ waiting, streaming, time }) {
    this.waiting = waiting;
    this.streaming = streaming;
    this.time = time;
  }

  /** Plays from the beginning. Who wants no motion is shown the end. */
  async play() {
    this.stop();
    const run = (this.run = {});
    this.#record ??= await demo();
    if (this.run !== run) return;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.merger = new Merger();
    this.next = 0;
    this.first = undefined;
    this.began = isStill ? -Infinity : performance.now();
    this.#step();
  }

  /** Stops, and empties both sides. */
  stop() {
    clearTimeout(this.#timer);
    this.run = undefined;
    for (const part of [this.waiting, this.streaming, this.time]) part.replaceChildren();
  }

  #step() {
    const elapsed = performance.now() - this.began;
    const record = this.#record;
    for (; this.next < record.length && record[this.next].at <= elapsed; this.next += 1) {
      const { chunk, at } = record[this.next];
      this.merger.apply(chunk);
      if (chunk.delta) this.first ??= at;
    }
    const ask = this.merger.messages().find(({ type }) => type === "ask")?.props;
    const isWhole = this.next === record.length;
    show(this.streaming, ask);
    if (isWhole) show(this.waiting, ask);
    else this.waiting.replaceChildren(el("p", { class: "hint" }, `Waiting… ${span(elapsed)}`));
    if (!isWhole) this.#timer = setTimeout(() => this.#step(), 50);
    else setText(this.time, `First words after ${span(this.first)} instead of ${span(record.at(-1).at)}.`);
  }
}

/** The questions of a call as far as they are known. */
function show(root, { reasoning, ask_slots: slots = [] } = {}) {
  const lines = [
    reasoning ? el("p", { class: "hint" }, el("b", {}, "Reasoning: "), reasoning) : undefined,
    ...slots.flatMap((slot) => [
      el("p", { class: "compared-question" }, slot?.message ?? ""),
      slot?.options ? el("p", { class: "compared-options" }, slot.options.join(" · ")) : undefined,
    ]),
  ];
  root.replaceChildren(...lines.filter(Boolean));
}
