// The inspector: every event with its path and time, when each part could be shown, and what a client that waits
// would show.

import { eachFrame, el, setState, setText } from "./dom.js";
import { Timing, span } from "./timing.js";
import { VirtualList } from "./virtual_list.js";

const ROW = 24;

/** How much of a value a row shows. */
const MOST_SHOWN = 120;

export class Inspector {
  #entries = [];
  #timing = new Timing();
  #bars = new Map();
  #draw = eachFrame(() => this.#flush());

  constructor({ events, count, summary, timing, waiting }) {
    this.count = count;
    this.summary = summary;
    this.timing = timing;
    this.waiting = waiting;
    this.list = new VirtualList(events, { height: ROW, label: "Events", render: (place) => this.#row(place) });
  }

  /** Forgets everything. */
  clear() {
    this.#entries = [];
    this.begin(undefined);
    this.list.show(0);
  }

  /** A turn begins: its times count from here. Of one that was not seen from its beginning nothing is claimed. */
  begin(at, isWitnessed = true) {
    this.#timing.begin(at);
    this.isWitnessed = isWitnessed;
    this.#bars.clear();
    this.timing.replaceChildren();
    this.waiting.replaceChildren();
    this.#draw();
  }

  /** Takes an event in: `{event, chunk, at}`, and how the message stands after it. */
  take(entry, message) {
    this.#entries.push({ ...entry, since: entry.at - (this.#timing.start ?? entry.at) });
    this.#timing.take(entry);
    const key = `${entry.chunk.block_id ?? ""}/${entry.chunk.message_id ?? entry.chunk.chunk_id}`;
    const timed = this.#timing.messages.get(key);
    if (timed && message) timed.message = message;
    this.#draw();
  }

  #row(place) {
    const { event, chunk, since } = this.#entries[place];
    const where = chunk.delta ? (chunk.delta_path ?? "/") : chunk.type;
    const value = typeof chunk.props === "string" ? chunk.props : (JSON.stringify(chunk.props) ?? "null");
    return [
      el("span", { class: "row-id" }, String(chunk.chunk_id)),
      el("span", { class: "row-at" }, `+${span(since)}`),
      el("span", { class: "row-event" }, event),
      el("span", { class: "row-path", title: chunk.delta_action ?? "whole" }, where),
      el("span", { class: "row-value" }, value.slice(0, MOST_SHOWN)),
    ];
  }

  #flush() {
    this.list.show(this.#entries.length);
    setText(this.count, this.#entries.length > 0 ? String(this.#entries.length) : "");
    const parts = this.#timing.parts();
    const total = Math.max(this.#timing.elapsed, 1);
    setText(this.summary, this.#words(parts));
    for (const part of parts) this.#bar(part, total);
    this.#wait(parts);
    this.timing.hidden = !this.isWitnessed;
  }

  #words(parts) {
    if (parts.length === 0) return "Send a message to see when each part could be shown.";
    if (!this.isWitnessed) return "This turn was not sent here, so it is not known when its parts could be seen.";
    const first = Math.min(...parts.map((part) => part.first));
    const { end, isBroken, elapsed } = this.#timing;
    const how = end === undefined ? "is still coming" : isBroken ? "broke off" : "was complete";
    return `The first character could be seen after ${span(first)}; the answer ${how} after ${span(elapsed)}.`;
  }

  #bar(part, total) {
    let bar = this.#bars.get(part.key);
    if (!bar) {
      bar = {
        name: el("span", { class: "timing-name" }),
        words: el("span", { class: "timing-words" }),
        fill: el("span", { class: "timing-fill" }),
      };
      const track = el("span", { class: "timing-track", "aria-hidden": "true" }, bar.fill);
      bar.element = el("li", {}, bar.name, track, bar.words);
      this.#bars.set(part.key, bar);
      this.timing.append(bar.element);
    }
    setText(bar.name, part.name);
    bar.fill.style.marginInlineStart = `${Math.min(99, (100 * part.first) / total)}%`;
    bar.fill.style.inlineSize = `${Math.max(0.5, (100 * (part.complete - part.first)) / total)}%`;
    setText(
      bar.words,
      `${span(part.first)} → ${part.isWhole ? span(part.complete) : this.#timing.isBroken ? "never" : "…"}`,
    );
  }

  // What is whole is shown at once, as such a client would; of the rest, nothing.
  #wait(parts) {
    for (const part of parts) {
      let line = this.#bars.get(part.key).line;
      if (!line) {
        line = el("p", { class: "waiting-line" });
        this.#bars.get(part.key).line = line;
        this.waiting.append(line);
      }
      if (part.isWhole && line.dataset.state !== "whole") {
        setText(line, plain(part.message?.props, part.type));
        setState(line, "state", "whole");
      } else if (!part.isWhole) {
        const { end, elapsed } = this.#timing;
        setText(
          line,
          `${part.name}: nothing${end === undefined ? ` yet, ${span(elapsed)} in` : ", as it never became complete"}.`,
        );
        setState(line, "state", "waiting");
      }
    }
  }
}

/** A whole message in plain words. */
function plain(props, type) {
  if (type === "text" || type === "thinking") return props?.content ?? "";
  const shown = { tool_call: props?.input, form: props?.value }[type] ?? props;
  return JSON.stringify(shown) ?? "";
}
