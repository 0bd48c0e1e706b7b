// The inspector: the JSON as the model writes it, the times at which each field could be shown, and the latest events.

import { eachFrame, el, setText } from "./dom.js";
import { TimingBars } from "./timing_bars.js";
import { RawPanel } from "./raw.js";
import { Timing, span } from "./timing.js";

/** How many events are listed. */
const MOST_ROWS = 200;

/** How much of a value a row shows. */
const MOST_SHOWN = 120;

export class Inspector {
  #count = 0;
  #rows = []; // those that are not drawn yet
  #timing = new Timing();
  #draw = eachFrame(() => this.#flush());
  #written = new Set(); // the messages whose text has grown

  /** `at(name)` gives the page's element of that name. */
  constructor(at) {
    this.at = at;
    this.bars = new TimingBars(at("timing"));
    this.raw = new RawPanel(at("raw"));
  }

  /** Forgets everything. */
  clear() {
    this.#count = 0;
    this.#rows = [];
    this.at("events").replaceChildren();
    this.begin(undefined);
  }

  /** A turn begins: its times count from here. Of one that was not seen from its beginning nothing is claimed. */
  begin(at, isWitnessed = true) {
    this.#timing.begin(at);
    this.isWitnessed = isWitnessed;
    this.bars.clear();
    this.#written.clear();
    this.raw.clear();
    this.#draw();
  }

  /** Takes an event, `{event, chunk, at}`, and the messages that it has changed. */
  take(entry, changed = []) {
    this.#count += 1;
    this.#timing.take(entry);
    this.#rows.push(row(entry, entry.at - this.#timing.start));
    this.write(changed);
  }

  /** Shows the texts of messages that came before. */
  write(messages) {
    for (const message of messages) if (message.props?.raw) this.#written.add(message);
    this.#draw();
  }

  #flush() {
    for (const message of this.#written) this.raw.show(message);
    this.#written.clear();
    const list = this.at("events");
    list.append(...this.#rows.splice(0).slice(-MOST_ROWS));
    while (list.childElementCount > MOST_ROWS) list.firstChild.remove();
    setText(this.at("event-count"), String(this.#count || ""));
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

/** An event's line in the list: its number, time, name, the path that it changes, and the beginning of its value. */
function row({ event, chunk }, since) {
  const value = typeof chunk.props === "string" ? chunk.props : (JSON.stringify(chunk.props) ?? "null");
  return el(
    "li",
    { class: "row" },
    el("span", { class: "row-at" }, `${chunk.chunk_id} +${span(since)}`),
    el("span", { class: "row-event" }, event),
    el("span", { class: "row-path" }, chunk.delta ? chunk.delta_path || "/" : chunk.type),
    el("span", { class: "row-value" }, value.slice(0, MOST_SHOWN)),
  );
}
