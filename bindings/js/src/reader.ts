// Fields of one JSON text, each read on its own while the text arrives.

import type { Event } from "./events.js";
import type { ParserOptions } from "./options.js";
import { Parser } from "./parser.js";
import { chunksOfJson, told, type Chunk, type Source, type StreamOptions } from "./streams.js";
import type { Json } from "./values.js";

/** Keys and indices from the root: `"ask_slots", 0, "message"`. None is the root itself. */
export type FieldPath = readonly (string | number)[];

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
 * The source is read only while someone is waiting for a field, and nothing is parsed for fields that nobody reads. All
 * chunks are kept, so a field can be requested late. Leaving one loop does not affect the others; {@link cancel} ends the
 * source for all of them.
 */
export class FieldReader {
  readonly #options: ParserOptions;
  readonly #source: AsyncGenerator<Chunk, void, undefined>;
  readonly #abort = new AbortController();
  readonly #chunks: Chunk[] = [];
  #hasBegun = false;
  /** The chunk that is waited for: whether there was one. */
  #next: Promise<boolean> | undefined;

  constructor(source: Source, { signal, ...options }: StreamOptions = {}) {
    this.#options = options;
    this.#source = chunksOfJson(source, this.#abort.signal);
    if (signal?.aborted) this.cancel(signal.reason);
    else signal?.addEventListener("abort", () => this.cancel(signal.reason), { once: true, signal: this.#abort.signal });
  }

  /**
   * A field's value once it is complete; `undefined` if the text ends without it.
   *
   * @throws {JsonSpigotError} if the text is not JSON, or ends too early, before the field is complete.
   */
  async get<T = Json>(...path: FieldPath): Promise<T | undefined> {
    for await (const event of this.#read([pattern(path)], "matches")) {
      if (event.kind === "end") return event.value as T;
    }
    return undefined;
  }

  /** The text of a string field as it arrives, from its beginning. Nothing for a field that is no string. */
  async *streamText(...path: FieldPath): AsyncGenerator<string, void, undefined> {
    for await (const event of this.#read([pattern(path)], "nothing")) {
      if (event.kind === "delta") yield event.text;
      else if (event.kind === "end") return;
    }
  }

  /** The elements of an array field, each when it is complete. Nothing for a field that is no array. */
  async *forEach<T = Json>(...path: FieldPath): AsyncGenerator<T, void, undefined> {
    const field = pattern(path);
    let isArray = false;
    for await (const event of this.#read([field, `${field}[*]`], "matches")) {
      if (event.pattern === 0) {
        if (event.kind === "begin") isArray = event.type === "array";
        else if (event.kind === "end") return;
      } else if (isArray && event.kind === "end") {
        yield event.value as T;
      }
    }
  }

  /** Ends the source. Reads that are still waiting for a field reject with the reason. */
  cancel(reason?: unknown): void {
    this.#abort.abort(reason);
    // A source that was never begun ends by its beginning.
    const ended: Promise<unknown> = this.#hasBegun ? this.#source.return() : this.#source.next();
    ended.catch(() => undefined);
  }

  async *#read(patterns: readonly string[], retain: "matches" | "nothing"): AsyncGenerator<Event, void, undefined> {
    const parser = new Parser(patterns, { ...this.#options, retain });
    try {
      for (let at = 0; at < this.#chunks.length || (await this.#more()); at++) {
        yield* told(() => parser.feed(this.#chunks[at]!));
      }
      yield* told(() => parser.finish());
    } finally {
      parser.dispose();
    }
  }

  /** One chunk more, for all who wait. An end or an error is the same for whoever asks later. */
  #more(): Promise<boolean> {
    return (this.#next ??= this.#take());
  }

  async #take(): Promise<boolean> {
    this.#hasBegun = true;
    let hasMore = false;
    try {
      const next = await this.#source.next();
      this.#abort.signal.throwIfAborted();
      if (next.done) return false;
      // A source may use its buffer again.
      this.#chunks.push(typeof next.value === "string" ? next.value : new Uint8Array(next.value));
      this.#next = undefined;
      hasMore = true;
      return true;
    } finally {
      // A signal that is listened to keeps all that has arrived.
      if (!hasMore) this.#abort.abort();
    }
  }
}

function pattern(path: FieldPath): string {
  return `$${path.map((key) => `[${typeof key === "number" ? key : JSON.stringify(key)}]`).join("")}`;
}
