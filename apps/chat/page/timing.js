// When each field of a turn's messages could first be shown, and when it was complete: the page's case in numbers.

/** The part of a message's props that the model writes and a person reads, by type. */
const READ_AT = {
  text: "/content",
  thinking: "/content",
  tool_call: "/input",
  ask: "",
  products: "",
  form: "/value",
  context: "",
};

const NAMES = {
  text: "Text",
  thinking: "Thinking",
  ask: "Questions",
  products: "Products",
  form: "Form",
  context: "Context",
};

/** Whether a chunk brings something to read, and not only a state. */
function isRead({ type, delta, delta_path: path = "" }) {
  const at = READ_AT[type];
  if (path.startsWith("/raw")) return false;
  return at !== undefined && (!delta || path === at || path.startsWith(`${at}/`) || (path === "" && at === ""));
}

function hasCharacters(value) {
  if (typeof value === "string") return value.length > 0;
  if (typeof value !== "object" || value === null) return value !== undefined && value !== null;
  return Object.values(value).some(hasCharacters);
}

/** What of a chunk's operand stands where a person reads it. */
function readOf({ type, delta, props }) {
  if (delta || READ_AT[type] === "") return props;
  return props?.[READ_AT[type].slice(1)];
}

/** How many fields of a turn are timed; those after that count towards their message alone. */
const MOST_FIELDS = 200;

/**
 * The fields that a chunk writes to, as pointers into its message's props. A message that comes whole is one field; a
 * container that a delta sets is as many as it has members, but a list of plain values is one.
 */
function* fieldsOf({ type, delta, delta_path: path = "", props }) {
  if (!delta) {
    const whole = readOf({ type, delta, props });
    if (hasCharacters(whole)) yield READ_AT[type];
    return;
  }
  const left = [[path, props]];
  while (left.length > 0) {
    const [at, value] = left.pop();
    const members = typeof value === "object" && value !== null ? Object.entries(value) : undefined;
    const isList = Array.isArray(value) && value.every((it) => typeof it !== "object" || it === null);
    if (members && !isList) {
      const step = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");
      left.push(...members.map(([name, member]) => [`${at}/${step(name)}`, member]).reverse());
    } else if (hasCharacters(value)) {
      yield at;
    }
  }
}

/** The messages of a turn in time, told chunk by chunk. */
export class Timing {
  constructor() {
    this.begin(undefined);
  }

  /** A turn begins at this moment, in milliseconds. */
  begin(at) {
    this.start = at;
    this.messages = new Map();
    this.fields = 0;
    this.end = undefined;
    this.isBroken = false;
    this.last = at;
  }

  take({ chunk, at }) {
    this.start ??= at;
    this.last = at;
    if (chunk.type === "done" || chunk.type === "error") {
      this.end = at;
      this.isBroken = chunk.type === "error";
    }
    if (READ_AT[chunk.type] === undefined) return;
    const key = keyOf(chunk);
    const message = this.messages.get(key) ?? this.#add(key, chunk);
    if (chunk.type === "tool_call" && chunk.props?.name) message.name = `Tool ${chunk.props.name}`;
    const since = at - this.start;
    if (chunk.delta_action === "end") {
      this.#end(message, (path) => path === chunk.delta_path, since);
    } else if (chunk.delta_path === "/open") {
      // Of a form all but what is still open is complete.
      const open = chunk.props === null ? undefined : `/value${chunk.props}`;
      this.#end(message, (path) => path !== open && !path.startsWith(`${open}/`), since);
    } else if (isRead(chunk)) {
      if (message.first === undefined && hasCharacters(readOf(chunk))) message.first = since;
      message.complete = since;
      // A string grows until its end is sent; anything else is set once it is complete.
      const isGrowing = chunk.delta && typeof chunk.props === "string";
      for (const path of fieldsOf(chunk)) this.#field(message, path, since).isWhole ||= !isGrowing && chunk.type !== "form";
    }
  }

  /** Notes the end of fields, as the library reports it. */
  #end(message, isMeant, since) {
    for (const field of message.fields.values()) {
      if (field.isWhole || !isMeant(field.path)) continue;
      field.isWhole = true;
      field.complete = since;
      message.complete = since;
    }
  }

  #field(message, path, since) {
    let field = message.fields.get(path);
    if (!field) {
      if (this.fields === MOST_FIELDS) return {};
      this.fields += 1;
      field = { path, first: since, complete: since, isWhole: false };
      message.fields.set(path, field);
    }
    field.complete = since;
    return field;
  }

  #add(key, chunk) {
    const message = {
      key,
      name: NAMES[chunk.type] ?? "Tool",
      first: undefined,
      complete: undefined,
      fields: new Map(),
    };
    this.messages.set(key, message);
    return message;
  }

  /** What comes to be read, in the order of its beginning. */
  parts() {
    return [...this.messages.values()].filter(({ first }) => first !== undefined);
  }

  /** How long the turn has taken so far. */
  get elapsed() {
    return this.start === undefined ? 0 : (this.end ?? this.last) - this.start;
  }
}

/** What a chunk's message is known by. */
export function keyOf({ block_id, message_id, chunk_id }) {
  return `${block_id ?? ""}/${message_id ?? chunk_id}`;
}

/** Milliseconds for a person. */
export function span(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
