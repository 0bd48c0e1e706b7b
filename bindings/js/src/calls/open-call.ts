// One open call: its names, its input so far, and the reasons why it can't be complete.

import { selectingWith } from "../core/selecting-text.js";
import { Characters, utf8Length, within } from "../core/utf8.js";
import { payloadAtEnd, type Ending } from "./ending.js";
import type { CallErrorEvent, CallEvent, CallStartEvent, Executor } from "./event.js";
import { CallText, type MatchReport } from "./call-text.js";
import type { CallSettings } from "./options.js";
import { areSpeltAlike, restOf } from "./rest.js";

/** The start of a call: any of its name, its id and its input, and the kind of that. */
export interface CallStart {
  /** The tool's name. */
  readonly name?: string | null | undefined;
  /** The provider's id, with which the result is sent back. */
  readonly id?: string | null | undefined;
  /** Input that comes along with the start. It is used only if there are no deltas. */
  readonly input?: string | null | undefined;
  /** True if the input is not JSON by nature: a patch, a query, code. */
  readonly raw?: boolean;
  /** The party that executes it: the client, unless said otherwise. */
  readonly executed?: Executor;
}

/** Returns true for a text that some servers send for no input. */
const isStandIn = (input: string): boolean => /^\{[ \t\n\f\r]*\}[ \t\n\f\r]*$/.test(input);

/** Reasons for which a call can't be complete, whatever else comes. */
const BEYOND_REPAIR: readonly (string | undefined)[] = ["limit", "mismatch"];

export class OpenCall {
  readonly number: number;
  readonly choice: number;
  id: string;
  name: string;
  isStopped = false;
  /** The input so far. */
  input: CallText | undefined;
  readonly #executed: Executor;
  readonly #isText: boolean;
  readonly #settings: CallSettings;
  readonly #report: (event: CallEvent) => void;
  readonly #reportMatch: MatchReport = (event) => this.#report(Object.assign(event, { call: this.number }));
  #isReported = false;
  #leftOut: string | undefined;
  #startInput = "";
  /** Bytes of the input. */
  #length = 0;
  #isFull = false;
  /** Holds the first half of a surrogate pair, which counts and is read with the other one. */
  readonly #characters = new Characters();
  /** The length of the last delta of those that each began with the one before, and how many were longer than it. */
  #chain: { readonly last: number; readonly count: number } | undefined = { last: 0, count: 0 };

  constructor(
    number: number,
    choice: number,
    { id, name, raw, executed }: CallStart,
    settings: CallSettings,
    report: (event: CallEvent) => void,
  ) {
    this.number = number;
    this.choice = choice;
    this.id = id ?? "";
    this.name = name ?? "";
    this.#isText = raw === true;
    this.#executed = executed ?? "client";
    this.#settings = settings;
    this.#report = report;
  }

  /** Returns the event with which the call is reported. */
  get started(): CallStartEvent {
    const { number: call, choice } = this;
    return { kind: "call", call, ...this.#names, choice, executed: this.#executed };
  }

  get #names(): { readonly id?: string; readonly name?: string } {
    const { id, name } = this;
    return { ...(id !== "" && { id }), ...(name !== "" && { name }) };
  }

  reportStart(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#report(this.started);
  }

  isCalledOtherwise(name: string): boolean {
    return name !== "" && this.name !== "" && this.name !== name;
  }

  /** Takes up an id and a name, where there was none. */
  identify(id: string, name: string): void {
    if (this.isCalledOtherwise(name)) this.#contradict(name);
    this.id ||= id;
    this.name ||= name;
  }

  keepStartInput(input: string): void {
    // One character more than the limit, so that reading it reports the limit.
    if (!isStandIn(input)) this.#startInput = input.slice(0, within(input, this.#settings.inputBytes + 4));
  }

  repeatStartInput(input: string): void {
    const known = this.#startInput;
    if (known === "" || input === "" || isStandIn(input)) return;
    if (!input.startsWith(known) && !areSpeltAlike(known, input)) this.#contradict(input);
  }

  leaveOut(reason: string): void {
    this.#leftOut ??= reason;
  }

  /** Reports once if the first deltas look as if each had all of the input so far. */
  watchDelta(delta: string): void {
    if (this.#chain === undefined) return;
    const { last, count: before } = this.#chain;
    const soFar = this.input?.raw ?? "";
    const isNext = last > 0 ? delta.startsWith(soFar.length < last ? "" : soFar.slice(-last)) : soFar === "";
    const isChain = !this.#isFull && isNext;
    const count = before + (last > 0 && delta.length > last ? 1 : 0);
    this.#chain = isChain && count < 2 ? { last: delta.length, count } : undefined;
    if (isChain && count === 2) this.#report({ kind: "warning", call: this.number, type: "cumulative" });
  }

  append(piece: string): void {
    this.reportStart();
    if (this.#isFull) return;
    this.input ??= this.#newText(this.name);
    this.#appendWhole(this.#characters.take(piece));
  }

  /** Appends half a pair that nothing completes. */
  #endHalf(): void {
    const half = this.#characters.held as string;
    this.#characters.held = "";
    if (half !== "") this.#appendWhole(half);
  }

  #appendWhole(text: string): void {
    const end = within(text, this.#settings.inputBytes - this.#length);
    if (end > 0) {
      const piece = text.slice(0, end);
      this.input!.append(piece, this.#reportMatch);
      this.#length += utf8Length(piece);
      // After a whole value, nothing but a number's next digit makes it another one.
      if (/[^ \t\n\f\r]/.test(piece)) this.#forgetRepetition();
    }
    if (end === text.length) return;
    this.#isFull = true;
    this.#characters.held = "";
    const isNew = this.#leftOut !== "limit";
    this.#leftOut = "limit";
    if (isNew) this.#reportError("input-limit");
  }

  /** Creates the text of the input, with the patterns of the tool. */
  #newText(name: string): CallText {
    const { parsing, automata, automaton } = this.#settings;
    return new CallText(this.#isText ? undefined : selectingWith(parsing, automata.get(name) ?? automaton));
  }

  #forgetRepetition(): void {
    const { repetition } = this.input!;
    this.input!.repetition = undefined;
    if (repetition !== undefined && Math.floor(this.#length / 8) > utf8Length(repetition) + 128) this.#contradict(repetition);
  }

  /** Appends the new part of a text that repeats all of the input so far. */
  appendToAll(text: string): void {
    const news = this.input === undefined ? text : this.input.news(text);
    this.#characters.held = "";
    if (news === undefined) {
      // The part beyond the limit is missing.
      if (this.#leftOut === undefined) this.#contradict(text);
    } else if (news !== "") {
      this.append(news);
    }
  }

  /** Takes the whole input: the rest of it, or a repetition. */
  whole(text: string): void {
    if (BEYOND_REPAIR.includes(this.#leftOut)) return;
    this.#endHalf();
    const input = this.input;
    const rest = input === undefined ? text : input.isRepeatedBy(text) ? "" : input.rest(text);
    if (rest === undefined) {
      this.#contradict(text);
      return;
    }
    this.#leftOut = undefined;
    if (rest !== "") this.append(rest);
  }

  #contradict(text: string): void {
    if (BEYOND_REPAIR.includes(this.#leftOut)) return;
    this.#leftOut = "mismatch";
    this.#reportError("mismatch");
    this.#report({ kind: "mismatch", type: "arguments", choice: this.choice, call: this.number, text });
  }

  #reportError(type: CallErrorEvent["type"]): void {
    this.#report({ kind: "call-error", call: this.number, type });
  }

  /** Stops the call. Returns true if the verdict has to wait for the reason. */
  stop(): boolean {
    this.#endHalf();
    this.#takeStartInput();
    const input = this.input;
    if (input === undefined) return true;
    return input.text !== undefined && input.error === undefined && !input.hasWholeValue;
  }

  #takeStartInput(): void {
    const start = this.#startInput;
    this.#startInput = "";
    if (start === "") return;
    const input = this.input;
    if (input === undefined) {
      this.append(start);
      return;
    }
    // Servers have many words for nothing.
    const isBeginning = start === "[]" || start === '""' || restOf(start, input.raw) !== undefined;
    if (!isBeginning && !input.isRepeatedBy(start)) this.#contradict(start);
  }

  /** Reports the verdict. */
  end(ending: Ending): void {
    this.reportStart();
    // The input of the start may be only a part of the whole input.
    const isUnconfirmed = !ending.isAnnounced && this.input === undefined && this.#startInput !== "";
    this.#endHalf();
    this.#takeStartInput();
    const payload = payloadAtEnd(this.input, this.#isText, ending, this.#leftOut, isUnconfirmed, this.#reportMatch);
    this.#report({ kind: "input", call: this.number, ...this.#names, executed: this.#executed, ...payload });
  }
}
