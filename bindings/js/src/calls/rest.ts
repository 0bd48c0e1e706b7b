// The part of a repetition that goes beyond a cut JSON text.
//
// A server that repeats an input may have serialized it again, with other white space and other escapes. So the two texts are
// compared character by character as JSON means them, and where the first one ends, what follows in the second one is the
// rest. Values that are spelt otherwise in any other way, such as members in another order, do not begin alike.

import { UNESCAPES } from "../core/patterns/path.js";

/** A text's units as JSON means them: one by one, those of the text in strings marked as such. */
class Units {
  at = 0;
  readonly text: string;
  #isInString = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Returns the next unit; `undefined` at the end, and at an escape that is cut. */
  next(): string | undefined {
    const { text } = this;
    if (!this.#isInString) while (" \t\n\r".includes(text[this.at] ?? "x")) this.at++;
    const first = text[this.at];
    if (first === undefined) return undefined;
    if (this.#isInString && first === "\\") return this.#escape();
    this.at++;
    if (first === '"') this.#isInString = !this.#isInString;
    return this.#isInString && first !== '"' ? `text ${first}` : first;
  }

  #escape(): string | undefined {
    const { text, at } = this;
    const letter = text[at + 1];
    if (letter === undefined || letter > "\x7f") return undefined;
    if (letter !== "u") {
      this.at += 2;
      return `text ${UNESCAPES[letter] ?? letter}`;
    }
    const unit = unitAt(text, at);
    if (unit === undefined) return undefined;
    if (unit >= 0xd800 && unit < 0xdc00) {
      // The other half of a pair may still come.
      const next = text.slice(at + 6, at + 12);
      if (next.length < 6 && (next === "" || "\\u".startsWith(next.slice(0, 2)))) return undefined;
    }
    this.at += 6;
    return `text ${String.fromCharCode(unit)}`;
  }
}

function unitAt(text: string, at: number): number | undefined {
  const digits = text.slice(at + 2, at + 6);
  return /^[\da-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined;
}

/** Returns the part of the whole after the reported part; `undefined` if it does not begin with that. */
export function restOf(reported: string, whole: string): string | undefined {
  if (whole.startsWith(reported)) return whole.slice(reported.length);
  const [one, other] = [new Units(reported), new Units(whole)];
  for (;;) {
    const unit = one.next();
    if (unit === undefined) {
      // Nothing is left, or the beginning of an escape, which has to continue with the same spelling.
      const open = reported.slice(one.at);
      return whole.startsWith(open, other.at) ? whole.slice(other.at + open.length) : undefined;
    }
    if (other.next() !== unit) return undefined;
  }
}

/** Returns true if two texts are the same except for white space and escapes. */
export const areSpeltAlike = (one: string, other: string): boolean => /^[ \t\n\r]*$/.test(restOf(one, other) ?? "x");
