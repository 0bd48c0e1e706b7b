// Gemini's `generateContent` streams. Calls come whole, or as values by path.

import type { Executor } from "../calls/event.js";
import { Answers } from "./answers.js";
import { hasMember, indexOf, isTrue, jsonOf, listOf, membersOf, textOf, unreadable, type Members } from "./members.js";
import { ValueWriter } from "./value-writer.js";
import { eventsOf, WireStream, type WireEvents } from "./wire-stream.js";

export type * from "./exports.js";

/** The call of an answer whose values come by path. */
interface Open {
  readonly slot: readonly [choice: number, index: number];
  readonly id: string;
  readonly values: ValueWriter;
  /** True if the call has announced more. */
  goesOn: boolean;
}

/** A stream of Gemini's `generateContent`, one event at a time. */
export class GeminiStream<E extends object | string = object | string> extends WireStream<E> {
  readonly #answers = new Answers(this.emit);
  /** The open call of each answer. */
  readonly #open = new Map<number, Open>();
  /** The ids of the message's calls. */
  readonly #ids = new Set<string>();
  #count = 0;

  /** @internal */
  protected override end(): void {
    for (const choice of this.#open.keys()) this.#close(choice);
    this.#answers.endAll();
  }

  /** @internal */
  protected override read(event: Members): void {
    const emit = this.emit;
    // Live and Interactions have other events.
    if (hasMember(event, /^(type|event_type|serverContent|toolCall\w*)$/)) unreadable();
    emit.passOver(event);
    const { candidates } = event;
    if (candidates === undefined) {
      emit.stop(textOf(membersOf(event.promptFeedback).blockReason));
      return;
    }
    const all = listOf(candidates);
    if (all.length === 0) unreadable();
    if (this.#answers.isAnother(event.responseId)) {
      this.#answers.begin();
      this.#open.clear();
      this.#ids.clear();
    }
    for (const candidate of all) this.#candidate(indexOf(candidate.index ?? 0), candidate);
  }

  #candidate(choice: number, candidate: Members): void {
    const emit = this.emit;
    const { content, finishReason } = candidate;
    const reason = textOf(finishReason);
    const parts = listOf(membersOf(content).parts);
    if (parts.length === 0 && reason === "") unreadable();
    for (const part of parts) this.#part(choice, part);
    if (reason === "" || reason === "FINISH_REASON_UNSPECIFIED") return;
    this.#answers.reasons.set(choice, reason);
    // The rest of a call comes before the reason.
    if (this.#open.get(choice)?.goesOn) emit.leaveOut();
    emit.stop(reason, choice);
  }

  #part(choice: number, part: Members): void {
    const { text, thought, functionCall, executableCode, toolCall } = part;
    if (thought !== true) this.emit.text(textOf(text), choice);
    if (functionCall !== undefined) this.#call(choice, membersOf(functionCall ?? unreadable()));
    // Google executes these itself.
    if (executableCode != null) {
      this.#whole(choice, { name: "code_execution", id: membersOf(executableCode).id, args: executableCode }, "provider");
    }
    if (toolCall != null) {
      const { id, toolType, args } = membersOf(toolCall);
      this.#whole(choice, { name: toolType, id, args }, "provider");
    }
  }

  /** Reads a call, or a piece of one. A name starts a call, and ends the one before. */
  #call(choice: number, call: Members): void {
    const { partialArgs, willContinue, args } = call;
    const emit = this.emit;
    const id = textOf(call.id);
    const values = listOf(partialArgs);
    const goesOn = isTrue(willContinue);
    const isNamed = textOf(call.name) !== "";
    if (isNamed && !goesOn && partialArgs == null) return this.#whole(choice, call, "client");
    let open = this.#open.get(choice);
    if (isNamed) {
      open = { id, values: new ValueWriter(), goesOn, slot: this.#start(choice, call, "client") };
      this.#open.set(choice, open);
    } else if (open === undefined || !open.goesOn) {
      if (hasMember(call, /^/)) unreadable();
      return;
    }
    const isOdd =
      args != null || hasMember(call, /^(?!(id|name|partialArgs|willContinue)$)/) || (partialArgs != null && values.length === 0);
    if (isOdd || (id !== "" && id !== open.id)) emit.leaveOut();
    for (const value of values) emit.tell(emit.calls.delta(open.slot, open.values.write(value)));
    open.goesOn = goesOn;
  }

  #whole(choice: number, call: Members, executed: Executor): void {
    const emit = this.emit;
    // The arguments may be under another name, or those of a call that is open.
    const isOdd = hasMember(call, /^(?!(id|name|args)$)/) || textOf(call.name) === "" || this.#ids.has(textOf(call.id));
    const slot = this.#start(choice, call, executed);
    emit.tell(emit.calls.whole(slot, jsonOf(call.args)));
    if (isOdd) emit.leaveOut();
    emit.tell(emit.calls.stop(slot));
  }

  #start(choice: number, call: Members, executed: Executor): readonly [number, number] {
    const emit = this.emit;
    this.#close(choice);
    const slot = [choice, this.#count++] as const;
    const id = textOf(call.id);
    // Calls may be sent side by side only under their ids, which are not followed here: then what comes next is lost, too.
    if (id !== "" && this.#ids.has(id)) emit.tell(emit.calls.unplaced());
    this.#ids.add(id);
    emit.tell(emit.calls.start(slot, { name: textOf(call.name), id, executed }));
    return slot;
  }

  /** Ends the open call of an answer. Its values say nothing of their end: they are whole if the call was not cut. */
  #close(choice: number): void {
    const open = this.#open.get(choice);
    if (open === undefined) return;
    const { calls } = this.emit;
    this.#open.delete(choice);
    // A call that has announced more, and ends without it, is not whole.
    if (open.goesOn) return this.emit.leaveOut();
    if (this.#answers.isRegular(choice)) this.emit.tell(calls.delta(open.slot, open.values.end()));
    this.emit.tell(calls.stop(open.slot));
  }
}

/**
 * Yields the events of a stream of Gemini's `generateContent`.
 * See {@link WireEvents}.
 *
 * @example
 * ```ts
 * import { geminiEvents } from "jsonspigot/gemini";
 *
 * for await (const event of geminiEvents(await ai.models.generateContentStream(request), "city")) {
 *   if (event.kind === "input" && event.status === "complete") console.log(event.name, event.value); // "plan" {"city":"Köln"}
 * }
 * ```
 */
export const geminiEvents: WireEvents = (source, patterns, options) => eventsOf(source, new GeminiStream(patterns, options));
