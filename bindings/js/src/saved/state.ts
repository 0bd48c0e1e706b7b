// A state as plain data, which can be stored wherever JSON can. It names the patterns and options that it was saved with. A
// reader trusts nothing: it checks the form of all data before it uses any.

import { refusedAs } from "./refusals.js";

const VERSION = 2;

/** The state of a parser or of a stream of documents: plain data, for `JSON.stringify` or a structured clone. */
export interface SavedState {
  /** The version of the format. */
  readonly jsonspigot: number;
  readonly kind: "parser" | "documents";
  readonly patterns: readonly string[];
  readonly choices: readonly (string | number | boolean | null)[];
  /** Members that have their default are left out. */
  readonly data: unknown;
}

/** The owner of a state. */
export type Owner = Pick<SavedState, "kind" | "patterns" | "choices">;

/** Fails if no text leads to a state. */
export function unless(isPossible: boolean): asserts isPossible {
  if (!isPossible) throw refusedAs("impossible");
}

/** Returns the data as a value of a declared form. Fails if it has another one. */
export type Form<T> = (data: unknown) => T;

/** A whole number up to this one. */
export const atMost =
  (most: number): Form<number> =>
  (data) => {
    unless(Number.isSafeInteger(data) && (data as number) >= 0 && (data as number) <= most);
    return data as number;
  };

export const count: Form<number> = atMost(Number.MAX_SAFE_INTEGER);

export const flag: Form<boolean> = (data) => {
  unless(typeof data === "boolean");
  return data;
};

/** A text without half a surrogate pair, which no UTF-8 has. */
export const text: Form<string> = (data) => {
  unless(typeof data === "string" && !/\p{Surrogate}/u.test(data));
  return data;
};

export const listOf =
  <T>(form: Form<T>): Form<T[]> =>
  (data) => {
    unless(Array.isArray(data));
    return Array.from(data, form);
  };

/** An object with these members. One that is missing has the value of its default. */
export const members =
  <T extends object>(forms: { readonly [K in keyof T]: Form<T[K]> }, defaults: Partial<T> = {}): Form<T> =>
  (data) => {
    unless(typeof data === "object" && data !== null && !Array.isArray(data));
    unless(Object.keys(data).every((name) => Object.hasOwn(forms, name)));
    const read = (name: string): unknown => {
      const member = Object.hasOwn(data, name) ? (data as { [name: string]: unknown })[name] : undefined;
      return member === undefined && name in defaults ? defaults[name as keyof T] : forms[name as keyof T](member);
    };
    return Object.fromEntries(Object.keys(forms).map((name) => [name, read(name)])) as T;
  };

export function stateOf(owner: Owner, data: unknown): SavedState {
  return { jsonspigot: VERSION, ...owner, data };
}

/** Returns the data of a state that belongs to the owner. */
export function dataOf<T>(owner: Owner, state: SavedState, form: Form<T>): T {
  if (typeof state !== "object" || state === null) throw new TypeError("a saved state is an object");
  const { jsonspigot, kind, patterns, choices, data } = state;
  if (!Number.isInteger(jsonspigot)) throw refusedAs("not-saved-state");
  if (jsonspigot !== VERSION) throw refusedAs("other-version");
  if (kind !== owner.kind) throw refusedAs("other-kind");
  if (!isSame(patterns, owner.patterns)) throw refusedAs("other-patterns");
  if (!isSame(choices, owner.choices)) throw refusedAs("other-choices");
  return form(data);
}

/** Compares plain data. Data that is too deep for that is different. */
function isSame(saved: unknown, own: unknown): boolean {
  try {
    return JSON.stringify(saved) === JSON.stringify(own);
  } catch {
    return false;
  }
}
