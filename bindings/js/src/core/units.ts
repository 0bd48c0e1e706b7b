// Units of a text, by their codes.

export const QUOTE = 34;
export const BACKSLASH = 92;

/** Returns true for JSON's white space. */
export const isSpace = (unit: number): boolean => unit === 32 || unit === 9 || unit === 10 || unit === 13;

export const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;
