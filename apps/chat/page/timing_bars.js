// A bar for each streamed field, from its first character to its last, under the name of its message.

import { el, setText } from "./dom.js";
import { span } from "./timing.js";

export class TimingBars {
  #groups = new Map(); // message to its group

  constructor(element) {
    this.element = element;
  }

  clear() {
    this.#groups.clear();
    this.element.replaceChildren();
  }

  /** Brings the bars up to date with the parts of a turn. */
  show(parts, { elapsed, isBroken }) {
    // The bars' places are fractions of this: one change moves them all.
    this.element.style.setProperty("--total", Math.max(elapsed, 1));
    for (const part of parts) {
      const group = this.#groups.get(part.key) ?? this.#group(part.key);
      setText(group.name, part.name);
      for (const field of part.fields.values()) this.#bar(group, field, isBroken);
    }
  }

  #group(key) {
    const name = el("h3", { class: "timing-name" });
    const list = el("ul", { class: "timing-fields" });
    this.element.append(name, list);
    const group = { name, list, bars: new Map() };
    this.#groups.set(key, group);
    return group;
  }

  #bar(group, { path, first, complete, isWhole }, isBroken) {
    let bar = group.bars.get(path);
    if (!bar) {
      bar = { words: el("span", { class: "timing-words" }), fill: el("span", { class: "timing-fill" }) };
      bar.fill.style.setProperty("--first", first);
      const track = el("span", { class: "timing-track", "aria-hidden": "true" }, bar.fill);
      const name = el("code", { class: "timing-field" }, path || "all of it");
      group.list.append(el("li", { "data-path": path }, name, bar.words, track));
      group.bars.set(path, bar);
    }
    if (bar.complete !== complete) bar.fill.style.setProperty("--complete", (bar.complete = complete));
    setText(bar.words, `${span(first)} → ${isWhole ? span(complete) : isBroken ? "never" : "…"}`);
  }
}
