// The states of a parser between two units of a text: the token that the next unit is part of, and the position in a number or
// an escape. Everything that a chunk's end can cut is one of these.

// The token that the next unit is part of.
export const VALUE = 0;
/** After `[`: a value, or the end. */
export const FIRST = 1;
/** After `{`: a key, or the end. */
export const FIRST_KEY = 2;
export const KEY = 3;
export const COLON = 4;
export const AFTER = 5;
export const STRING = 6;
export const KEY_STRING = 7;
export const NUMBER = 8;
export const LITERAL = 9;
export const DONE = 10;
/** Nothing is read any more. */
export const CLOSED = 11;

// The kind of the last unit of a number.
export const MINUS = 1;
export const ZERO = 2;
export const INTEGER = 3;
export const POINT = 4;
export const FRACTION = 5;
export const E = 6;
export const SIGN = 7;
export const EXPONENT = 8;

// The part of an escape that is open. From `DIGITS` on, it counts the missing digits.
export const NO_ESCAPE = 0;
export const LETTER = 1;
export const PAIR_BACKSLASH = 2;
export const PAIR_U = 3;
export const DIGITS = 4;

export const WORDS: readonly string[] = ["true", "false", "null"];

/** Returns true if a number may end after this part. */
export function mayEnd(part: number): boolean {
  return part === INTEGER || part === ZERO || part === FRACTION || part === EXPONENT;
}
