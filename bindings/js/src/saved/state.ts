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
export interface Form<T> {
  (data: unknown): T;
  /** The value that a missing member stands for, if it may be missing. */
  readonly missing?: T;
  /** The forms of the members of an object. */
  readonly members?: { readonly [name: string]: Form<unknown> };
}

/** The values of a form. */
export type Of<F> = F extends Form<infer T> ? T : never;

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

/** A member that may be missing. */
export const optional = <T, M extends T | undefined>(form: Form<T>, missing: M): Form<T | M> =>
  Object.assign((data: unknown) => form(data), { missing });

/** An object with these members. */
export const members = <F extends { readonly [name: string]: Form<unknown> }>(forms: F): Form<{ [K in keyof F]: Of<F[K]> }> => {
  const form = (data: unknown): { [K in keyof F]: Of<F[K]> } => {
    unless(typeof data === "object" && data !== null && !Array.isArray(data));
    unless(Object.keys(data).every((name) => Object.hasOwn(forms, name)));
    const read = ([name, form]: [string, Form<unknown>]): [string, unknown] => {
      const member = Object.hasOwn(data, name) ? (data as { [name: string]: unknown })[name] : undefined;
      return [name, member === undefined && "missing" in form ? form.missing : form(member)];
    };
    return Object.fromEntries(Object.entries(forms).map(read)) as { [K in keyof F]: Of<F[K]> };
  };
  return Object.assign(form, { members: forms });
};

/** Returns the members of an object that are not as if they were missing. */
export function shortened<T extends object>(object: Partial<T>, { members = {} }: Form<T>): Partial<T> {
  const isKept = ([name, member]: [string, unknown]): boolean => !("missing" in members[name]! && member === members[name].missing);
  return Object.fromEntries(Object.entries(object).filter(isKept)) as Partial<T>;
}

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
