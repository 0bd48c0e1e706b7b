// The part of a call's input that has come: the parser that reads it, the raw text, and the comparison with a repetition.

import type { Event } from "../core/events.js";
import { areAlike } from "./payload/alike.js";
import type { Text } from "../core/text.js";
import type { TextError } from "../core/text-error.js";
import { restOf } from "./rest.js";

/** Receives the events of matches. */
export type MatchReport = (event: Event) => void;

export class CallText {
  /** The text as it came. */
  raw = "";
  /** The parser's text; plain text has none. */
  readonly text: Text | undefined;
  /** What is wrong with it: the first error, be it one that the parser goes on past. */
  error: TextError | undefined;
  /** The shortest text of the same value that has come. */
  #shortest: string | undefined;

  constructor(text: Text | undefined) {
    this.text = text;
  }

  /** Returns true if the value has closed, and nothing follows it that is no white space. */
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

  /** The end of the text. */
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

  /** What is new in a text that has all of the input so far. */
  news(text: string): string | undefined {
    return text.startsWith(this.raw) ? text.slice(this.raw.length) : undefined;
  }

  /** What a repetition of the whole input says beyond what has come. */
  rest(whole: string): string | undefined {
    if (this.error !== undefined) return undefined;
    // What follows a text that deviates is only known if it is repeated as it came.
    const isStrict = this.text?.isStrict === true;
    return isStrict ? restOf(this.raw, whole) : this.news(whole);
  }

  /** Returns true if a text is the same input. */
  isRepeatedBy(text: string): boolean {
    if (this.raw === text) return true;
    if (this.text === undefined) return false;
    if (this.#shortest === undefined && this.error !== undefined) return false;
    const isSame = areAlike(this.#shortest ?? this.#parsed(), text);
    if (isSame && !(this.#shortest !== undefined && this.#shortest.length <= text.length)) this.#shortest = text;
    return isSame;
  }

  /** The shortest repetition so far, which is not what has come. */
  get repetition(): string | undefined {
    return this.#shortest;
  }

  set repetition(text: string | undefined) {
    this.#shortest = text;
  }

  /** The text that the parser has read: of one that deviates, the strict JSON that it stands for. */
  #parsed(): string {
    const { engine, input } = this.text!;
    return engine.kept!.whole() + (input.translator?.undecided ?? "");
  }
}
