// The AI SDK: the parts of `fullStream`, and the chunks of the UI message stream that it makes of them. Both have calls by
// id, and repeat the whole input at the end.

import { isObject, jsonOf, pieceOf, textOf, unreadable, type Members } from "./members.js";
import { eventsOf, WireStream, type WireEvents } from "./wire-stream.js";

export type * from "./exports.js";

/** A call that has started. */
interface Known {
  readonly name: string;
  text: string;
  isOpen: boolean;
}

/** A stream of the AI SDK's parts or UI message chunks, one at a time. */
export class AiSdkStream<E extends object | string = object | string> extends WireStream<E> {
  readonly #calls = new Map<string, Known>();
  /** True between the start of a message and its end. */
  #isOpen = false;
  /** True if an event of the message could not be read, whatever others repeat. */
  #hasLost = false;

  /** @internal */
  protected override lose(): void {
    this.emit.leaveOut();
    this.#hasLost = true;
    this.#isOpen = true;
  }

  /** @internal */
  protected override read(event: Members): void {
    const emit = this.emit;
    const { type, input } = event;
    const id = textOf(event.toolCallId ?? event.id);
    switch (type) {
      case "start":
        // Merged streams may have a start each.
        if (textOf(event.messageId) === "" && this.#isOpen) return;
        emit.begin();
        this.#calls.clear();
        this.#hasLost = false;
        break;
      case "text-delta":
        emit.text(pieceOf(event.delta ?? event.text));
        break;
      case "tool-input-start":
        this.#start(id, input == null ? event : unreadable());
        break;
      case "tool-input-delta":
        this.#piece(id, pieceOf(event.inputTextDelta ?? event.delta));
        break;
      case "tool-call":
      case "tool-input-available":
      case "tool-input-error":
        // Input that is no JSON is sent as a string.
        this.#end(id, event, type === "tool-input-error" && typeof input === "string" ? textOf(input) : jsonOf(input));
        break;
      case "finish":
        this.#stop(textOf(event.finishReason));
        return;
      case "abort":
        this.#stop("abort");
        return;
      case "error":
        this.#isOpen = false;
        return;
      default:
        // A call that has a result has had its end.
        if (RESULT.test(textOf(type)) && this.#calls.get(id)?.isOpen) this.lose();
        if (id === "" || !OTHERS.test(textOf(type))) emit.passOver(event);
        return;
    }
    this.#isOpen = true;
  }

  #start(id: string, event: Members): Known {
    const { providerExecuted } = event;
    const name = textOf(event.toolName);
    if (id === "") unreadable();
    const known = this.#calls.get(id);
    if (known !== undefined && (name === "" || name === known.name)) return known;
    const call = { name, text: "", isOpen: true };
    this.#calls.set(id, call);
    this.emit.tell(this.emit.calls.start(id, { id, name, executed: providerExecuted === true ? "provider" : "client" }));
    if (name === "") this.emit.leaveOut();
    return call;
  }

  #piece(id: string, text: string): void {
    if (id === "") unreadable();
    const known = this.#calls.get(id);
    if (known) known.text += text;
    this.emit.tell(this.emit.calls.delta(id, text));
  }

  /** Ends a call with its whole input, which the tool's schema may have changed. */
  #end(id: string, event: Members, input: string): void {
    const { calls } = this.emit;
    const known = this.#calls.get(id) ?? this.#start(id, event);
    // Without an input it may still come.
    if (!known.isOpen || known.text + input === "") return;
    known.isOpen = false;
    if (event.type === "tool-input-error" || !isValidated(valueOf(known.text), event.input)) {
      this.emit.tell(calls.whole(id, input));
    }
    if (this.#hasLost || known.name === "" || known.name !== textOf(event.toolName)) this.emit.leaveOut();
    this.emit.tell(calls.stop(id));
  }

  #stop(reason: string): void {
    this.emit.end(reason);
    this.emit.stop(reason);
    this.#isOpen = false;
  }
}

const RESULT = /^tool-(output|result|error)/;
/** Other parts that name a call, or have a delta. */
const OTHERS = /^(reasoning-delta|tool-(output|result|error|approval)[-\w]*)$/;

/** Returns the value of a JSON text; `undefined` if it is invalid. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns true if a value may be what validation with a schema has made of an input: it adds default members and removes
 * unknown ones. Whole numbers beyond 2^53 have lost digits.
 */
function isValidated(input: unknown, value: unknown): boolean {
  if (Array.isArray(input)) {
    return Array.isArray(value) && input.length === value.length && input.every((element, at) => isValidated(element, value[at]));
  }
  if (!isObject(input) || !isObject(value)) return input === value && (!Number.isInteger(input) || Number.isSafeInteger(input));
  const names = Object.keys(input);
  const shared = names.filter((name) => Object.hasOwn(value, name));
  const mayBe = shared.length > 0 || names.length === 0 || Object.keys(value).length === 0;
  return mayBe && shared.every((name) => isValidated(input[name], value[name]));
}

/**
 * Yields the events of an AI SDK stream: the parts of `fullStream`, or the chunks of a UI message stream.
 * See {@link WireEvents}.
 *
 * @example
 * ```ts
 * import { aiSdkEvents } from "jsonspigot/ai-sdk";
 *
 * for await (const event of aiSdkEvents(streamText(request).fullStream, "city")) {
 *   if (event.kind === "input" && event.status === "complete") console.log(event.name, event.value); // "plan" {"city":"Köln"}
 * }
 * ```
 */
export const aiSdkEvents: WireEvents = (source, patterns, options) => eventsOf(source, new AiSdkStream(patterns, options));
