// The merger: a conversation's chunks, in any order and more than once, into the messages that a person sees. The same
// as `src/wire/merge.rs` and `apply.rs`, whose rules are stated in `src/wire/envelope.rs`; both run `tests/golden/`.

const MAX_HELD = 4096;
const MAX_INDEX = 65535;
const MAX_STEPS = 127;

/** Why a delta was refused: `reason` is one of the names that `Refusal` in `apply.rs` has. */
class Refused extends Error {
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/** Applies chunks in the order of their numbers, each once, whatever order they come in. */
export class Merger {
  #messages = new Map(); // by first chunk, in that order
  #named = new Map(); // block and message id to first chunk
  #loading = [];
  #held = new Map();
  #skips = new Map(); // of the held chunks those with lost ones before them, by the chunk that each follows
  #last = 0;

  /** A merger that goes on from what another one's `state` was. */
  static from({ lastChunkId, messages }) {
    const merger = new Merger();
    merger.#last = lastChunkId;
    for (const message of messages) {
      merger.#messages.set(message.chunk_id, message);
      if (message.message_id !== undefined) merger.#named.set(nameOf(message), message.chunk_id);
      if (message.type === "loading") merger.#loading.push(message.chunk_id);
    }
    return merger;
  }

  /** All that it has merged, to be kept as JSON. */
  get state() {
    return { lastChunkId: this.#last, messages: this.messages() };
  }

  /** The messages in the order of their first chunks. */
  messages() {
    return [...this.#messages.values()];
  }

  /** The last chunk before the first missing one: what a reconnecting client sends as its last. */
  get lastChunkId() {
    return this.#last;
  }

  /** Whether chunks behind a missing one have come. */
  get hasGap() {
    return this.#held.size > 0;
  }

  /** Forgets what waits for a missing chunk: after a reconnect it comes again. */
  dropHeld() {
    this.#held.clear();
    this.#skips.clear();
  }

  /**
   * Takes a chunk in. `outcome` is `merged`, `repeated` or `held`; `changed` has the messages that are new or changed,
   * `removed` those that are gone; `refused` has `{chunkId, reason}` of each chunk that did not fit its message.
   */
  apply(chunk) {
    const result = { outcome: "merged", changed: new Set(), removed: new Set(), refused: [] };
    const id = chunk.chunk_id;
    if (!Number.isSafeInteger(id) || id < 1) {
      result.refused.push({ chunkId: id, reason: "unnumbered" });
    } else if (id <= this.#last || this.#held.has(id)) {
      result.outcome = "repeated";
    } else if (before(chunk) > this.#last && this.#held.size === MAX_HELD) {
      result.refused.push({ chunkId: id, reason: "too-far-ahead" });
    } else if (before(chunk) > this.#last) {
      this.#held.set(id, chunk);
      if (chunk.follows !== undefined) this.#skips.set(before(chunk), id);
      result.outcome = "held";
    } else {
      for (let next = chunk; next; next = this.#nextHeld()) this.#merge(next, result);
    }
    return result;
  }

  /** The held chunk that is next, if it is there. */
  #nextHeld() {
    const skip = [...this.#skips].find(([follows]) => follows <= this.#last);
    const id = this.#held.has(this.#last + 1) ? this.#last + 1 : skip?.[1];
    const next = this.#held.get(id);
    this.#forget(id);
    return next;
  }

  #forget(id) {
    this.#held.delete(id);
    for (const [follows, skip] of this.#skips) if (skip === id) this.#skips.delete(follows);
  }

  #merge(chunk, result) {
    // What is lost and was held has come too late.
    if (chunk.follows !== undefined) for (const id of this.#held.keys()) if (id < chunk.chunk_id) this.#forget(id);
    this.#last = chunk.chunk_id;
    try {
      if (chunk.type === "cut") this.#cut(chunk, result);
      else if (chunk.delta) this.#change(chunk, result);
      else this.#put(chunk, owned(chunk.props), result);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      result.refused.push({ chunkId: chunk.chunk_id, reason: error.reason });
    }
  }

  // What was said from a message on is taken back.
  #cut({ props }, result) {
    for (const [place, message] of this.#messages) {
      if (place < (props?.from ?? Infinity)) continue;
      this.#messages.delete(place);
      this.#named.delete(nameOf(message));
      result.removed.add(message);
    }
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
    this.#endLoading(chunk, result);
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

  // What was loading gives way to what follows in its block and thread, and to the end of the turn.
  #endLoading(next, result) {
    const endsAll = next.type === "done" || next.type === "error";
    this.#loading = this.#loading.filter((place) => {
      const message = this.#messages.get(place);
      if (message?.type !== "loading") return false;
      const isOver = endsAll || (message.block_id === next.block_id && message.thread_id === next.thread_id);
      if (isOver) {
        this.#messages.delete(place);
        this.#named.delete(nameOf(message));
        result.removed.add(message);
        result.changed.delete(message);
      }
      return !isOver;
    });
  }
}

/** The chunk that has to have come before this one. */
function before({ chunk_id, follows }) {
  return Math.min(follows ?? Infinity, chunk_id - 1);
}

/** A copy of what came, so that the chunk stays as it was while the message grows. */
function owned(props) {
  return typeof props === "object" ? structuredClone(props) : (props ?? null);
}

/** What a chunk does. Without an action it appends to a text, as `Change::of_chunk` has it. */
function changeOf({ delta_path: path, delta_action: action, props }) {
  if (action !== undefined) return { path: path ?? "", action, operand: props };
  const isContent = path === undefined && isObject(props) && Object.keys(props).join() === "content";
  const operand = isContent ? props.content : props;
  if (typeof operand !== "string") throw new Refused("no-action");
  return { path: path ?? "/content", action: "append", operand };
}

/** What a message is known by. */
function nameOf({ block_id, message_id }) {
  return message_id === undefined ? undefined : `${block_id?.length ?? -1}:${block_id ?? ""}${message_id}`;
}

/** The props after a delta; the same ones, changed, where they are an object or array. Throws `Refused`, nothing changed. */
export function applied(props, pointer, action, operand) {
  const steps = stepsOf(pointer);
  const found = look(props, steps);
  const isNothing = found === undefined || found === null;
  if (action === "replace" || action === "end") {
    if (found === undefined) throw new Refused("nothing-there");
    if (action === "end") return props;
  } else if (action === "append") {
    const grows = Array.isArray(found) || ((isNothing || typeof found === "string") && typeof operand === "string");
    if (!grows) throw new Refused("not-growing");
  } else if (action === "merge") {
    if (!(isNothing || isObject(found)) || !isObject(operand)) throw new Refused("not-an-object");
  } else if (action !== "set") {
    throw new Refused("no-action");
  }
  // One step above the props, so that they too stand somewhere.
  const above = { props };
  const [parent, step] = make(above, ["props", ...steps]);
  const there = read(parent, step);
  if (action === "append" && Array.isArray(there)) there.push(operand);
  else if (action === "append") write(parent, step, (there ?? "") + operand);
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

// The last step and what it is taken in, made if missing. Only for what `look` has passed.
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
