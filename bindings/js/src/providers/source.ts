// From a response, a web stream or an SDK's iterator to a loop over events.

import { isBytes } from "../input.js";
import { chunksOf, type Source } from "../source.js";
import type { StreamEvent } from "./events.js";
import { ProviderStream, type Provider, type ProviderOptions } from "./stream.js";

/** A response's body, chunks of one, or the events of an SDK. Strings and bytes are of a body, objects are events. */
export type EventSource =
  | Response
  | ReadableStream<string | Uint8Array | object>
  | AsyncIterable<string | Uint8Array | object>
  | Iterable<string | Uint8Array | object>;

export interface ProviderEventsOptions extends ProviderOptions {
  /** Ends the loop with the signal's reason, and cancels the source. */
  readonly signal?: AbortSignal;
}

/**
 * All events of a source. If the source fails, whatever was open is reported as truncated before the error is thrown.
 *
 * ```ts
 * for await (const event of providerEvents(await fetch(url, request), "openai-chat", "city")) { … }
 * ```
 */
export async function* providerEvents(
  source: EventSource,
  provider: Provider | "auto",
  patterns: string | readonly string[] = [],
  options: ProviderEventsOptions = {},
): AsyncGenerator<StreamEvent, void, undefined> {
  const { signal, ...own } = options;
  const stream = new ProviderStream(provider, patterns, own);
  try {
    const chunks = chunksOf(source as Source, signal) as AsyncIterable<string | Uint8Array | object>;
    const iterator = chunks[Symbol.asyncIterator]();
    let isRead = false;
    try {
      for (;;) {
        let next: IteratorResult<string | Uint8Array | object>;
        try {
          next = await iterator.next();
        } catch (error) {
          isRead = true;
          if (!signal?.aborted) yield* stream.finish("error");
          throw error;
        }
        if (next.done) {
          isRead = true;
          break;
        }
        const chunk = next.value;
        const events = typeof chunk === "string" || isBytes(chunk) ? stream.feed(chunk) : stream.push(chunk);
        for (const event of events) {
          // A call that is complete must not be run after a stop.
          signal?.throwIfAborted();
          yield event;
        }
      }
    } finally {
      if (!isRead) await iterator.return?.();
    }
    for (const event of stream.finish()) {
      signal?.throwIfAborted();
      yield event;
    }
  } finally {
    stream.dispose();
  }
}
