// The chunks of a source: the body of a response, a web stream, or anything that can be looped over.

import { JsonSpigotError } from "../core/error.js";
import { isBytes } from "../core/input.js";
import type { Chunks } from "./loop.js";

export type Chunk = string | Uint8Array;

/** Chunks of one JSON text: the body of a response, a web stream, or anything that can be looped over. */
export type Source = Response | ReadableStream<Chunk> | AsyncIterable<Chunk> | Iterable<Chunk>;

/** Opens a source. */
export function chunksOf(source: Source): Chunks<Chunk> {
  if (typeof source === "string" || isBytes(source)) return [source as Chunk].values();
  const from = isResponse(source) ? source.body : source;
  if (from === null) return [].values();
  if (hasMember(from, "getReader")) return chunksOfStream(from as ReadableStream<Chunk>);
  if (hasMember(from, Symbol.asyncIterator)) return (from as AsyncIterable<Chunk>)[Symbol.asyncIterator]();
  if (hasMember(from, Symbol.iterator)) return (from as Iterable<Chunk>)[Symbol.iterator]();
  // Most often a `fetch` without `await`.
  throw new TypeError("a source is a Response, a stream or anything that can be looped over: is an `await` missing?");
}

/** Opens the source of one JSON text. Fails for the response of a failed request. */
export function chunksOfJson(source: Source): Chunks<Chunk> {
  if (isResponse(source) && !source.ok) {
    // The body is not read.
    source.body?.cancel?.().catch(() => undefined);
    throw new JsonSpigotError("response", `the request failed with status ${source.status}`);
  }
  return chunksOf(source);
}

function chunksOfStream(stream: ReadableStream<Chunk>): Chunks<Chunk> {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<Chunk, unknown>>,
    return: (reason) => void reader.cancel(reason).catch(() => undefined),
    releaseLock: () => reader.releaseLock(),
  };
}

const hasMember = (value: unknown, name: PropertyKey): boolean => Object(value) === value && name in (value as object);

/** Returns true for a response of any implementation of `fetch`, which may have a class of its own. */
function isResponse(source: Source): source is Response {
  return Object.prototype.toString.call(source) === "[object Response]";
}
