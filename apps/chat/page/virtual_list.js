// A long list of which only what can be seen is in the document: 5,000 rows cost as much as 30.

import { el } from "./dom.js";

const SPARE = 8;

export class VirtualList {
  #rows = new Map();

  /** `render(place)` makes the row at a place; all rows are `height` pixels high. */
  constructor(scroller, { height, render, label }) {
    this.scroller = scroller;
    this.height = height;
    this.render = render;
    this.length = 0;
    this.space = el("ol", { class: "virtual" });
    scroller.append(this.space);
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", label);
    scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(scroller);
  }

  /** Shows this many rows. Rows that were there are not made again. */
  show(length) {
    if (length < this.length) this.clear();
    // Whoever looks at the end goes on looking at the end.
    const { scrollTop, clientHeight } = this.scroller;
    const isAtEnd = scrollTop + clientHeight >= this.length * this.height - 4;
    this.length = length;
    this.space.style.blockSize = `${length * this.height}px`;
    if (isAtEnd) this.scroller.scrollTop = length * this.height;
    this.draw();
  }

  clear() {
    this.length = 0;
    this.#rows.clear();
    this.space.replaceChildren();
  }

  draw() {
    const { scrollTop, clientHeight } = this.scroller;
    if (clientHeight === 0) return;
    const from = Math.max(0, Math.floor(scrollTop / this.height) - SPARE);
    const to = Math.min(this.length, Math.ceil((scrollTop + clientHeight) / this.height) + SPARE);
    for (const [place, row] of this.#rows) {
      if (place < from || place >= to) {
        row.remove();
        this.#rows.delete(place);
      }
    }
    for (let place = from; place < to; place += 1) if (!this.#rows.has(place)) this.#add(place);
  }

  #add(place) {
    const row = el("li", { class: "row", "aria-setsize": this.length, "aria-posinset": place + 1 }, ...this.render(place));
    row.style.insetBlockStart = `${place * this.height}px`;
    this.#rows.set(place, row);
    // In the document's order too, for who reads it in that order.
    const next = [...this.#rows.keys()].filter((other) => other > place).sort((a, b) => a - b)[0];
    this.space.insertBefore(row, this.#rows.get(next) ?? null);
  }
}
