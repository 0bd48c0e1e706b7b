// When each field of a turn's messages could first be shown, and when it was complete.

import { h } from "./dom.js";

/** The part of a message's props that the model writes and a person reads, by type. */
const READ_AT = {
  text: "/content",
  thinking: "/content",
  tool_call: "/input",
  ask: "",
  products: "/items",
  form: "/value",
  context: "",
};

const NAMES = { text: "Text", thinking: "Thinking", ask: "Questions", products: "Products", form: "Form", context: "Context" };

/** The number of fields of a turn that are timed. */
const MOST_FIELDS = 200;

/** The values in a delta that are not empty, as pointers. A list of plain values is one. */
function* leaves(path, value) {
  const isPlain = (it) => typeof it !== "object" || it === null;
  if (isPlain(value) || (Array.isArray(value) && value.every(isPlain))) {
    if (value !== undefined && value !== null && value.length !== 0) yield path;
    return;
  }
  const step = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");
  for (const [name, member] of Object.entries(value)) yield* leaves(`${path}/${step(name)}`, member);
}

/** The times of one turn, learnt chunk by chunk. */
export class Timing {
  constructor() {
    this.begin(undefined);
  }

  /** Starts a turn at this moment, in milliseconds. */
  begin(at) {
    Object.assign(this, { start: at, last: at, end: undefined, isBroken: false, messages: new Map(), count: 0 });
  }

  take({ chunk, at }) {
    const { type, delta, delta_path: path = "", delta_action: action, props } = chunk;
    this.start ??= at;
    this.last = at;
    if (type === "done" || type === "error") Object.assign(this, { end: at, isBroken: type === "error" });
    if (type === "cut") for (const [key, { place }] of this.messages) if (place >= props.from) this.messages.delete(key);
    const root = READ_AT[type];
    if (root === undefined) return;
    const since = at - this.start;
    const { fields } = this.#message(chunk);
    if (action === "end") {
      finish(fields, (field) => field === path, since);
    } else if (path === "/open") {
      // Of a form, everything but the open value is complete.
      const open = props === null ? undefined : `/value${props}`;
      finish(fields, (field) => field !== open && !field.startsWith(`${open}/`), since);
    } else if (!delta) {
      for (const leaf of leaves(root, props?.[root.slice(1)])) this.#field(fields, leaf, since, true);
    } else if ((path === root || path.startsWith(`${root}/`)) && !path.startsWith("/raw")) {
      // A string grows until its end is sent; other values are set once they are complete.
      const isWhole = typeof props !== "string" && type !== "form";
      for (const leaf of leaves(path, props)) this.#field(fields, leaf, since, isWhole);
    }
  }

  #message({ type, block_id: block, message_id: id, chunk_id: number, props }) {
    const key = `${block}/${id ?? number}`;
    const message = this.messages.get(key) ?? { key, place: number, name: NAMES[type] ?? "Tool", fields: new Map() };
    if (type === "tool_call" && props?.name) message.name = `Tool ${props.name}`;
    this.messages.set(key, message);
    return message;
  }

  #field(fields, path, since, isWhole) {
    if (!fields.has(path) && (this.count += 1) > MOST_FIELDS) return;
    const field = fields.get(path) ?? { path, first: since, isWhole: false };
    fields.set(path, Object.assign(field, { complete: since, isWhole: field.isWhole || isWhole }));
  }

  /** The messages that have something to read. */
  get parts() {
    return [...this.messages.values()].filter(({ fields }) => fields.size > 0);
  }

  /** When the first character could be seen. */
  get first() {
    return Math.min(...this.parts.flatMap(({ fields }) => [...fields.values()].map((field) => field.first)));
  }

  /** How long the turn has taken so far. */
  get elapsed() {
    return this.start === undefined ? 0 : (this.end ?? this.last) - this.start;
  }

  /** A bar for each field, from its first character to its last. */
  bars() {
    const bar = ({ path, first, complete, isWhole }) => {
      const words = `${span(first)} → ${isWhole ? span(complete) : this.isBroken ? "never" : "…"}`;
      const fill = h("span.timing-fill", { "--first": first, "--complete": complete });
      const track = h("span.timing-track", { "aria-hidden": "true" }, fill);
      return h("li", { "data-path": path }, h("code.timing-field", {}, path), h("span.timing-words", {}, words), track);
    };
    const group = ({ name, fields }) => [
      h("h3.timing-name", {}, name),
      h("ul.timing-fields", { "--total": Math.max(this.elapsed, 1) }, [...fields.values()].map(bar)),
    ];
    return this.parts.flatMap(group);
  }
}

/** Notes the end of fields, as the library reports it. */
function finish(fields, isMeant, since) {
  for (const field of fields.values()) {
    if (!field.isWhole && isMeant(field.path)) Object.assign(field, { isWhole: true, complete: since });
  }
}

/** Formats milliseconds for a person. */
export function span(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
