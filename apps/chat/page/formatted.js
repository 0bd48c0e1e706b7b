// A text that grows, block by block in its format: the complete blocks formatted, the open one as it stands.

import { el, setLines } from "./dom.js";
import { Blocks, formatter } from "./markdown.js";

/** How much of the end of a text tells whether it has only grown. */
const COMPARED = 64;

export class FormattedText {
  #blocks;
  #length = 0;
  #tail = "";
  #asked = undefined; // the rest that was asked for, once nothing more is expected

  constructor(element) {
    this.element = element;
    this.#begin();
  }

  #begin() {
    this.#blocks = new Blocks();
    this.#length = 0;
    this.#tail = "";
    this.#asked = undefined;
    this.rest = el("div", { class: "open-block" });
    this.element.replaceChildren(this.rest);
  }

  /** Shows the text; as long as it is live, its last block may go on. */
  update(text, isLive) {
    // The end of what is known is compared; a text that has changed before that is begun anew.
    if (!text.startsWith(this.#tail, this.#length - this.#tail.length)) this.#begin();
    const more = text.slice(this.#length);
    this.#length = text.length;
    this.#tail = text.slice(-COMPARED);
    this.element.source = text;
    for (const block of this.#blocks.take(more)) {
      const closed = el("div", {}, block);
      this.rest.before(closed);
      void this.#format(closed, block);
    }
    const { rest } = this.#blocks;
    if (rest === this.#asked) return;
    if (this.#asked !== undefined) {
      // It went on after all.
      this.#asked = undefined;
      const plain = el("div", { class: "open-block" });
      this.rest.replaceWith(plain);
      this.rest = plain;
    }
    setLines(this.rest, rest);
    if (isLive || rest.trim() === "") return;
    this.#asked = rest;
    void this.#format(this.rest, rest);
  }

  async #format(element, text) {
    const nodes = await formatter.format(text);
    if (!nodes || !element.isConnected) return;
    element.replaceChildren(...nodes);
    element.className = "formatted";
  }
}
