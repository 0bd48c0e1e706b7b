// How long a person waits for the first words, here and with a client that shows an answer once it is complete.

import { el, setText } from "./dom.js";
import { span } from "./timing.js";

export class Waits {
  #began = performance.now();
  #first = undefined;
  #end = undefined;

  constructor() {
    const bar = (name) => ({ fill: el("i", { class: name }), words: el("span", {}) });
    [this.first, this.waits] = [bar("first"), bar("all")];
    const row = ({ fill, words }) => [words, fill];
    this.element = el("div", { class: "waits" }, ...row(this.first), ...row(this.waits));
    this.#draw();
  }

  /** Something of the answer can be seen. */
  show() {
    this.#first ??= performance.now() - this.#began;
  }

  /** The answer is complete. */
  finish() {
    this.#end ??= performance.now() - this.#began;
  }

  #draw() {
    const now = this.#end ?? performance.now() - this.#began;
    const first = this.#first ?? now;
    setText(this.first.words, this.#first === undefined ? `first words: ${span(first)}…` : `first words: ${span(first)}`);
    setText(this.waits.words, `a client that waits: ${span(now)}${this.#end === undefined ? "…" : ""}`);
    this.first.fill.style.setProperty("--part", first / Math.max(now, 1));
    this.waits.fill.style.setProperty("--part", 1);
    if (this.#end === undefined) setTimeout(() => this.#draw(), 100);
  }
}
