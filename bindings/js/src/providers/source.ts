// From a response, a web stream or an SDK's iterator to a loop over events.

import { isBytes } from "../core/input.js";
import { optionsOf } from "../core/options.js";
import { NOTHING, SourceLoop, type Loop, type Reading } from "../loops/loop.js";
import { chunksOf, type Source } from "../loops/source.js";
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
 * Yields all events of a source. If the source fails, whatever was open is reported as truncated before the error is thrown.
 *
 * @param source A response, a stream or an iterable: strings and bytes are of a body, objects are events of an SDK.
 * @param provider The provider, or `auto`, which detects it.
 * @param patterns What is selected in the arguments of each call; nothing by default.
 * @param options Those of `ProviderStream`, and `signal`.
 * @example
 * ```ts
 * for await (const event of providerEvents(await fetch(url, request), "openai-chat", "city")) { … }
 * ```
 */
export function providerEvents(
  source: EventSource,
  provider: Provider | "auto",
  patterns: string | readonly string[] = [],
  options: ProviderEventsOptions = {},
): Loop<StreamEvent> {
  const begin = (): Reading<string | Uint8Array | object, StreamEvent> => {
    const { signal: _, ...own } = optionsOf(options);
    const stream = new ProviderStream(provider, patterns, own);
    return {
      items: NOTHING,
      read(chunk) {
        this.items = typeof chunk === "string" || isBytes(chunk) ? stream.feed(chunk) : stream.push(chunk);
      },
      finish() {
        this.items = stream.finish();
      },
      fail() {
        this.items = stream.finish("error");
      },
      dispose: () => stream.dispose(),
    };
  };
  return new SourceLoop(() => chunksOf(source as Source), begin, options?.signal);
}
