// A long list of which only what can be seen is in the document: 5,000 rows cost as much as 30. One row can be selected, by
// a click or with the arrow keys.

import { el } from "./dom.js";

const SPARE = 8;

export class VirtualList {
  #rows = new Map();
  #selected = undefined;

  /** `render(place)` makes the row at a place; all rows are `height` pixels high. `onSelect(place)` hears of a selection. */
  constructor(scroller, { height, render, label, onSelect }) {
    this.scroller = scroller;
    this.height = height;
    this.render = render;
    this.onSelect = onSelect;
    this.length = 0;
    this.space = el("div", { class: "virtual", role: "presentation" });
    scroller.append(this.space);
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "listbox");
    scroller.setAttribute("aria-label", label);
    // Where it stands is noted when it changes: asking while rows are added would have the browser lay out at once.
    this.below = 0;
    this.seen = 0;
    scroller.addEventListener(
      "scroll",
      () => {
        this.below = Math.max(0, -scroller.scrollTop);
        this.draw();
      },
      { passive: true },
    );
    new ResizeObserver(([{ contentRect }]) => {
      this.seen = contentRect.height;
      this.draw();
    }).observe(scroller);
    scroller.addEventListener("click", ({ target }) => {
      const row = target.closest(".row");
      if (row) this.select(Number(row.dataset.place));
    });
    scroller.addEventListener("keydown", (event) => this.#step(event));
  }

  /** Shows this many rows. Rows that were there are not made again; who looks at the end goes on looking at the end. */
  show(length) {
    if (length < this.length) this.clear();
    if (length === this.length) return;
    this.length = length;
    this.space.style.blockSize = `${length * this.height}px`;
    this.draw();
  }

  clear() {
    this.length = 0;
    this.#rows.clear();
    this.space.replaceChildren();
    this.space.style.blockSize = "0";
    this.#selected = undefined;
    this.scroller.removeAttribute("aria-activedescendant");
  }

  /** The row that is selected, if one is. */
  get selected() {
    return this.#selected;
  }

  /** Selects a row, and has it in sight. */
  select(place) {
    if (place < 0 || place >= this.length) return;
    this.#mark(false);
    this.#selected = place;
    const below = (this.length - 1 - place) * this.height;
    const least = below + this.height - this.seen;
    const there = Math.min(Math.max(this.below, least), below);
    if (there !== this.below) {
      this.below = Math.max(0, there);
      this.scroller.scrollTop = -this.below;
    }
    this.draw();
    this.#mark(true);
    this.scroller.setAttribute("aria-activedescendant", this.#rows.get(place)?.id ?? "");
    this.onSelect(place);
  }

  #mark(isSelected) {
    this.#rows.get(this.#selected)?.setAttribute("aria-selected", String(isSelected));
  }

  #step(event) {
    const at = this.#selected;
    const last = this.length - 1;
    const page = Math.max(1, Math.floor(this.seen / this.height) - 1);
    const to = {
      ArrowUp: at === undefined ? last : at - 1,
      ArrowDown: at === undefined ? last : at + 1,
      PageUp: at === undefined ? last : Math.max(0, at - page),
      PageDown: at === undefined ? last : Math.min(last, at + page),
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.select(to);
  }

  draw() {
    if (this.seen === 0) return;
    // The scroller stands on its end, so what is below is known and what is above follows.
    const end = this.length * this.height - this.below;
    const from = Math.max(0, Math.floor((end - this.seen) / this.height) - SPARE);
    const to = Math.min(this.length, Math.ceil(Math.max(end, this.seen) / this.height) + SPARE);
    for (const [place, row] of this.#rows) {
      if (place < from || place >= to) {
        row.remove();
        this.#rows.delete(place);
      }
    }
    for (let place = from; place < to; place += 1) if (!this.#rows.has(place)) this.#add(place);
  }

  #add(place) {
    const row = el(
      "div",
      {
        class: "row",
        role: "option",
        id: `${this.scroller.id}-${place}`,
        "data-place": place,
        "aria-selected": String(place === this.#selected),
        "aria-setsize": this.length,
        "aria-posinset": place + 1,
      },
      ...this.render(place),
    );
    row.style.insetBlockStart = `${place * this.height}px`;
    this.#rows.set(place, row);
    // In the document's order too, for who reads it in that order.
    const next = [...this.#rows.keys()].filter((other) => other > place).sort((a, b) => a - b)[0];
    this.space.insertBefore(row, this.#rows.get(next) ?? null);
  }
}
