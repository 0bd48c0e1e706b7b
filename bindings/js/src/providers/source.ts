// From a response, a web stream or an SDK's iterator to a loop over events.

import { isBytes } from "../core/input.js";
import { optionsOf } from "../core/options.js";
import { SourceLoop, type Loop, type Reading } from "../loops/loop.js";
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
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields all events of a source. If the source fails, whatever was open is reported as truncated before the error is thrown. A
 * stream that was cut throws nothing: an open call ends as `truncated`, and an answer with the event `incomplete`. If nothing was
 * recognized, the only event is `bad-frame`. To ask at the end whether the stream is whole, use {@link ProviderStream}.
 *
 * @param source - a response, its body, or the events of an SDK. Strings and bytes are of a body, objects are events.
 * @param provider - `auto` detects it from the first event that only one provider sends
 * @param patterns - those for the arguments of every tool that has none of its own in the option `tools`
 *
 * @example
 * ```ts
 * import { providerEvents } from "jsonspigot/providers";
 *
 * for await (const event of providerEvents(await fetch(url), "auto", "city")) {
 *   if (event.kind === "delta") console.log(event.path, event.text); // "city" "Köln"
 *   if (event.kind === "input") console.log(event.name, event.status); // "plan" "complete"
 * }
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
      read: (chunk) => (typeof chunk === "string" || isBytes(chunk) ? stream.feed(chunk) : stream.push(chunk)),
      finish: () => stream.finish(),
      fail: () => stream.finish("error"),
      dispose: () => stream.dispose(),
    };
  };
  return new SourceLoop(() => chunksOf(source as Source), begin, options?.signal);
}
