// The inspector: every event with its path and time, and on a click its envelope and its bytes; when each field could be
// shown; and the same chat as a client shows it that waits. Times are those of the record, at whatever speed it is replayed.

import { hexDump, bytesOf } from "./bytes.js";
import { eachFrame, el, setState, setText } from "./dom.js";
import { TimingBars } from "./timing_bars.js";
import { Timing, span } from "./timing.js";
import { VirtualList } from "./virtual_list.js";
import { WaitingChat } from "./waiting.js";

const ROW = 24;

/** How much of a value a row shows. */
const MOST_SHOWN = 120;

/** What stands where nothing has happened yet: what will be there. */
const BEFORE = {
  summary: "Send a message. For each field of the answer, a bar will show when its first character and its last could be shown.",
  waiting: "While the answer streams, this will show what a client has that waits for each part to be complete.",
  events: "Every event of the stream will be listed here with its time and path. Select one to see its envelope and its bytes.",
};

export class Inspector {
  #entries = [];
  #timing = new Timing();
  #draw = eachFrame(() => this.#flush());
  #longest = 0; // of the paths shown, in characters

  /** `at(name)` gives the page's element of that name. */
  constructor(at) {
    this.at = at;
    this.bars = new TimingBars(at("timing"));
    this.waiting = new WaitingChat(at("waiting"));
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
    this.waiting.clear();
    this.#draw();
  }

  /** Takes an event in: `{event, chunk, at, frame}`, and how the message stands after it. */
  take(entry, message) {
    this.#entries.push({ ...entry, since: entry.at - (this.#timing.start ?? entry.at) });
    this.#timing.take(entry);
    if (message) this.waiting.take(entry.chunk, message);
    this.#draw();
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

  /** An event as it came: what it says, and the bytes of its frame. */
  #show(place) {
    const { event, chunk, frame } = this.#entries[place];
    const { at } = this;
    setText(at("event-title"), `Event ${chunk.chunk_id}: ${event}`);
    setText(at("event-envelope"), JSON.stringify(chunk, null, 2));
    const bytes = bytesOf(frame);
    setText(at("event-size"), String(bytes.length));
    setText(at("event-bytes"), hexDump(bytes));
    at("event").hidden = false;
    at("events-hint").hidden = true;
  }

  #flush() {
    const count = this.#entries.length;
    this.at("events").hidden = count === 0;
    setText(this.at("events-hint"), count === 0 ? BEFORE.events : "Select an event to see its envelope and its bytes.");
    this.at("events-hint").hidden = !this.at("event").hidden;
    this.list.show(count);
    setText(this.at("event-count"), count > 0 ? String(count) : "");
    const parts = this.#timing.parts();
    setText(this.at("timing-summary"), this.#words(parts));
    this.bars.show(parts, this.#timing);
    this.at("timing").hidden = !this.isWitnessed || parts.length === 0;
    const isWaiting = this.waiting.show(this.#timing.messages);
    this.at("waiting-frame").hidden = this.waiting.isEmpty;
    setText(this.at("waiting-note"), this.#note(parts, isWaiting));
    setState(this.at("waiting-frame"), "state", isWaiting ? "waiting" : "whole");
  }

  #words(parts) {
    if (parts.length === 0) return BEFORE.summary;
    if (!this.isWitnessed) return "This turn was not sent here, so there are no times for when its parts became visible.";
    const first = Math.min(...parts.map((part) => part.first));
    const { end, isBroken, elapsed } = this.#timing;
    const how = end === undefined ? "is still coming" : isBroken ? "broke off" : "was complete";
    return `The first character could be seen after ${span(first)}; the answer ${how} after ${span(elapsed)}.`;
  }

  #note(parts, isWaiting) {
    if (this.waiting.isEmpty) return BEFORE.waiting;
    const { end, elapsed } = this.#timing;
    const whole = parts.filter(({ isWhole }) => isWhole).length;
    if (!isWaiting) return "It has shown everything by now, each part only once it was complete.";
    if (end !== undefined) return "It never shows the rest: it never became complete.";
    return whole === 0
      ? `It shows nothing of the answer yet, ${span(elapsed)} in.`
      : `It shows only what is complete, ${span(elapsed)} in.`;
  }
}

/** Where in its message a chunk applies: a pointer, or the kind of message that has come whole. */
function pathOf({ delta, delta_path: path, type }) {
  return delta ? path || "/" : type;
}
