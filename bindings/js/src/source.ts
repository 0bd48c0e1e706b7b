// Where chunks come from: the body of a response, a web stream, or anything that can be looped over.

import { JsonSpigotError } from "./error.js";
import { isBytes } from "./input.js";

export type Chunk = string | Uint8Array;

/** Chunks of one JSON text: the body of a response, a web stream, or anything that can be looped over. */
export type Source = Response | ReadableStream<Chunk> | AsyncIterable<Chunk> | Iterable<Chunk>;

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
  const chunks = iteratorOf(from as Exclude<Source, Response>, signal);
  const aborted = onAbort(signal);
  let hasEnded = false;
  try {
    signal?.throwIfAborted();
    for (;;) {
      // A source that fails has ended, as in a loop of the language's own.
      hasEnded = true;
      const pending = Promise.resolve(chunks.next());
      hasEnded = false;
      pending.catch(() => {
        hasEnded = true;
      });
      const next = await aborted.or(pending);
      signal?.throwIfAborted();
      if (next.done) {
        hasEnded = true;
        return;
      }
      yield next.value as Chunk;
    }
  } finally {
    aborted.forget();
    if (!hasEnded) {
      // A source that is waiting for its next chunk may answer late or never: it is reported, not waited for.
      const ended = chunks.return?.();
      if (signal?.aborted) Promise.resolve(ended).catch(() => undefined);
      else await ended;
    }
    chunks.releaseLock?.();
  }
}

/** An iterator over chunks; that of a stream holds its lock. */
interface Chunks {
  next(): { done?: boolean; value?: unknown } | Promise<{ done?: boolean; value?: unknown }>;
  return?(): unknown;
  releaseLock?(): void;
}

function iteratorOf(source: Exclude<Source, Response>, signal: AbortSignal | undefined): Chunks {
  if (!hasMember(source, "getReader")) {
    if (hasMember(source, Symbol.asyncIterator)) return (source as AsyncIterable<Chunk>)[Symbol.asyncIterator]();
    if (hasMember(source, Symbol.iterator)) return (source as Iterable<Chunk>)[Symbol.iterator]();
    // Most often a `fetch` that nobody waited for.
    throw new TypeError("a source is a Response, a stream or anything that can be looped over: is an `await` missing?");
  }
  const reader = (source as ReadableStream<Chunk>).getReader();
  return {
    next: () => reader.read(),
    return: () => void reader.cancel(signal?.reason).catch(() => undefined),
    releaseLock: () => reader.releaseLock(),
  };
}

const hasMember = (value: unknown, name: PropertyKey): boolean => Object(value) === value && name in (value as object);

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
