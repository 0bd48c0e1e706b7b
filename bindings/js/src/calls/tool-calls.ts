// A stream's tool calls, whatever SDK or reader took it apart: signals in, events out. `jsonspigot/providers` reads the wire
// formats of known providers itself.
//
// A fragment names a slot, and the index knows which call was started there. If no call was started in the slot, or it has
// ended, the fragment is an error, and every open call that it may belong to is *tainted*: it can't be complete any more. A
// call that starts later in the same slot is tainted too. A fragment in the slot of a call that was refused because of a
// limit belongs to no other call, and is dropped.

import type { DeepPartial } from "../core/text-parser.js";
import { within } from "../core/utf8.js";
import type { Json } from "../core/values.js";
import { CallIndex, parseSlot, type ParsedSlot, type Slot } from "./call-index.js";
import { ANNOUNCED, type Ending } from "./ending.js";
import type { CallErrorEvent, CallEvent, CallStartEvent } from "./event.js";
import { OpenCall, type CallStart } from "./open-call.js";
import { callSettings, type CallSettings, type ToolCallsOptions } from "./options.js";

const UNPLACED = "unplaced";

const checked = (text: unknown, what: string): string => {
  if (typeof text !== "string") throw new TypeError(`${what} is a string`);
  return text;
};

/**
 * The tool calls of a stream, each with its own parser, for users of any SDK: `start` a call, feed it by `delta` or `whole`,
 * `stop` it, and `finish` the message with the provider's reason. Calls may be interleaved. An empty text is an absent one,
 * as it is on the wire. A slot is an index, `[choice, index]`, or an id.
 *
 * Every call ends with an event of kind `input`, whose `status` is never a guess: a call that was cut is `truncated`. Pieces that
 * belong to no call, repetitions that contradict what was read, and what exceeds `callLimits` are events too.
 *
 * @example
 * ```ts
 * import { ToolCalls } from "jsonspigot/calls";
 *
 * const calls = new ToolCalls("city");
 * calls.start(0, { name: "get_weather", id: "call_1" });
 * for (const piece of ['{"city": "Kö', 'ln"}']) {
 *   for (const event of calls.delta(0, piece)) {
 *     if (event.kind === "delta") console.log(event.text); // "Kö", then "ln"
 *   }
 * }
 * for (const event of calls.finish("tool_calls")) {
 *   if (event.kind === "input") console.log(event.name, event.status, event.value); // "get_weather" "complete" {"city":"Köln"}
 * }
 * ```
 */
export class ToolCalls {
  readonly #settings: CallSettings;
  readonly #open = new Map<number, OpenCall>();
  #index = new CallIndex();
  #next = 0;
  #events: CallEvent[] = [];

  /**
   * @param patterns - those for every tool that has none of its own in the option `tools`.
   * @throws {PatternError} for a pattern that can't be compiled.
   * @throws {JsonSpigotError} of kind `invalid-option`.
   */
  constructor(patterns: string | readonly string[] = [], options: ToolCallsOptions = {}) {
    this.#settings = callSettings(patterns, options);
  }

  /** Returns the open calls, in the order of their starts. */
  get openCalls(): CallStartEvent[] {
    return [...this.#open.values()].map((call) => call.started);
  }

  /**
   * Returns an open call's arguments so far, with the option `snapshots`; `undefined` before their first value, and if no such
   * call is open.
   */
  snapshot<T = Json>(call: number): DeepPartial<T> | undefined {
    const text = this.#open.get(call)?.input?.text;
    return text?.tree().look(text.engine) as DeepPartial<T> | undefined;
  }

  /**
   * Starts a call. Starting an open slot again with the same id, or with neither id nor name, is a no-op, so you can start and
   * feed with every chunk. Another id starts another call; the first one stays open until the end.
   */
  start(slot: Slot, start: CallStart = {}): CallEvent[] {
    if (typeof start !== "object" || start === null) throw new TypeError("a call starts with an object: its name, its id");
    return this.#reporting(() => this.#start(parseSlot(slot), start));
  }

  /** Appends a piece of a call's input. */
  delta(slot: Slot, text: string): CallEvent[] {
    return this.#feed(slot, text, (call) => {
      if (this.#settings.isCumulative) return call.appendToAll(text);
      call.watchDelta(text);
      call.append(text);
    });
  }

  /** Takes a call's whole input. It is used if there were no deltas, and otherwise compared with them. */
  whole(slot: Slot, text: string): CallEvent[] {
    return this.#feed(slot, text, (call) => call.whole(text), true);
  }

  /**
   * Stops a call. If only a part of a value has arrived, or nothing, the verdict waits for the reason, until the next start
   * or the end of the message.
   */
  stop(slot: Slot): CallEvent[] {
    return this.#reporting(() => {
      const call = this.#openIn(parseSlot(slot));
      if (call === undefined) return;
      if (!call.stop()) {
        this.#end(call, ANNOUNCED);
      } else {
        call.isStopped = true;
      }
    });
  }

  /** Ends the message and all open calls, with the provider's reason if there is one. */
  finish(reason?: string | null): CallEvent[] {
    const ending = announcedBy(reason);
    return this.#reporting(() => this.#endAll(() => ending));
  }

  /** Ends one of several answers and its open calls. */
  finishChoice(choice: number, reason?: string | null): CallEvent[] {
    const ending = announcedBy(reason);
    return this.#reporting(() => this.#endAll((call) => (call.choice === choice ? ending : undefined)));
  }

  /**
   * Ends all open calls of a message that was cut. Calls that are not complete are truncated, for a reason of yours
   * (`end-of-input`, `cancelled`, `timeout`).
   */
  cut(reason: string): CallEvent[] {
    return this.#reporting(() => this.#endAll((call) => cutBy(call, reason)));
  }

  /** Cuts one call while the others continue. Later input for it is an error. A value that is complete stays complete. */
  cutCall(slot: Slot, reason: string): CallEvent[] {
    return this.#reporting(() => {
      const call = this.#openIn(parseSlot(slot));
      if (call !== undefined) this.#end(call, { isAnnounced: false, reason });
    });
  }

  /**
   * Records that a part of the message was lost or could not be read: no open call can be complete, unless its whole input
   * still arrives. Its status is then `truncated`, with this reason.
   */
  leaveOut(reason: string): void {
    for (const call of this.#open.values()) call.leaveOut(reason);
  }

  /**
   * Records a piece of input that may be of any call: no call of the message that is open or starts later can be complete,
   * unless its whole input still arrives.
   */
  unplaced(): CallEvent[] {
    return this.#reporting(() => {
      this.#taint(undefined);
      this.#index.orphanAny();
      this.#error("not-started");
    });
  }

  /** Begins another message. Its slots start again, and calls that are still open end as superseded. */
  beginMessage(): CallEvent[] {
    return this.#reporting(() => {
      this.#endAll((call) => cutBy(call, "superseded"));
      this.#index = this.#index.next();
    });
  }

  #reporting(signal: () => void): CallEvent[] {
    const events: CallEvent[] = (this.#events = []);
    signal();
    return events;
  }

  #fits(name: string): boolean {
    return within(name, this.#settings.nameBytes) === name.length;
  }

  #openIn(slot: ParsedSlot): OpenCall | undefined {
    const number = this.#index.find(slot);
    return number === undefined ? undefined : this.#open.get(number);
  }

  #start(slot: ParsedSlot, start: CallStart): void {
    const id = checked(start.id ?? "", "a call's id");
    const name = checked(start.name ?? "", "a call's name");
    const input = checked(start.input ?? "", "a call's input");
    const number = this.#index.find(slot);
    if (number !== undefined) {
      if (id === "" && name === "") return;
      const call = this.#open.get(number);
      const isAgain = id !== "" && this.#index.findId(slot.choice, id) === number;
      // An id that is repeated with another name is another call.
      if (isAgain && !call?.isCalledOtherwise(name)) {
        if (call === undefined || call.isStopped) {
          this.#error("ended", number);
        } else {
          this.#identify(slot, call, id, name);
          call.repeatStartInput(input);
        }
        return;
      }
    }
    const call = this.#begin(slot, id, name, start);
    call?.keepStartInput(input);
    call?.reportStart();
  }

  #begin(slot: ParsedSlot, id: string, name: string, start: CallStart): OpenCall | undefined {
    // A new call ends those that wait for a reason.
    for (const call of this.#open.values()) if (call.isStopped) this.#end(call, ANNOUNCED);
    const isTooLong = !this.#fits(id) || !this.#fits(name);
    if (isTooLong || this.#open.size >= this.#settings.openCalls) {
      this.#index.refuse(slot, id, (key) => this.#fits(key));
      this.#error(isTooLong ? "name-limit" : "open-calls-limit");
      return undefined;
    }
    const number = this.#next++;
    const call = new OpenCall(number, slot.choice, start, this.#settings, (event) => this.#events.push(event));
    if (this.#index.takeOrphan(slot, id)) call.leaveOut(UNPLACED);
    this.#open.set(number, call);
    this.#index.bind(slot, id, number);
    return call;
  }

  #identify(slot: ParsedSlot, call: OpenCall, id: string, name: string): void {
    if (!this.#fits(id) || !this.#fits(name)) {
      this.#error("name-limit", call.number);
      return;
    }
    call.identify(id, name);
    this.#index.bind(slot, id, call.number);
  }

  #feed(slot: Slot, text: string, feed: (call: OpenCall) => void, isWhole = false): CallEvent[] {
    return this.#reporting(() => {
      const parsed = parseSlot(slot);
      if (checked(text, "a piece of a call's input") === "") return;
      const number = this.#index.find(parsed);
      if (number === undefined) {
        this.#unplaced(parsed);
        return;
      }
      const call = this.#open.get(number);
      if (call !== undefined && (isWhole || !call.isStopped)) {
        feed(call);
        return;
      }
      this.#taint(this.#index.choiceOf(number));
      this.#error("ended", number);
    });
  }

  #unplaced(slot: ParsedSlot): void {
    if (!this.#index.wasRefused(slot)) {
      this.#taint(this.#index.hasChoice(slot.choice) ? slot.choice : undefined);
      this.#index.orphan(slot, (key) => this.#fits(key));
    }
    this.#error("not-started");
  }

  /** Taints the open calls, all or those of an answer. */
  #taint(choice: number | undefined): void {
    for (const call of this.#open.values()) if (choice === undefined || call.choice === choice) call.leaveOut(UNPLACED);
  }

  #error(type: CallErrorEvent["type"], call?: number): void {
    this.#events.push(call === undefined ? { kind: "call-error", type } : { kind: "call-error", call, type });
  }

  #endAll(ending: (call: OpenCall) => Ending | undefined): void {
    for (const call of [...this.#open.values()]) {
      const how = ending(call);
      if (how !== undefined) this.#end(call, how);
    }
  }

  #end(call: OpenCall, ending: Ending): void {
    const { number } = call;
    this.#open.delete(number);
    this.#index.end(number, this.#settings.openCalls);
    call.end(ending);
  }
}

const announcedBy = (reason: string | null | undefined): Ending => ({
  isAnnounced: true,
  reason: reason == null ? undefined : checked(reason, "a reason"),
});

/** Returns how a cut ends a call. A call that was stopped has ended already. */
const cutBy = (call: OpenCall, reason: string): Ending => (call.isStopped ? ANNOUNCED : { isAnnounced: false, reason });
