// Fields of one JSON text, each read on its own while the text arrives, all from one parser.

import type { ReportingEngine } from "../core/reporting.js";
import type { JsonSpigotError } from "../core/error.js";
import { optionsOf } from "../core/options.js";
import { defineDisposal } from "../core/runtime.js";
import type { DeepPartial } from "../core/text-parser.js";
import type { ElementOf, FieldOf, FieldPath, FieldRequest, ReadOptions, Requested } from "./fields.js";
import { checkedSignal, NOTHING, SourceLoop, type Chunks, type Loop, type Reading } from "./loop.js";
import { chunksOfJson, type Chunk, type Source } from "./source.js";
import { lookUp, type ValueState } from "../core/tree/state-of.js";
import type { SnapshotsOptions } from "./streams.js";
import { makeText } from "../core/make-text.js";
import type { Text } from "../core/text.js";
import { Tree } from "../core/tree/tree.js";
import type { Json } from "../core/values.js";

/** A tree that also knows the pieces of its newest string: a string that has grown is copied whole to take its end off. */
class PieceTree extends Tree {
  #pieces: string[] = [];

  override putString(engine: ReportingEngine, text: string): void {
    super.putString(engine, text);
    if (text === "") this.#pieces = [];
    else this.#pieces.push(text);
  }

  /** Returns the last units of the newest string. */
  end(length: number): string {
    let from = this.#pieces.length;
    let end = "";
    while (end.length < length) end = this.#pieces[--from]! + end;
    return end.slice(end.length - length);
  }
}

/**
 * A reader of the fields of a JSON text that is still arriving, several at once and in any order. It reads the source only while a
 * read waits for a field, and parses each chunk once for all reads. It keeps the document, so a field can be requested late.
 *
 * A field is named by the keys and indices that lead to it, one argument each. With the document's type, `FieldReader<Trip>`,
 * paths are checked and values typed. The last argument of each method may be `{ signal }`, which gives up that read alone, as
 * leaving its loop does; {@link cancel} ends the source for all of them.
 *
 * A repeated key is an error unless `duplicateKeys` is `last-wins`, as a field that has been read would not be the last one.
 * With that, a field is whichever of its values is there when a chunk has been read.
 *
 * @typeParam T - the type of the document. It is not validated.
 *
 * @example
 * ```ts
 * import { FieldReader } from "jsonspigot";
 *
 * interface Trip {
 *   city: string;
 *   days: { note: string }[];
 * }
 *
 * const trip = new FieldReader<Trip>(['{"city": "Kö', 'ln", "days": [{"note": "by ', 'train"}]}']);
 * console.log(await trip.get("city")); // "Köln"
 * for await (const text of trip.streamText("days", 0, "note")) console.log(text); // "by ", then "train"
 * for await (const day of trip.forEach("days")) console.log(day); // {"note":"by train"}
 * ```
 */
export class FieldReader<T = Json> {
  readonly #text: Text;
  readonly #tree: PieceTree;
  /** The source, of which each chunk is parsed; an item for each. */
  readonly #source: SourceLoop<Chunk, undefined>;
  readonly #abort = new AbortController();
  /** Stops listening to the caller's signal. */
  readonly #leave: () => void;
  /** The chunk that is waited for. */
  #next: Promise<IteratorResult<undefined, void>> | undefined;
  #hasEnded = false;
  /** The error of the source or the text, for all later reads. */
  #failure: { readonly reason: unknown } | undefined;

  constructor(source: Source, options: Omit<SnapshotsOptions, "provisional"> = {}) {
    const { signal: asked, provisional: _, duplicateKeys = "reject", ...own } = optionsOf<SnapshotsOptions>(options);
    const signal = checkedSignal(asked);
    const text = (this.#text = makeText({ ...own, duplicateKeys }));
    this.#tree = this.#text.engine.tree = new PieceTree(this.#text.settings);
    const cancel = (): void => this.cancel(signal!.reason);
    const settle = (error: JsonSpigotError | undefined): readonly undefined[] => {
      text.output.events = [];
      if (error) throw error;
      return ONE;
    };
    this.#leave = () => signal?.removeEventListener("abort", cancel);
    const begin = (): Reading<Chunk, undefined> => ({
      read: (chunk) => settle(text.read(chunk)),
      finish: () => {
        settle(text.end());
        this.#hasEnded = true;
        return ONE;
      },
      before: () => ONE,
      dispose: this.#leave,
    });
    this.#source = new SourceLoop(() => chunksOfJson(source), begin, this.#abort.signal);
    if (signal?.aborted) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
  }

  /**
   * Returns a field's value once it is complete; `undefined` if the text ends without it.
   *
   * @param request - the keys and indices of the field, and possibly `{ signal }`
   * @throws {JsonSpigotError} if the text is not JSON, or ends too early, before the field is complete.
   */
  async get<const R extends FieldRequest>(...request: Requested<T, R>): Promise<FieldOf<T, R> | undefined> {
    const loop = this.#loop(request, ({ state, value }) => ({ values: state === "complete" ? [value] : [] }));
    try {
      return (await loop.next()).value as FieldOf<T, R> | undefined;
    } finally {
      void loop.return();
    }
  }

  /** Yields the text of a string field as it arrives, from its beginning. Yields nothing for a field that is no string. */
  streamText<const R extends FieldRequest>(...request: Requested<T, R, string>): Loop<string> {
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

  /** Yields a field's value so far, each time that it has changed, and the complete value last. */
  streamValues<const R extends FieldRequest>(...request: Requested<T, R>): Loop<DeepPartial<FieldOf<T, R>>> {
    let shown: Json | undefined;
    return this.#loop(request, ({ value }) => {
      if (value === undefined || value === shown) return { values: [] };
      shown = value;
      this.#tree.look(this.#text.engine);
      return { values: [value as DeepPartial<FieldOf<T, R>>] };
    });
  }

  /** Yields the elements of an array field, each when it is complete. Yields nothing for a field that is no array. */
  forEach<const R extends FieldRequest>(...request: Requested<T, R, readonly unknown[]>): Loop<ElementOf<T, R>> {
    let next = 0;
    return this.#loop(request, ({ state, value }, path) => {
      if (value === undefined) return { values: [] };
      if (!Array.isArray(value)) return { values: [], isDone: true };
      const last = value.length - 1;
      const isLastOpen = state !== "complete" && last >= 0 && this.#look([...path, last]).state !== "complete";
      const values = value.slice(next, isLastOpen ? last : undefined) as (ElementOf<T, R> & Json)[];
      next += values.length;
      return { values };
    });
  }

  /** Ends the source. Reads that are still waiting for a field reject with the reason. */
  cancel(reason?: unknown): void {
    if (this.#hasEnded) return;
    this.#leave();
    this.#abort.abort(reason);
    // A source that was not begun yet is opened, and cancelled.
    try {
      Promise.resolve(this.#more()).catch(() => undefined);
    } catch {
      // It is the reason, which later reads reject with.
    }
  }

  declare [Symbol.asyncDispose]: () => Promise<void>;

  #look(path: FieldPath): ReturnType<typeof lookUp> {
    const { refusal } = this.#tree;
    if (refusal) throw refusal;
    return lookUp(this.#text, path);
  }

  /** Returns true if a field can't arrive any more. After the root, what else the text has is looked at first. */
  #isLost(state: ValueState): boolean {
    return state === "absent" && !this.#text.hasRootEnded;
  }

  /** Yields what `added` finds in a field after each chunk, up to the end of the field's value. */
  #loop<V>(
    request: readonly unknown[],
    added: (field: ReturnType<typeof lookUp>, path: FieldPath) => { readonly values: readonly V[]; readonly isDone?: boolean },
  ): Loop<V> {
    const { path, signal } = parted(request);
    let hasEnded = false;
    // While the loop was busy, others may have read on, to the end even: so the field is looked at again before a chunk is read.
    let isLookedAt = false;
    const chunks: Chunks<undefined> = { next: () => (hasEnded ? END : isLookedAt ? this.#more() : LOOK) };
    const begin = (): Reading<undefined, V> => ({
      read: () => {
        const field = this.#look(path);
        const { values, isDone } = added(field, path);
        hasEnded = isDone === true || field.state === "complete" || this.#isLost(field.state);
        isLookedAt = values.length === 0;
        return values;
      },
      finish: () => NOTHING,
    });
    return new SourceLoop(() => chunks, begin, signal);
  }

  /** Reads one chunk for all waiters. The end or the error of the source is the same for all later reads. */
  #more(): IteratorResult<undefined, void> | Promise<IteratorResult<undefined, void>> {
    if (this.#next !== undefined) return this.#next;
    if (this.#failure !== undefined) throw this.#failure.reason;
    if (this.#hasEnded) return END;
    const failed = (reason: unknown): never => {
      this.#leave();
      this.#failure = { reason };
      this.#next = undefined;
      throw reason;
    };
    try {
      const next = this.#source.pull();
      if (!(next instanceof Promise)) return next;
      return (this.#next = next.then((result) => {
        this.#next = undefined;
        return result;
      }, failed));
    } catch (reason) {
      return failed(reason);
    }
  }
}

/** The item of each chunk. */
const ONE: readonly undefined[] = [undefined];

/** A chunk that is there at once, and the end of them. */
const LOOK = { done: false, value: undefined } as const;
const END = { done: true, value: undefined } as const;

defineDisposal(FieldReader.prototype, Symbol.asyncDispose, async function (this: FieldReader) {
  this.cancel();
});

function parted(request: readonly unknown[]): { readonly path: FieldPath; readonly signal: AbortSignal | undefined } {
  const last = request[request.length - 1];
  if (typeof last !== "object") return { path: request as FieldPath, signal: undefined };
  return { path: request.slice(0, -1) as FieldPath, signal: (last as ReadOptions | null)?.signal };
}
