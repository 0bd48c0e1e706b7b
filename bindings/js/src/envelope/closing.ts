// The search for a closing delimiter in a payload's text, at any cut. It owns what may be the beginning of one, and nothing
// else of the payload.

import type { Delimiter } from "./delimiter.js";

/** The next part of the input. */
export type Found =
  /** The first `length` units are content. */
  | { readonly kind: "content"; readonly length: number }
  /** Held text that is content; the input has not been touched. */
  | { readonly kind: "released"; readonly text: string }
  /** All of it may be a closing delimiter. */
  | { readonly kind: "held" }
  /** The closing delimiter ends after `length` units. */
  | { readonly kind: "closed"; readonly length: number; readonly close: string };

const HELD: Found = { kind: "held" };

export class Closing {
  /** The text that closes; empty if backticks do, or nothing. */
  readonly #literal: string;
  /** The least length of a run of backticks that closes, and the most that belong to it; 0 if no run closes. */
  readonly #least: number;
  readonly #most: number;
  readonly #needsLineStart: boolean;
  /** The possible beginning of a closing delimiter; never a whole literal. */
  #held = "";
  /** True if there are only blanks between the beginning of the line and here. */
  #isLineStart = false;

  /** Prepares the search for the end of a payload that this text has opened. A run of backticks has at most `most` units. */
  constructor({ shape, name, close, content }: Delimiter, opening: string, most: number) {
    const isFence = shape === "fence" || shape === "any-fence";
    this.#literal = shape === "comment" ? "-->" : shape === "tag" ? `</${name}>` : close;
    // A fence that was opened before the text has the usual length.
    this.#least = isFence ? Math.max(3, backticks(opening, 0)) : 0;
    this.#most = Math.max(most, this.#least);
    this.#needsLineStart = content === "raw";
  }

  /** Finds the kind of the input's beginning. The input is not empty. */
  next(input: string): Found {
    const found = this.#held === "" ? this.#search(input) : this.#resume(input);
    if (found.kind === "content") this.#isLineStart = isLineStart(input.slice(0, found.length), this.#isLineStart);
    if (found.kind === "released") this.#isLineStart = false;
    if (found.kind === "held") this.#held += input;
    return found;
  }

  /** Returns the held text, which is content, or a delimiter that was cut off. */
  takeHeld(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }

  /** Returns true if what is held is a whole delimiter, now that nothing follows. */
  get isWhole(): boolean {
    return this.#least > 0 && this.#held.length >= this.#least;
  }

  /** Returns true if two units, of which the second can't be content, begin the delimiter. */
  beginsWith(beginning: string): boolean {
    return beginning.length === 2 && this.#literal.startsWith(beginning);
  }

  /** Takes back the beginning of the delimiter, which had been taken for content. */
  hold(beginning: string): void {
    this.#held += beginning;
  }

  #search(input: string): Found {
    let start = -1;
    if (this.#least > 0) {
      for (let at = input.indexOf("`"); at >= 0; at = input.indexOf("`", at)) {
        const run = backticks(input, at);
        const isPossible = at + run === input.length || run >= this.#least;
        if (isPossible && (!this.#needsLineStart || isLineStart(input.slice(0, at), this.#isLineStart))) {
          if (at === 0 && (run < input.length || run >= this.#most)) return closed(input.slice(0, Math.min(run, this.#most)));
          start = at;
          break;
        }
        at += run;
      }
    } else if (this.#literal !== "") {
      start = input.indexOf(this.#literal);
      if (start === 0) return closed(this.#literal);
      if (start < 0) start = beginningAtEnd(this.#literal, input);
    }
    if (start === 0) return HELD;
    return { kind: "content", length: start > 0 ? start : input.length };
  }

  /** Continues after the held beginning of a delimiter. */
  #resume(input: string): Found {
    const held = this.#held;
    if (this.#least > 0) {
      const more = backticks(input, 0);
      const length = held.length + more;
      if (more === input.length && length < this.#most) return HELD;
      if (length < this.#least) return { kind: "released", text: this.takeHeld() };
      const used = Math.min(more, this.#most - held.length);
      return closed(this.takeHeld() + input.slice(0, used), used);
    }
    const missing = this.#literal.slice(held.length);
    let same = 0;
    while (same < missing.length && missing[same] === input[same]) same++;
    if (same === missing.length) {
      this.#held = "";
      return closed(this.#literal, same);
    }
    if (same === input.length) return HELD;
    // As much as a later beginning of the delimiter leaves; at least one unit of what was held.
    const read = held + missing.slice(0, same);
    const later = beginningAtEnd(this.#literal, read.slice(1));
    const next = Math.min(later < 0 ? read.length : later + 1, held.length);
    this.#held = held.slice(next);
    return { kind: "released", text: held.slice(0, next) };
  }
}

const closed = (close: string, length = close.length): Found => ({ kind: "closed", length, close });

/** Returns the number of backticks from an index on. */
export function backticks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === 96) at++;
  return at - from;
}

/** Returns the index of the longest beginning of a text at the input's end; -1 if there is none. */
function beginningAtEnd(text: string, input: string): number {
  for (let start = Math.max(0, input.length - text.length + 1); start < input.length; start++) {
    if (text.startsWith(input.slice(start))) return start;
  }
  return -1;
}

/** Returns true if what follows is at the beginning of a line, blanks aside, given whether what comes before is. */
function isLineStart(before: string, isLineStart: boolean): boolean {
  let end = before.length;
  while (end > 0 && (before[end - 1] === " " || before[end - 1] === "\t")) end--;
  return end === 0 ? isLineStart : before[end - 1] === "\n";
}
