// The inspector: the hidden context, the JSON as the model writes it, when each field could be shown, and the events.

import { eachFrame, h, patch } from "./dom.js";
import { raw } from "./raw.js";
import { tree } from "./result.js";
import { Timing, span } from "./timing.js";

/** The number of events that are listed, and the length of a value in the list. */
const MOST_ROWS = 50;
const MOST_SHOWN = 120;

export class Inspector {
  #timing = new Timing();
  #rows = [];
  #count = 0;
  #written = new Map(); // a message to the props that have its text

  /** `find(id)` returns an element of the page; `messages()` the conversation's messages. */
  constructor(find, messages) {
    this.find = find;
    this.messages = messages;
    this.draw = eachFrame(() => this.#draw());
  }

  /** Forgets everything. */
  clear() {
    this.#rows = [];
    this.#count = 0;
    this.begin(undefined, true);
  }

  /** Starts a turn. Of one that was not seen from its beginning, no times are shown. */
  begin(at, isWitnessed) {
    this.#timing.begin(at);
    this.#written.clear();
    this.isWitnessed = isWitnessed;
    this.draw();
  }

  /** Takes an event, `{event, chunk, at}`, and the message that it has changed. */
  take(entry, message) {
    this.#count += 1;
    this.#timing.take(entry);
    if (entry.chunk.type === "cut") {
      const { from } = entry.chunk.props;
      for (const message of this.#written.keys()) if (message.chunk_id >= from) this.#written.delete(message);
    }
    this.#rows.push(row(entry, entry.at - this.#timing.start));
    this.#rows.splice(0, this.#rows.length - MOST_ROWS);
    // The decision of the shopping assistant replaces its message, without the text.
    if (message?.props?.raw?.length > 0) this.#written.set(message, message.props);
    this.draw();
  }

  #draw() {
    const show = (id, ...children) => patch(this.find(id), children.flat().filter(Boolean));
    const known = context(this.messages());
    this.find("context").hidden = known === undefined && !this.find("context").hasAttribute("data-always");
    this.find("context-empty").hidden = known !== undefined;
    show("context-tree", known && tree(known));
    show("raw", ...[...this.#written].map(([message, props]) => raw({ ...message, props })));
    show("events", this.#rows);
    show("event-count", String(this.#count || ""));
    show("timing-summary", this.#summary());
    show("timing", this.isWitnessed ? this.#timing.bars() : []);
  }

  #summary() {
    const { parts, first, end, isBroken, elapsed } = this.#timing;
    if (!this.isWitnessed) return "This turn was not sent from here, so its times are not known.";
    if (parts.length === 0) return "A bar for each field shows when it began and when it was complete.";
    const how = end === undefined ? "is still coming" : isBroken ? "broke off" : "was complete";
    return `The first character could be seen after ${span(first)}; the answer ${how} after ${span(elapsed)}.`;
  }
}

/** What the notes of a conversation say together: preferences add up, all else is what was noted last. */
export function context(messages) {
  const notes = messages
    .filter(({ type }) => type === "context")
    .map(({ props }) => {
      const { suggestions, raw: text, ...note } = props ?? {};
      return note;
    });
  const known = Object.assign({}, ...notes);
  if (Object.keys(known).length === 0) return undefined;
  if (known.preferences) known.preferences = Object.assign({}, ...notes.map(({ preferences }) => preferences));
  return known;
}

/** Shows an event as a line: its number, time, name, path and value. The lines stay where they are; their text moves up. */
function row({ event, chunk }, since) {
  const value = typeof chunk.props === "string" ? chunk.props : (JSON.stringify(chunk.props) ?? "");
  return h(
    "li.row",
    {},
    h("span.row-at", {}, `${chunk.chunk_id} +${span(since)}`),
    h("span.row-event", {}, event),
    h("span.row-path", {}, chunk.delta ? chunk.delta_path || "/" : chunk.type),
    h("span.row-value", {}, value.slice(0, MOST_SHOWN)),
  );
}
