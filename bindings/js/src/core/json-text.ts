// The tokens of a text that is known to be JSON, or the beginning of such a text.

import { BACKSLASH, QUOTE } from "./units.js";

/** A token that is no string, or the quote that begins one. */
const TOKEN = /["[\]{},:]|[^\s[\]{}:,"]+/g;

/** Yields the tokens. A string that is open goes up to the end of the text. */
export function* tokensOf(text: string): Generator<string, void> {
  const tokens = new RegExp(TOKEN);
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    // No expression finds the end: it would overflow the stack in a string of some million units.
    if (match[0] === '"') tokens.lastIndex = endOfString(text, match.index);
    yield text.slice(match.index, tokens.lastIndex);
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    if (unit === BACKSLASH) at += 1;
  }
  return text.length;
}

/** Removes the white space between the tokens. */
export const compact = (text: string): string => [...tokensOf(text)].join("");
