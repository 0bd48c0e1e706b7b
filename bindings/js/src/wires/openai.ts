// OpenAI: chat completions and Responses.

import { ChatReader } from "./chat.js";
import type { Emitter } from "./emitter.js";
import { ResponsesReader } from "./responses.js";
import { eventsOf, WireStream, type WireEvents, type WireReader } from "./wire-stream.js";

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
 * See {@link WireEvents}.
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
export const chatEvents: WireEvents = (source, patterns, options) => eventsOf(source, new ChatStream(patterns, options));

/**
 * Yields the events of a stream of OpenAI's Responses.
 * See {@link WireEvents}.
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
export const responsesEvents: WireEvents = (source, patterns, options) => eventsOf(source, new ResponsesStream(patterns, options));
