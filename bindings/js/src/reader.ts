// Fields of one JSON text, each read on its own while the text arrives, all from one parser.

import type { Engine } from "./engine.js";
import type { ParserOptions } from "./options.js";
import type { DeepPartial } from "./text-parser.js";
import { chunksOfJson, type Chunk, type Source } from "./source.js";
import { lookUp, type ValueState } from "./state-of.js";
import type { StreamOptions } from "./streams.js";
import { makeText } from "./make-text.js";
import { Text } from "./text.js";
import { Tree } from "./tree.js";
import type { Json } from "./values.js";

/** Keys and indices from the root: `"ask_slots", 0, "message"`. None is the root itself. */
export type FieldPath = readonly (string | number)[];

/** The path of a field, and what may end one read of it without ending the others. */
export type FieldRequest = FieldPath | readonly [...FieldPath, { readonly signal?: AbortSignal }];

/** A loop over what a field says, which can be given up while it waits: by `return`, or by leaving the loop. */
export interface FieldLoop<T> extends AsyncIterableIterator<T, void, undefined> {
  return(): Promise<IteratorResult<T, void>>;
}

/** A tree that also knows the pieces of its newest string: a string that has grown is copied whole to take its end off. */
class PieceTree extends Tree {
  #pieces: string[] = [];

  override putString(engine: Engine, text: string): void {
    super.putString(engine, text);
    if (text === "") this.#pieces = [];
    else this.#pieces.push(text);
  }

  /** The last units of the newest string. */
  end(length: number): string {
    let from = this.#pieces.length;
    let end = "";
    while (end.length < length) end = this.#pieces[--from]! + end;
    return end.slice(end.length - length);
  }
}

/**
 * Reads fields of a JSON text that is still arriving, several at once and in any order:
 *
 * ```ts
 * const reader = new FieldReader(fragments);
 * const city = await reader.get<string>("city"); // as soon as it is complete
 * for await (const text of reader.streamText("ask_slots", 0, "message")) show(text);
 * for await (const row of reader.forEach<Row>("rows")) add(row); // each row when it is complete
 * ```
 *
 * The source is read only while someone is waiting for a field, and each chunk is parsed once for all of them. The document
 * is kept, so a field can be requested late. Leaving one loop does not affect the others, and the last argument of each
 * method may be `{ signal }`, which gives up this one; {@link cancel} ends the source for all of them.
 *
 * A repeated key is an error unless `duplicateKeys` is `last-wins`, as a field that has been read would not be the last one.
 * With that, a field is whichever of its values is there when a chunk has been read.
 */
export class FieldReader {
  readonly #text: Text;
  readonly #tree: PieceTree;
  readonly #source: AsyncGenerator<Chunk, void, undefined>;
  readonly #abort = new AbortController();
  #hasBegun = false;
  /** The chunk that is waited for. */
  #next: Promise<void> | undefined;
  #hasEnded = false;
  /** Why nothing more comes, if that is not the end of the text. */
  #failure: { readonly reason: unknown } | undefined;

  constructor(source: Source, { signal, ...options }: StreamOptions = {}) {
    const { snapshots: _, provisional: __, retain: ___, spelling: ____, ...own }: ParserOptions = options;
    const duplicateKeys = own.duplicateKeys ?? "reject";
    this.#text = makeText({ ...own, duplicateKeys, snapshots: true, retain: "nothing" });
    this.#tree = this.#text.engine.tree = new PieceTree(this.#text.settings);
    this.#source = chunksOfJson(source, this.#abort.signal);
    if (signal?.aborted) this.cancel(signal.reason);
    else signal?.addEventListener("abort", () => this.cancel(signal.reason), { once: true, signal: this.#abort.signal });
  }

  /**
   * A field's value once it is complete; `undefined` if the text ends without it.
   *
   * @throws {JsonSpigotError} if the text is not JSON, or ends too early, before the field is complete.
   */
  async get<T = Json>(...request: FieldRequest): Promise<T | undefined> {
    const { path, signal } = parted(request);
    for (;;) {
      const { state, value } = this.#look(path);
      if (state === "complete") return this.#ended(value) as T;
      if (this.#isLost(state) || !(await this.#more(signal))) return undefined;
    }
  }

  /** The text of a string field as it arrives, from its beginning. Nothing for a field that is no string. */
  streamText(...request: FieldRequest): FieldLoop<string> {
    let length = 0;
    return this.#loop(request, ({ state, value }) => {
      if (value === undefined) return { values: [] };
      if (typeof value !== "string") return { values: [], isDone: true };
      // An open string is the newest one.
      const text = state === "partial" ? this.#tree.end(Math.max(0, value.length - length)) : value.slice(length);
      length = value.length;
      return { values: text === "" ? [] : [text] };
    });
  }

  /** A field's value as it grows: as far as it is known, each time that this has changed, and the complete value last. */
  streamValues<T = Json>(...request: FieldRequest): FieldLoop<DeepPartial<T>> {
    let shown: Json | undefined;
    return this.#loop(request, ({ value }) => {
      if (value === undefined || value === shown) return { values: [] };
      shown = value;
      this.#tree.look(this.#text.engine);
      return { values: [value as DeepPartial<T>] };
    });
  }

  /** The elements of an array field, each when it is complete. Nothing for a field that is no array. */
  forEach<T = Json>(...request: FieldRequest): FieldLoop<T> {
    let next = 0;
    return this.#loop(request, ({ state, value }, path) => {
      if (value === undefined) return { values: [] };
      if (!Array.isArray(value)) return { values: [], isDone: true };
      const last = value.length - 1;
      const isLastOpen = state !== "complete" && last >= 0 && this.#look([...path, last]).state !== "complete";
      const values = value.slice(next, isLastOpen ? last : undefined) as (T & Json)[];
      for (const element of values) this.#ended(element);
      next += values.length;
      return { values };
    });
  }

  /** Ends the source. Reads that are still waiting for a field reject with the reason. */
  cancel(reason?: unknown): void {
    this.#abort.abort(reason);
    // A source that was never begun ends by its beginning.
    const ended: Promise<unknown> = this.#hasBegun ? this.#source.return() : this.#source.next();
    ended.catch(() => undefined);
  }

  declare [Symbol.asyncDispose]: () => Promise<void>;

  #look(path: FieldPath): ReturnType<typeof lookUp> {
    const { refusal } = this.#tree;
    if (refusal) throw refusal;
    return lookUp(this.#text, path);
  }

  /** A value that has ended, and that nobody is to change. A look would have what is open around it copied. */
  #ended(value: Json | undefined): Json | undefined {
    const rest = this.#text.settings.freeze ? [value] : [];
    while (rest.length > 0) {
      const box = rest.pop();
      if (typeof box !== "object" || box === null || Object.isFrozen(box)) continue;
      for (const inside of Object.values(Object.freeze(box))) rest.push(inside);
    }
    return value;
  }

  /** Returns true if a field can't arrive any more. After the root, what else the text has is looked at first. */
  #isLost(state: ValueState): boolean {
    return state === "absent" && !this.#text.hasRootEnded;
  }

  /** A loop over what a field's value adds after each chunk, up to the value's end. */
  #loop<T>(
    request: FieldRequest,
    added: (field: ReturnType<typeof lookUp>, path: FieldPath) => { readonly values: readonly T[]; readonly isDone?: boolean },
  ): FieldLoop<T> {
    const { path, signal } = parted(request);
    const reader = this;
    async function* values(): AsyncGenerator<T, void, undefined> {
      for (;;) {
        signal?.throwIfAborted();
        const field = reader.#look(path);
        const { values, isDone } = added(field, path);
        for (const value of values) {
          signal?.throwIfAborted();
          yield value;
        }
        if (isDone === true || field.state === "complete" || reader.#isLost(field.state)) return;
        // While the loop was busy, others may have read on, to the end even.
        if (values.length > 0) continue;
        if (!(await reader.#more(signal))) return;
      }
    }
    return givingUp(values());
  }

  /** One chunk more, for all who wait; whether there was one. An end or an error is the same for whoever asks later. */
  async #more(signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted();
    if (this.#failure) throw this.#failure.reason;
    if (this.#hasEnded) return false;
    const next = (this.#next ??= this.#take().finally(() => (this.#next = undefined)));
    if (signal === undefined) {
      await next;
      return true;
    }
    let stop!: () => void;
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
    });
    try {
      await Promise.race([next, aborted]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
    return true;
  }

  /** Reads one chunk, or the end. What fails is kept for whoever still lacks something. */
  async #take(): Promise<void> {
    this.#hasBegun = true;
    try {
      const next = await this.#source.next();
      this.#abort.signal.throwIfAborted();
      const error = next.done ? this.#text.end() : this.#text.read(next.value);
      this.#text.output.events = [];
      if (error) throw error;
      if (next.done) this.#hasEnded = true;
      else return;
    } catch (reason) {
      this.#failure = { reason };
    }
    // A signal that is listened to keeps all that has arrived.
    this.#abort.abort();
    this.#source.return().catch(() => undefined);
  }
}

if (typeof Symbol.asyncDispose === "symbol") {
  Object.defineProperty(FieldReader.prototype, Symbol.asyncDispose, {
    async value(this: FieldReader) {
      this.cancel();
    },
    writable: true,
    configurable: true,
  });
}

function parted(request: FieldRequest): { readonly path: FieldPath; readonly signal: AbortSignal | undefined } {
  const last = request[request.length - 1];
  if (typeof last !== "object") return { path: request as FieldPath, signal: undefined };
  return { path: request.slice(0, -1) as FieldPath, signal: last.signal };
}

/** A generator's loop, of which `return` also ends the read that is pending. */
function givingUp<T>(values: AsyncGenerator<T, void, undefined>): FieldLoop<T> {
  let giveUp!: (result: IteratorResult<T, void>) => void;
  const givenUp = new Promise<IteratorResult<T, void>>((resolve) => (giveUp = resolve));
  return {
    next: () => Promise.race([values.next(), givenUp]),
    return() {
      const ended = { done: true, value: undefined } as const;
      giveUp(ended);
      values.return().catch(() => undefined);
      return Promise.resolve(ended);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
