// The inspector: the JSON as the model writes it; when each field could be shown; and every event with its path and time, and
// on a click its envelope. Times are those of the record, at whatever speed it is replayed.

import { eachFrame, el, setText } from "./dom.js";
import { TimingBars } from "./timing_bars.js";
import { Timing, keyOf, span } from "./timing.js";
import { VirtualList } from "./virtual_list.js";

const ROW = 24;

/** How much of a value a row shows. */
const MOST_SHOWN = 120;

export class Inspector {
  #entries = [];
  #timing = new Timing();
  #draw = eachFrame(() => this.#flush());
  #longest = 0; // of the paths shown, in characters
  #raw = new Map(); // of the turn's messages to their raw text's element

  /** `at(name)` gives the page's element of that name. */
  constructor(at) {
    this.at = at;
    this.bars = new TimingBars(at("timing"));
    this.list = new VirtualList(at("events"), {
      height: ROW,
      label: "Events",
      render: (place) => this.#row(place),
      onSelect: (place) => this.#show(place),
    });
    at("event-back").addEventListener("click", () => this.list.select(this.list.selected - 1));
    at("event-forward").addEventListener("click", () => this.list.select(this.list.selected + 1));
  }

  /** Forgets everything. */
  clear() {
    this.#entries = [];
    this.#longest = 0;
    this.begin(undefined);
    this.list.show(0);
    this.at("event").hidden = true;
  }

  /** A turn begins: its times count from here. Of one that was not seen from its beginning nothing is claimed. */
  begin(at, isWitnessed = true) {
    this.#timing.begin(at);
    this.isWitnessed = isWitnessed;
    this.bars.clear();
    this.#raw.clear();
    this.at("raw").replaceChildren();
    this.#draw();
  }

  /** Takes an event in: `{event, chunk, at, frame}`. */
  take(entry) {
    this.#entries.push({ ...entry, since: entry.at - (this.#timing.start ?? entry.at) });
    this.#timing.take(entry);
    if (entry.chunk.delta_path === "/raw") this.#write(entry.chunk);
    this.#draw();
  }

  /** Adds to a raw text; what the server keeps to itself comes as dots. */
  #write(chunk) {
    const key = keyOf(chunk);
    if (!this.#raw.has(key)) {
      const text = el("pre", {});
      this.#raw.set(key, text);
      this.at("raw").append(el("h3", {}, this.#timing.messages.get(key)?.name ?? chunk.type), text);
    }
    const text = this.#raw.get(key);
    for (const run of chunk.props.split(/(·+)/).filter(Boolean)) {
      const [name, last] = [run.startsWith("·") ? "I" : "SPAN", text.lastElementChild];
      if (last?.nodeName === name) last.firstChild.appendData(run);
      else text.append(el(name, {}, run));
    }
  }

  #row(place) {
    const { event, chunk, since } = this.#entries[place];
    const where = pathOf(chunk);
    const value = typeof chunk.props === "string" ? chunk.props : (JSON.stringify(chunk.props) ?? "null");
    // The column is as wide as the longest path: it is read as a whole, if need be by scrolling.
    if (where.length > this.#longest) {
      this.#longest = where.length;
      this.at("events").style.setProperty("--path", `${this.#longest}ch`);
    }
    return [
      el("span", { class: "row-id" }, String(chunk.chunk_id)),
      el("span", { class: "row-at" }, `+${span(since)}`),
      el("span", { class: "row-event" }, event),
      el("span", { class: "row-path", title: chunk.delta_action ?? "whole" }, where),
      el("span", { class: "row-value" }, value.slice(0, MOST_SHOWN)),
    ];
  }

  /** An event as it came. */
  #show(place) {
    const { event, chunk } = this.#entries[place];
    setText(this.at("event-title"), `Event ${chunk.chunk_id}: ${event}`);
    setText(this.at("event-envelope"), JSON.stringify(chunk, null, 2));
    this.at("event").hidden = false;
  }

  #flush() {
    const count = this.#entries.length;
    this.list.show(count);
    setText(this.at("event-count"), count > 0 ? String(count) : "");
    const parts = this.#timing.parts();
    setText(this.at("timing-summary"), this.#words(parts));
    if (this.isWitnessed) this.bars.show(parts, this.#timing);
  }

  #words(parts) {
    if (parts.length === 0) return "For each field of the answer a bar shows when it began and when it was complete.";
    if (!this.isWitnessed) return "This turn was not sent here, so there are no times for when its parts became visible.";
    const first = Math.min(...parts.map((part) => part.first));
    const { end, isBroken, elapsed } = this.#timing;
    const how = end === undefined ? "is still coming" : isBroken ? "broke off" : "was complete";
    return `The first character could be seen after ${span(first)}; the answer ${how} after ${span(elapsed)}.`;
  }
}

/** Where in its message a chunk applies: a pointer, or the kind of message that has come whole. */
function pathOf({ delta, delta_path: path, type }) {
  return delta ? path || "/" : type;
}
