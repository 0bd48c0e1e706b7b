// Strings and white space in a text that is known to be JSON.

import { BACKSLASH, QUOTE } from "./units.js";

/** Returns the index after the quote that ends the string at `start`; -1 if none does. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    if (unit === BACKSLASH) at += 1;
    else if (!(unit >= 0)) return -1;
  }
}

/** Removes the white space between the tokens of a JSON text. */
export function compact(text: string): string {
  const space = /["\t\n\r ]+/g;
  let out = "";
  let from = 0;
  for (let match = space.exec(text); match; match = space.exec(text)) {
    const quote = match[0].indexOf('"');
    const end = quote < 0 ? space.lastIndex : match.index + quote;
    out += text.slice(from, match.index);
    from = end;
    if (quote < 0) continue;
    space.lastIndex = endOfString(text, end);
    out += text.slice(from, space.lastIndex);
    from = space.lastIndex;
  }
  return from === 0 ? text : out + text.slice(from);
}
