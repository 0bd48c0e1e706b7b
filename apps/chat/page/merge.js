// The merger: turns a conversation's chunks into the messages that a person sees, by the rules in `src/wire/`.

/** Applies chunks in the order of their numbers, each once. It takes over their props, which grow in place. */
export class Merger {
  #messages = new Map(); // by first chunk, in that order
  #named = new Map(); // by block and message id

  /** The last chunk that was merged: a reconnecting client asks for what follows it. */
  lastChunkId = 0;

  /** Returns the messages in the order of their first chunks. */
  messages() {
    return [...this.#messages.values()];
  }

  /**
   * Takes a chunk. `outcome` is `merged`, `repeated`, or `gap` if a chunk before it is missing, which changes nothing.
   * `message` is new or changed; `refused` says why a chunk did not fit its message.
   */
  apply(chunk) {
    const { chunk_id: id } = chunk;
    if (id <= this.lastChunkId) return { outcome: "repeated" };
    if (id !== this.lastChunkId + 1) return { outcome: "gap" };
    this.lastChunkId = id;
    try {
      return { outcome: "merged", message: this.#merge(chunk) };
    } catch (error) {
      return { outcome: "merged", refused: error.message };
    }
  }

  #merge({ type, props = null, chunk_id, message_id, block_id, thread_id, ...change }) {
    // A cut takes back every message from a chunk on.
    if (type === "cut") return this.#remove((message) => message.chunk_id >= props.from);
    const name = message_id && `${block_id} ${message_id}`;
    const known = this.#named.get(name);
    if (change.delta) {
      if (!name) throw new Error("no-message-id");
      const [path, action, operand] = changeOf(change, props);
      props = applied(known?.props ?? null, path, action, operand);
      if (known) return Object.assign(known, { props });
    }
    // The next message of its block and thread replaces a loading message, and so does the end of the turn.
    const isEnd = type === "done" || type === "error";
    const isBeside = (other) => other.block_id === block_id && other.thread_id === thread_id;
    this.#remove((other) => other.type === "loading" && (isEnd || isBeside(other)));
    const message = this.#named.get(name) ?? { chunk_id };
    if (name) this.#named.set(name, message);
    this.#messages.set(message.chunk_id, message);
    return Object.assign(message, { type, props, message_id, block_id, thread_id });
  }

  #remove(isMeant) {
    for (const message of this.messages().filter(isMeant)) {
      this.#messages.delete(message.chunk_id);
      this.#named.delete(`${message.block_id} ${message.message_id}`);
    }
  }
}

/** Returns what a chunk changes. Without an action it appends to a text. */
function changeOf({ delta_path: path, delta_action: action }, props) {
  if (action !== undefined) return [path ?? "", action, props];
  const isContent = path === undefined && isObject(props) && Object.keys(props).join() === "content";
  return [path ?? "/content", "append", isContent ? props.content : props];
}

/** Applies a delta to props, in place where they are an object or array, and returns them. Changes nothing if it throws. */
export function applied(props, pointer, action, operand) {
  // One step above the props, so that they too stand somewhere.
  const above = { props };
  const missing = ["props", ...stepsOf(pointer)];
  let parent = above;
  let step = missing.shift();
  while (missing.length > 0 && isContainer(read(parent, step))) {
    parent = read(parent, step);
    step = missing.shift();
  }
  if (Array.isArray(parent) && !isIndex(step)) throw new Error("bad-path");
  const found = read(parent, step);
  const isNothing = found === undefined || found === null;
  if (missing.length > 0 && !isNothing) throw new Error("bad-path");
  let value = operand;
  if (action === "end") {
    if (found === undefined || missing.length > 0) throw new Error("nothing-there");
    return props;
  } else if (action === "append") {
    if (!(isNothing || typeof found === "string") || typeof operand !== "string") throw new Error("not-growing");
    value = (found ?? "") + operand;
  } else if (action === "merge") {
    if (!(isNothing || isObject(found)) || !isObject(operand)) throw new Error("not-an-object");
    value = found ?? {};
    for (const [name, member] of Object.entries(operand)) write(value, name, member);
  } else if (action !== "set") {
    throw new Error("no-action");
  }
  for (const inner of missing.reverse()) value = write(isIndex(inner) ? [] : {}, inner, value);
  write(parent, step, value);
  return above.props;
}

function stepsOf(pointer) {
  if (pointer !== "" && (!pointer.startsWith("/") || /~(?![01])/.test(pointer))) throw new Error("bad-path");
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

const isIndex = (step) => /^(0|[1-9]\d{0,5})$/.test(step);
const isContainer = (value) => typeof value === "object" && value !== null;
const isObject = (value) => isContainer(value) && !Array.isArray(value);

// Own members only: a name such as `__proto__` or `constructor` is a name like any other.
function read(parent, step) {
  return Object.hasOwn(parent, step) ? parent[step] : undefined;
}

/** Sets a member and returns its container. An array is filled up with null before it. */
function write(parent, step, value) {
  if (Array.isArray(parent)) while (parent.length < Number(step)) parent.push(null);
  return Object.defineProperty(parent, step, { value, writable: true, enumerable: true, configurable: true });
}
