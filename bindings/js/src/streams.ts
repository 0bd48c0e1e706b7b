// From a stream of chunks to a stream of what they tell.

import { JsonSpigotError } from "./error.js";
import type { Event } from "./events.js";
import { isBytes } from "./module.js";
import type { ParserOptions } from "./options.js";
import { Parser, type DeepPartial } from "./parser.js";
import type { Json } from "./values.js";

export type Chunk = string | Uint8Array;

/** Chunks of one JSON text: the body of a response, a web stream, or anything that can be looped over. */
export type Source = Response | ReadableStream<Chunk> | AsyncIterable<Chunk> | Iterable<Chunk>;

export interface StreamOptions extends ParserOptions {
  /** Ends the loop with the signal's reason, and cancels the source. */
  readonly signal?: AbortSignal;
}

/**
 * The chunks of a source, one at a time: the next one is asked for when the loop has dealt with this one. Leaving the
 * loop cancels the source.
 */
export async function* chunksOf(source: Source, signal?: AbortSignal): AsyncGenerator<Chunk, void, undefined> {
  if (typeof source === "string" || isBytes(source)) {
    yield source as Chunk;
    return;
  }
  const from = isResponse(source) ? source.body : source;
  if (from === null) return;
  if (typeof (from as ReadableStream<Chunk>).getReader === "function") {
    yield* chunksOfStream(from as ReadableStream<Chunk>, signal);
    return;
  }
  const iterator =
    Symbol.asyncIterator in from
      ? (from as AsyncIterable<Chunk>)[Symbol.asyncIterator]()
      : (from as Iterable<Chunk>)[Symbol.iterator]();
  const aborted = onAbort(signal);
  let hasEnded = false;
  try {
    signal?.throwIfAborted();
    for (;;) {
      // A source that fails has ended, as in a loop of the language's own.
      hasEnded = true;
      const pending = Promise.resolve(iterator.next());
      hasEnded = false;
      pending.catch(() => {
        hasEnded = true;
      });
      const next = await aborted.or(pending);
      if (next.done) {
        hasEnded = true;
        return;
      }
      yield next.value;
    }
  } finally {
    aborted.forget();
    if (!hasEnded) {
      // A source that is waiting for its next chunk may answer late or never: it is told, not waited for.
      const ended = iterator.return?.();
      if (signal?.aborted) Promise.resolve(ended).catch(() => undefined);
      else await ended;
    }
  }
}

async function* chunksOfStream(stream: ReadableStream<Chunk>, signal?: AbortSignal): AsyncGenerator<Chunk, void, undefined> {
  const reader = stream.getReader();
  const aborted = onAbort(signal);
  let hasEnded = false;
  try {
    signal?.throwIfAborted();
    for (;;) {
      const next = await aborted.or(reader.read());
      if (next.done) {
        hasEnded = true;
        return;
      }
      yield next.value;
    }
  } finally {
    aborted.forget();
    if (!hasEnded) reader.cancel(signal?.reason).catch(() => undefined);
    reader.releaseLock();
  }
}

/** By its name: implementations of `fetch` that are not the runtime's own have a class of their own. */
function isResponse(source: Source): source is Response {
  return Object.prototype.toString.call(source) === "[object Response]";
}

/** What comes first: a promise's value, or the signal. */
function onAbort(signal: AbortSignal | undefined): { or<T>(next: Promise<T>): Promise<T>; forget(): void } {
  if (!signal) return { or: (next) => next, forget: () => undefined };
  let listener!: () => void;
  const abort = new Promise<never>((_, reject) => {
    listener = () => reject(signal.reason);
    signal.addEventListener("abort", listener, { once: true });
    if (signal.aborted) listener();
  });
  abort.catch(() => undefined);
  return {
    or: (next) => Promise.race([next, abort]),
    forget: () => signal.removeEventListener("abort", listener),
  };
}

/** The same of one JSON text. What a server says of a request that has failed is none. */
export function chunksOfJson(source: Source, signal?: AbortSignal): AsyncGenerator<Chunk, void, undefined> {
  if (isResponse(source) && !source.ok) {
    // Nobody will read what it says.
    source.body?.cancel?.().catch(() => undefined);
    throw new JsonSpigotError("response", `the request failed with status ${source.status}`);
  }
  return chunksOf(source, signal);
}

/** Options for the parser alone. */
function parserOptions({ signal: _, ...options }: StreamOptions): ParserOptions {
  return options;
}

/**
 * All events of a source. Events before the first bad byte are yielded before the error is thrown.
 *
 * ```ts
 * for await (const event of events(await fetch(url), ["title", "items[*].name"])) { … }
 * ```
 */
export async function* events(
  source: Source,
  patterns: string | readonly string[],
  options: StreamOptions = {},
): AsyncGenerator<Event, void, undefined> {
  const parser = new Parser(patterns, parserOptions(options));
  try {
    for await (const chunk of chunksOfJson(source, options.signal)) yield* told(() => parser.feed(chunk));
    yield* told(() => parser.finish());
  } finally {
    parser.dispose();
  }
}

/** The events of a call; if it throws, what it told before comes first. */
export function* told(call: () => Event[]): Generator<Event, void, undefined> {
  let told: readonly Event[];
  let error: unknown;
  try {
    told = call();
  } catch (thrown) {
    error = thrown;
    told = (thrown as { events?: readonly Event[] }).events ?? [];
  }
  yield* told;
  if (error !== undefined) throw error;
}

/**
 * The text of the strings that one pattern selects, as it arrives; nothing for other values. Where a pattern can match more
 * than one string, {@link events} says which one grows.
 */
export async function* deltas(
  source: Source,
  pattern: string,
  options: StreamOptions = {},
): AsyncGenerator<string, void, undefined> {
  for await (const event of events(source, pattern, { retain: "nothing", ...options })) {
    if (event.kind === "delta") yield event.text;
  }
}

/**
 * The document as far as it is known, after each chunk that has changed it; the last one is the complete value. What has
 * not changed is the same object as before.
 */
export async function* snapshots<T = Json>(
  source: Source,
  options: StreamOptions = {},
): AsyncGenerator<DeepPartial<T>, T | undefined, undefined> {
  const parser = new Parser([], { retain: "nothing", ...parserOptions(options), snapshots: true });
  let shown: DeepPartial<T> | undefined;
  try {
    for await (const chunk of chunksOfJson(source, options.signal)) {
      let error: unknown;
      try {
        parser.feed(chunk);
      } catch (thrown) {
        error = thrown;
      }
      const next = parser.snapshot<T>();
      if (next !== shown) yield (shown = next) as DeepPartial<T>;
      if (error !== undefined) throw error;
    }
    parser.finish();
    const last = parser.snapshot<T>();
    if (last !== shown) yield (shown = last) as DeepPartial<T>;
    return last as T | undefined;
  } finally {
    parser.dispose();
  }
}

/** Some engines have no web streams; there the class can't be used, but the rest of the package can. */
const Stage: typeof TransformStream =
  typeof TransformStream === "undefined"
    ? (class {
        constructor() {
          throw new TypeError("this engine has no TransformStream");
        }
      } as unknown as typeof TransformStream)
    : TransformStream;

/** A stage of a pipe: chunks in, events out. It takes no more chunks than its reader asks for. */
export class EventStream extends Stage<Chunk, Event> {
  constructor(patterns: string | readonly string[], options: ParserOptions = {}) {
    let parser: Parser;
    const pass = (call: () => Event[], controller: TransformStreamDefaultController<Event>): void => {
      try {
        for (const event of told(call)) controller.enqueue(event);
      } catch (thrown) {
        parser.dispose();
        throw thrown;
      }
    };
    super({
      start: () => {
        parser = new Parser(patterns, options);
      },
      transform: (chunk, controller) => pass(() => parser.feed(chunk), controller),
      flush: (controller) => {
        try {
          pass(() => parser.finish(), controller);
        } finally {
          parser.dispose();
        }
      },
      // Where an engine does not know of this, the parser goes with the stage.
      cancel: () => parser.dispose(),
    } as Transformer<Chunk, Event>);
  }
}
