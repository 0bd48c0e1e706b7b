// A call's input so far: the parser that reads it, the raw text, and the comparison with a repetition.

import type { Event } from "../core/events.js";
import { areAlike } from "./payload/alike.js";
import type { Text } from "../core/text.js";
import type { TextError } from "../core/text-error.js";
import { restOf } from "./rest.js";

/** Receives the events of matches. */
export type MatchReport = (event: Event) => void;

export class CallText {
  /** The raw text. */
  raw = "";
  /** The first error, even if the parser continues after it. */
  error: TextError | undefined;
  /** The shortest repetition of the same value so far. */
  repetition: string | undefined;

  /** @param text - the parser's text; plain text has none */
  constructor(readonly text: Text | undefined) {}

  /** Returns true if the value has closed, and only white space follows it. */
  get hasWholeValue(): boolean {
    return this.text?.hasRootEnded === true && this.text.error === undefined;
  }

  append(piece: string, report: MatchReport): void {
    this.raw += piece;
    const { text } = this;
    if (text === undefined) return;
    if (text.isOpen) this.#reporting(text, () => void text.read(piece), report);
    this.error ??= text.error;
  }

  /** Ends the text. */
  finish(report: MatchReport): void {
    const { text } = this;
    if (text === undefined || this.error !== undefined) return;
    this.#reporting(text, () => void text.end(), report);
    this.error = text.error;
  }

  #reporting(text: Text, read: () => void, report: MatchReport): void {
    const { output } = text;
    output.events = [];
    read();
    for (const event of output.events) report(event);
  }

  /** Returns the new part of a text that repeats all of the input so far; `undefined` if it does not. */
  news(text: string): string | undefined {
    return text.startsWith(this.raw) ? text.slice(this.raw.length) : undefined;
  }

  /** Returns the part of a whole input after the input so far; `undefined` if it contradicts it. */
  rest(whole: string): string | undefined {
    if (this.error !== undefined) return undefined;
    // The rest after a text that deviates is only known if that is repeated exactly.
    const isStrict = this.text?.isStrict === true;
    return isStrict ? restOf(this.raw, whole) : this.news(whole);
  }

  /** Returns true if a text is the same input. */
  isRepeatedBy(text: string): boolean {
    if (this.raw === text) return true;
    if (this.text === undefined) return false;
    const { repetition } = this;
    if (repetition === undefined && this.error !== undefined) return false;
    const isSame = areAlike(repetition ?? this.#parsed(), text);
    if (isSame && !(repetition !== undefined && repetition.length <= text.length)) this.repetition = text;
    return isSame;
  }

  /** Returns the text that the parser has read, as strict JSON. */
  #parsed(): string {
    const { engine, input } = this.text!;
    return engine.kept!.whole() + (input.translator?.undecided ?? "");
  }
}
