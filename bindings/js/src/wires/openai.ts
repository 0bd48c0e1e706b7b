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
 * ```ts
 * const stream = await client.chat.completions.create({ ...request, stream: true });
 * for await (const event of chatEvents(stream, "city")) {
 *   if (event.kind === "input" && event.status === "complete") run(event.name, event.value);
 * }
 * ```
 *
 * @param source The SDK's stream, or the JSON texts that follow `data:`.
 * @param patterns Those for the arguments of every tool that has none of its own in the option `tools`.
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
 * ```ts
 * const stream = await client.responses.create({ ...request, stream: true });
 * for await (const event of responsesEvents(stream, "city")) {
 *   if (event.kind === "input" && event.status === "complete") run(event.name, event.value);
 * }
 * ```
 *
 * @param source The SDK's stream, or the JSON texts that follow `data:`.
 * @param patterns Those for the arguments of every tool that has none of its own in the option `tools`.
 */
export function responsesEvents<E extends object | string>(
  source: WireSource<E>,
  patterns: string | readonly string[] = [],
  options: ToolCallsOptions = {},
): AsyncGenerator<WireEvent<E>, void, undefined> {
  return eventsOf(source, new ResponsesStream<E>(patterns, options));
}
