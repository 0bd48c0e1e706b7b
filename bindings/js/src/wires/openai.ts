// OpenAI: chat completions and Responses.

import { ChatReader } from "./chat.js";
import type { ToolCallsOptions } from "../calls/options.js";
import type { Emitter } from "./emitter.js";
import type { WireEvent } from "./event.js";
import { ResponsesReader } from "./responses.js";
import { eventsOf, WireStream, type WireReader, type WireSource } from "./wire-stream.js";

export type * from "./exports.js";

/** A stream of OpenAI's chat completions, one event at a time. */
export class ChatStream<E extends object | string = object | string> extends WireStream<E> {
  protected newReader(emitter: Emitter): WireReader {
    return new ChatReader(emitter);
  }
}

/** A stream of OpenAI's Responses, one event at a time. */
export class ResponsesStream<E extends object | string = object | string> extends WireStream<E> {
  protected newReader(emitter: Emitter): WireReader {
    return new ResponsesReader(emitter);
  }
}

/**
 * Yields the events of a stream of OpenAI's chat completions.
 *
 * The events are those of `ToolCalls`, `text` and `stop`. Before these, each event of the provider is yielded unchanged, as
 * `provider-event`: it has the reasoning, the usage and the errors. On a stream that departs from the provider's own protocol, a call is `truncated`, with the reason
 * `unknown-part` or `unplaced`, and never wrongly `complete`: for other servers there is `jsonspigot/providers`. To stop the
 * loop, stop the SDK's stream.
 *
 * @param source - the SDK's stream, or the JSON texts that follow `data:`
 * @param patterns - those for the arguments of every tool that has none of its own in the option `tools`
 *
 * @example
 * ```ts
 * import { chatEvents } from "jsonspigot/openai";
 *
 * const stream = await client.chat.completions.create({ ...request, stream: true });
 * for await (const event of chatEvents(stream, "city")) {
 *   if (event.kind === "delta") console.log(event.text); // "Kö", then "ln"
 *   if (event.kind === "input" && event.status === "complete") console.log(event.name, event.value); // "plan" {"city":"Köln"}
 *   if (event.kind === "stop") console.log(event.reason); // "tool_calls"
 * }
 * ```
 */
export function chatEvents<E extends object | string>(
  source: WireSource<E>,
  patterns: string | readonly string[] = [],
  options: ToolCallsOptions = {},
): AsyncGenerator<WireEvent<E>, void, undefined> {
  return eventsOf(source, new ChatStream<E>(patterns, options));
}

/**
 * Yields the events of a stream of OpenAI's Responses.
 *
 * The events are those of `ToolCalls`, `text` and `stop`. Before these, each event of the provider is yielded unchanged, as
 * `provider-event`: it has the reasoning, the usage and the errors. On a stream that departs from the provider's own protocol, a call is `truncated`, with the reason
 * `unknown-part` or `unplaced`, and never wrongly `complete`: for other servers there is `jsonspigot/providers`. To stop the
 * loop, stop the SDK's stream.
 *
 * @param source - the SDK's stream, or the JSON texts that follow `data:`
 * @param patterns - those for the arguments of every tool that has none of its own in the option `tools`
 *
 * @example
 * ```ts
 * import { responsesEvents } from "jsonspigot/openai";
 *
 * const stream = await client.responses.create({ ...request, stream: true });
 * for await (const event of responsesEvents(stream, "city")) {
 *   if (event.kind === "input" && event.status === "complete") console.log(event.name, event.value); // "plan" {"city":"Köln"}
 * }
 * ```
 */
export function responsesEvents<E extends object | string>(
  source: WireSource<E>,
  patterns: string | readonly string[] = [],
  options: ToolCallsOptions = {},
): AsyncGenerator<WireEvent<E>, void, undefined> {
  return eventsOf(source, new ResponsesStream<E>(patterns, options));
}
