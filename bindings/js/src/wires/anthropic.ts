// Anthropic Messages: blocks by index, between a `message_start` and a `message_stop`.

import { indexOf, isObject, jsonOf, listOf, membersOf, pieceOf, textOf, unreadable, type Members } from "./members.js";
import { eventsOf, WireStream, type WireEvents } from "./wire-stream.js";

export type * from "./exports.js";

/** A stream of Anthropic's Messages API, one event at a time. */
export class AnthropicStream<E extends object | string = object | string> extends WireStream<E> {
  /** The indices of the message's calls, by their ids. */
  readonly #indices = new Map<string, number>();
  /** All of them. */
  readonly #calls = new Set<number>();

  /** @internal */
  protected override read(event: Members): void {
    const emit = this.emit;
    switch (event.type) {
      case "message_start":
        this.#message(membersOf(event.message ?? unreadable()));
        break;
      // A whole answer in place of a stream.
      case "message":
        this.#message(event);
        emit.end();
        break;
      case "content_block_start":
        this.#start(indexOf(event.index), membersOf(event.content_block));
        break;
      case "content_block_delta":
        this.#piece(event, membersOf(event.delta));
        break;
      case "content_block_stop":
        emit.tell(emit.calls.stop(indexOf(event.index)));
        break;
      case "message_delta":
        this.#stop(membersOf(event.delta));
        break;
      case "message_stop":
        emit.end();
        break;
      default:
        emit.passOver(event);
    }
  }

  #message(message: Members): void {
    const emit = this.emit;
    emit.begin();
    this.#indices.clear();
    this.#calls.clear();
    listOf(message.content).forEach((block, index) => {
      this.#start(index, block);
      emit.tell(emit.calls.stop(index));
    });
    this.#stop(message);
  }

  /** Reads the start of a block. Any block with an id, a name and an input is a call. */
  #start(index: number, block: Members): void {
    const { calls } = this.emit;
    const { type, input } = block;
    const [kind, id, name] = [textOf(type), textOf(block.id), textOf(block.name)];
    if (kind === "text") this.emit.text(textOf(block.text));
    // A call that has a result gets no more input.
    const ended = this.#indices.get(textOf(block.tool_use_id));
    if (ended !== undefined) this.emit.tell(calls.stop(ended));
    if (id === "" || name === "" || !(kind.endsWith("tool_use") || input != null)) return this.#other(index);
    this.#indices.set(id, index);
    this.#calls.add(index);
    const isNothing = Array.isArray(input) && input.length === 0;
    const start = { id, name, input: isObject(input) ? jsonOf(input) : isNothing ? "" : textOf(input) };
    // The provider executes `server_tool_use` and `mcp_tool_use`.
    this.emit.tell(calls.start(index, { ...start, executed: kind.endsWith("_tool_use") ? "provider" : "client" }));
  }

  /** Reads what is no part of a call. At the index of one, it contradicts it. */
  #other(index: number): void {
    if (this.#calls.has(index)) this.emit.leaveOut();
  }

  #piece(event: Members, delta: Members): void {
    const emit = this.emit;
    const index = indexOf(event.index);
    if (delta.type !== "input_json_delta") this.#other(index);
    switch (delta.type) {
      case "input_json_delta":
        emit.tell(emit.calls.delta(index, pieceOf(delta.partial_json)));
        break;
      case "text_delta":
        emit.text(pieceOf(delta.text));
        break;
      case "thinking_delta":
      case "signature_delta":
      case "citations_delta":
      case "compaction_delta":
        break;
      default:
        if (delta.partial_json == null) emit.leaveOut();
        else unreadable();
    }
  }

  #stop({ stop_reason }: Members): void {
    const reason = textOf(stop_reason);
    if (reason === "") return;
    this.emit.end(reason);
    this.emit.stop(reason);
  }
}

/**
 * Yields the events of a stream of Anthropic's Messages API.
 * See {@link WireEvents}.
 *
 * @example
 * ```ts
 * import { anthropicEvents } from "jsonspigot/anthropic";
 *
 * for await (const event of anthropicEvents(client.messages.stream(request), "city")) {
 *   if (event.kind === "input" && event.status === "complete") console.log(event.name, event.value); // "plan" {"city":"Köln"}
 * }
 * ```
 */
export const anthropicEvents: WireEvents = (source, patterns, options) => eventsOf(source, new AnthropicStream(patterns, options));
