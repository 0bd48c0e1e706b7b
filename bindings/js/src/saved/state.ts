// A state as plain data, which can be stored wherever JSON can. It names the patterns and options that it was saved with, and
// its parts are a text and counters. A reader trusts nothing: it checks the type and the range of each part.

import { decodeAll, encode, joined, openTail } from "../core/utf8.js";
import { refusedAs } from "./refusals.js";

const VERSION = 1;

/** A number, a text, or bytes that are not UTF-8. */
type Part = number | string | readonly number[];

/** The state of a parser or of a stream of documents: plain data, for `JSON.stringify` or a structured clone. */
export interface SavedState {
  /** The version of the format. */
  readonly jsonspigot: number;
  readonly kind: "parser" | "documents";
  readonly patterns: readonly string[];
  readonly choices: readonly (string | number | boolean | null)[];
  readonly parts: readonly Part[];
  /** Data that no text leads to: half a surrogate pair, a refused key, a patch that was not taken. */
  readonly note?: unknown;
}

/** The owner of a state. */
export type Owner = Pick<SavedState, "kind" | "patterns" | "choices">;

/** Thrown if no text leads to a state. */
export class Impossible {}

export function unless(isPossible: boolean): void {
  if (!isPossible) throw new Impossible();
}

export class Writer {
  readonly parts: Part[] = [];

  number(number: number): void {
    this.parts.push(number);
  }

  text(text: string): void {
    this.parts.push(text);
  }

  /** Writes bytes as text, and those at the end that are not UTF-8 as numbers. */
  bytes(bytes: Uint8Array): void {
    let end = bytes.length - openTail(bytes);
    let text = "";
    try {
      text = decodeAll(bytes.subarray(0, end));
    } catch {
      end = 0;
    }
    this.parts.push(text, [...bytes.subarray(end)]);
  }
}

export class Reader {
  readonly #parts: readonly unknown[];
  #at = 0;

  constructor(parts: readonly unknown[]) {
    this.#parts = parts;
  }

  #next(): unknown {
    unless(this.#at < this.#parts.length);
    return this.#parts[this.#at++];
  }

  /** Reads a number up to this one. */
  atMost(most: number): number {
    const number = this.#next();
    unless(Number.isSafeInteger(number) && (number as number) >= 0 && (number as number) <= most);
    return number as number;
  }

  /** Reads one of the values, which were written by their places. */
  choice<T>(of: readonly T[]): T {
    return of[this.atMost(of.length - 1)]!;
  }

  /** Reads a place in a text. */
  place(): number {
    return this.atMost(Number.MAX_SAFE_INTEGER);
  }

  /** Reads how many groups of parts follow. */
  count(): number {
    return this.atMost(this.#parts.length - this.#at);
  }

  text(): string {
    const text = this.#next();
    unless(typeof text === "string" && !/\p{Surrogate}/u.test(text));
    return text as string;
  }

  bytes(): Uint8Array {
    const text = this.text();
    const rest = this.#next();
    unless(Array.isArray(rest) && rest.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256));
    return joined(encode(text), Uint8Array.from(rest as number[]));
  }

  /** Fails if parts are left. */
  end(): void {
    unless(this.#at === this.#parts.length);
  }
}

export function save(owner: Owner, note: unknown, write: (out: Writer) => void): SavedState {
  const out = new Writer();
  write(out);
  const state = { jsonspigot: VERSION, ...owner, parts: out.parts };
  return note === undefined ? state : { ...state, note };
}

/** Reads a state that belongs to the owner; `read` reads its parts, all of them. */
export function restore(owner: Owner, state: SavedState, read: (reader: Reader, note: unknown) => void): void {
  if (typeof state !== "object" || state === null) throw new TypeError("a saved state is an object");
  const { jsonspigot, kind, patterns, choices, parts, note } = state;
  if (!Number.isInteger(jsonspigot)) throw refusedAs("not-saved-state");
  if (jsonspigot !== VERSION) throw refusedAs("other-version");
  if (kind !== owner.kind) throw refusedAs("other-kind");
  if (!isSame(patterns, owner.patterns)) throw refusedAs("other-patterns");
  if (!isSame(choices, owner.choices)) throw refusedAs("other-choices");
  try {
    unless(Array.isArray(parts));
    const reader = new Reader(parts);
    read(reader, note);
    reader.end();
  } catch (thrown) {
    throw thrown instanceof Impossible ? refusedAs("impossible") : thrown;
  }
}

/** Compares plain data. Data that is too deep for that is different. */
function isSame(saved: unknown, own: unknown): boolean {
  try {
    return JSON.stringify(saved) === JSON.stringify(own);
  } catch {
    return false;
  }
}
