// Values by path, written as the JSON text that they make up, so that patterns and limits apply as they arrive.
//
// Values come in document order: a container opens when a path enters it and closes when a path leaves it, and none can be
// entered again. No other value may come between the pieces of a string.

import type { Segment } from "../core/patterns/path.js";
import { segmentsOf } from "../core/patterns/pattern.js";
import { isTrue, jsonOf, pieceOf, unreadable, type Members } from "./members.js";

export class ValueWriter {
  /** The path of the newest value; `undefined` before the first. */
  #path: readonly Segment[] | undefined;
  #hasOpenString = false;

  /** Returns the text that a value adds: Gemini's `PartialArg`. */
  write(value: Members): string {
    const { stringValue, numberValue, boolValue, willContinue } = value;
    const given = [stringValue, numberValue, boolValue].filter((one) => one != null);
    if (given.length > 1 || (given.length === 0 && !("nullValue" in value))) unreadable();
    const path = segmentsOf(pieceOf(value.jsonPath)) ?? unreadable();
    const isNext = this.#hasOpenString && stringValue != null && String(path) === String(this.#path);
    const text = isNext ? "" : this.#begin(path);
    if (stringValue == null) {
      // The space ends a number, so that it is reported at once.
      return text + (given.length === 0 ? "null" : `${jsonOf(typeof given[0] === "string" ? unreadable() : given[0])} `);
    }
    const string = JSON.stringify(pieceOf(stringValue));
    this.#hasOpenString = isTrue(willContinue);
    return text + string.slice(isNext ? 1 : 0, this.#hasOpenString ? -1 : undefined);
  }

  /** Returns the ends of the open containers; nothing while a string is open. */
  end(): string {
    return this.#hasOpenString || this.#path === undefined ? "" : endsOf(this.#path);
  }

  /** Returns the text between the newest value and the next one. */
  #begin(path: readonly Segment[]): string {
    const before = this.#path;
    if (this.#hasOpenString) unreadable();
    this.#path = path;
    if (before === undefined) return beginningOf(path);
    const shared = path.findIndex((segment, depth) => segment !== before[depth]);
    const [next, last] = [path[shared], before[shared]];
    // An element follows the one before it, a member another one.
    const isNext = typeof next === "number" ? next - 1 === last : typeof last === "string";
    if (shared < 0 || !isNext) unreadable();
    return `${endsOf(before.slice(shared + 1))},${keyOf(next as Segment)}${beginningOf(path.slice(shared + 1))}`;
  }
}

const keyOf = (segment: Segment): string => (typeof segment === "string" ? `${JSON.stringify(segment)}:` : "");

const endsOf = (path: readonly Segment[]): string =>
  path
    .map((segment) => (typeof segment === "number" ? "]" : "}"))
    .reverse()
    .join("");

/** Containers begin with their first element. */
const beginningOf = (path: readonly Segment[]): string =>
  path.map((segment) => (typeof segment === "number" ? (segment > 0 ? unreadable() : "[") : `{${keyOf(segment)}`)).join("");
