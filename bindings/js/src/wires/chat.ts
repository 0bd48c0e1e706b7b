// OpenAI's chat completions: calls by the answer's and the call's index.

import { Answers } from "./answers.js";
import { hasMember, indexOf, listOf, membersOf, textOf, unreadable, type Members } from "./members.js";
import { eventsOf, WireStream, type WireEvents } from "./wire-stream.js";

/** The data of the first entry of a call. */
interface Known {
  readonly id: string;
  readonly name: string;
  readonly isRaw: boolean;
}

/** A stream of OpenAI's chat completions, one event at a time. */
export class ChatStream<E extends object | string = object | string> extends WireStream<E> {
  /** The calls of each answer, by their indices. */
  readonly #calls = new Map<number, Map<number, Known>>();
  readonly #answers = new Answers(this.emit);

  /** @internal */
  protected override end(): void {
    this.#answers.endAll();
  }

  /** @internal */
  protected override read(event: Members): void {
    this.emit.passOver(event);
    const choices = listOf(event.choices);
    // Every chunk has a list of choices: this is something else, such as an error.
    if (event.choices == null) this.emit.leaveOut();
    if (choices.length > 0 && this.#answers.isAnother(event.id)) {
      this.#answers.begin();
      this.#calls.clear();
    }
    for (const choice of choices) this.#choice(indexOf(choice.index ?? 0), choice);
  }

  #choice(index: number, choice: Members): void {
    const delta = membersOf(choice.delta);
    const { content = choice.text, tool_calls, function_call } = delta;
    if (typeof content === "string") this.emit.text(textOf(content), index);
    else if (content != null) this.emit.leaveOut();
    for (const entry of listOf(tool_calls)) this.#entry(index, entry, true);
    // The older form has at most one call and no id.
    if (function_call != null) this.#entry(index, tool_calls == null ? { index: 0, function: function_call } : unreadable(), false);
    // A message beside the deltas repeats the calls, or contradicts them.
    const message = membersOf(choice.message);
    if (message.tool_calls ?? message.function_call) this.emit.leaveOut();
    this.#stop(index, choice);
  }

  /** Reads a call, or a piece of one. */
  #entry(choice: number, entry: Members, hasId: boolean): void {
    const emit = this.emit;
    const { custom } = entry;
    const isRaw = custom != null;
    const called = membersOf(isRaw ? custom : entry.function);
    const [id, name, input] = [textOf(entry.id), textOf(called.name), textOf(called[isRaw ? "input" : "arguments"])];
    const index = indexOf(entry.index);
    const isKnownType = ["", "function", "custom"].includes(textOf(entry.type));
    const isOdd = (isRaw && entry.function != null) || hasMember(called, /^(?!(name|arguments|input)$)/);
    if (!isKnownType || isOdd || (id + name + input === "" && hasMember(entry, UNKNOWN))) unreadable();
    if (id + name + input === "") return;
    // An entry after the reason may be a piece of any call.
    if (this.#answers.reasons.has(choice)) unreadable();
    let calls = this.#calls.get(choice);
    if (calls === undefined) this.#calls.set(choice, (calls = new Map()));
    const known = calls.get(index);
    const isAnother = known !== undefined && ((id !== "" && id !== known.id) || (name !== "" && name !== known.name));
    if ((known === undefined && id + name !== "") || isAnother) {
      calls.set(index, { id, name, isRaw });
      emit.tell(emit.calls.start([choice, index], { id, name, raw: isRaw }));
    }
    // Servers that give several calls one index, or send a call's id and name late or in pieces, leave it open whose the pieces are.
    const isUnnamed = known === undefined && (name === "" || (hasId && id === ""));
    if (isAnother || isUnnamed || (known && input !== "" && known.isRaw !== isRaw)) emit.leaveOut();
    emit.tell(emit.calls.delta([choice, index], input));
  }

  #stop(index: number, choice: Members): void {
    const emit = this.emit;
    const reason = textOf(choice.finish_reason);
    if (reason === "") {
      // Some servers have another name for it.
      if (hasMember(choice, /^(native_finish|stop)_reason$/)) emit.leaveOut();
      return;
    }
    // After the first reason, no call gets a piece.
    const isFirst = !this.#answers.reasons.has(index);
    // A gateway may send `tool_calls` where its provider has cut the answer.
    this.#answers.reasons.set(index, reason);
    const native = textOf(choice.native_finish_reason);
    if (native !== "" && this.#answers.isRegular(index)) this.#answers.reasons.set(index, native);
    if (this.#answers.isRegular(index)) {
      // Some servers send the last piece after the reason: only calls that are whole end now.
      for (const [call, { isRaw }] of (isFirst && this.#calls.get(index)) || []) if (!isRaw) emit.tell(emit.calls.stop([index, call]));
    } else {
      this.#answers.end(index);
    }
    emit.stop(reason, index);
  }
}

/** Members of an entry that may be pieces of its call. */
const UNKNOWN = /^(?!(index|id|type|function|custom|extra_content)$)/;

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
