// The merger: turns a conversation's chunks into the messages that a person sees, by the rules in `src/wire/`.

const MAX_INDEX = 65535;
const MAX_STEPS = 127;

/** A delta that does not fit its message; `reason` says why. */
class Refused extends Error {
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/** Applies chunks in the order of their numbers, each once. */
export class Merger {
  #messages = new Map(); // by first chunk, in that order
  #named = new Map(); // block and message id to first chunk
  #loading = [];
  #last = 0;

  /** Returns the messages in the order of their first chunks. */
  messages() {
    return [...this.#messages.values()];
  }

  /** The last chunk that was merged: a reconnecting client asks for what follows it. */
  get lastChunkId() {
    return this.#last;
  }

  /**
   * Takes a chunk. `outcome` is `merged`, `repeated`, or `gap` if a chunk before it is missing, which changes nothing.
   * `changed` has the messages that are new or changed; `refused` says why a chunk did not fit its message.
   */
  apply(chunk) {
    const result = { outcome: "merged", changed: new Set(), refused: undefined };
    const { chunk_id: id } = chunk;
    if (!Number.isSafeInteger(id) || id < 1) return { ...result, refused: "unnumbered" };
    if (id <= this.#last) return { ...result, outcome: "repeated" };
    if (id - 1 > this.#last) return { ...result, outcome: "gap" };
    this.#last = id;
    try {
      if (chunk.type === "cut") this.#cut(chunk);
      else if (chunk.delta) this.#change(chunk, result);
      else this.#put(chunk, owned(chunk.props), result);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      result.refused = error.reason;
    }
    return result;
  }

  /** Takes back every message from a chunk on. */
  #cut({ props }) {
    for (const [place, message] of this.#messages) if (place >= (props?.from ?? Infinity)) this.#remove(place, message);
  }

  #remove(place, message) {
    this.#messages.delete(place);
    this.#named.delete(nameOf(message));
  }

  #change(chunk, result) {
    if (chunk.message_id === undefined) throw new Refused("no-message-id");
    const { path, action, operand } = changeOf(chunk);
    const message = this.#messages.get(this.#place(chunk));
    const props = applied(message?.props ?? null, path, action, owned(operand));
    if (message) {
      message.props = props;
      result.changed.add(message);
    } else {
      this.#put(chunk, props, result);
    }
  }

  #put(chunk, props, result) {
    this.#endLoading(chunk);
    const place = this.#place(chunk);
    const key = nameOf(chunk);
    if (key !== undefined) this.#named.set(key, place);
    if (chunk.type === "loading") this.#loading.push(place);
    const { type, message_id, block_id, thread_id } = chunk;
    const known = this.#messages.get(place) ?? { chunk_id: place };
    Object.assign(known, { type, props, message_id, block_id, thread_id });
    this.#messages.set(place, known);
    result.changed.add(known);
  }

  #place(chunk) {
    return this.#named.get(nameOf(chunk)) ?? chunk.chunk_id;
  }

  /** Removes loading messages before the next message of their block and thread, and before the end of the turn. */
  #endLoading(next) {
    const endsAll = next.type === "done" || next.type === "error";
    this.#loading = this.#loading.filter((place) => {
      const message = this.#messages.get(place);
      if (message?.type !== "loading") return false;
      const isOver = endsAll || (message.block_id === next.block_id && message.thread_id === next.thread_id);
      if (isOver) this.#remove(place, message);
      return !isOver;
    });
  }
}

/** Returns a copy, so that the chunk stays as it came while the message grows. */
function owned(props) {
  return typeof props === "object" ? structuredClone(props) : (props ?? null);
}

/** Returns what a chunk changes. Without an action it appends to a text. */
function changeOf({ delta_path: path, delta_action: action, props }) {
  if (action !== undefined) return { path: path ?? "", action, operand: props };
  const isContent = path === undefined && isObject(props) && Object.keys(props).join() === "content";
  const operand = isContent ? props.content : props;
  if (typeof operand !== "string") throw new Refused("no-action");
  return { path: path ?? "/content", action: "append", operand };
}

/** Returns the key of a message: its block and its id. */
function nameOf({ block_id, message_id }) {
  return message_id === undefined ? undefined : `${block_id?.length ?? -1}:${block_id ?? ""}${message_id}`;
}

/** Applies a delta to props, in place where they are an object or array, and returns them. Changes nothing if it throws. */
export function applied(props, pointer, action, operand) {
  const steps = stepsOf(pointer);
  const found = look(props, steps);
  const isNothing = found === undefined || found === null;
  if (action === "end") {
    if (found === undefined) throw new Refused("nothing-there");
    return props;
  } else if (action === "append") {
    if (!(isNothing || typeof found === "string") || typeof operand !== "string") throw new Refused("not-growing");
  } else if (action === "merge") {
    if (!(isNothing || isObject(found)) || !isObject(operand)) throw new Refused("not-an-object");
  } else if (action !== "set") {
    throw new Refused("no-action");
  }
  // One step above the props, so that they too stand somewhere.
  const above = { props };
  const [parent, step] = make(above, ["props", ...steps]);
  const there = read(parent, step);
  if (action === "append") write(parent, step, (there ?? "") + operand);
  else if (action === "merge" && isObject(there))
    for (const [name, value] of Object.entries(operand)) write(there, name, value);
  else write(parent, step, operand);
  return above.props;
}

function stepsOf(pointer) {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) throw new Refused("bad-path");
  const steps = pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (steps.length > MAX_STEPS) throw new Refused("too-far");
  return steps;
}

const isIndex = (step) => /^(0|[1-9][0-9]*)$/.test(step);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function look(root, steps) {
  let at = root ?? undefined;
  for (const step of steps) {
    const inArray = Array.isArray(at);
    if ((inArray || at === undefined || at === null) && isIndex(step) && Number(step) > MAX_INDEX) {
      throw new Refused("too-far");
    }
    if (at === undefined || at === null) at = undefined;
    else if (inArray ? !isIndex(step) : !isObject(at)) throw new Refused("bad-path");
    else at = read(at, step);
  }
  return at;
}

/** Returns the last step and its container, which is made if it is missing. Only for what `look` has passed. */
function make(root, steps) {
  let parent = root;
  for (const [place, step] of steps.slice(0, -1).entries()) {
    if (read(parent, step) == null) write(parent, step, isIndex(steps[place + 1]) ? [] : {});
    parent = read(parent, step);
  }
  return [parent, steps.at(-1)];
}

// Own members only: a name such as `__proto__` or `constructor` is a name like any other.
function read(parent, step) {
  return Object.hasOwn(parent, step) ? parent[step] : undefined;
}

function write(parent, step, value) {
  if (Array.isArray(parent)) {
    while (parent.length < Number(step)) parent.push(null);
    parent[Number(step)] = value;
  } else {
    Object.defineProperty(parent, step, { value, writable: true, enumerable: true, configurable: true });
  }
}
