// The path of the innermost value that is open at the end of a text, found by reading the text once more. Only errors need it,
// so no path is tracked before.

import type { Segment } from "./patterns/path.js";
import { BACKSLASH, QUOTE } from "./units.js";

const SPACE: readonly number[] = [32, 9, 10, 13, 58];

/** Returns the index after the quote that ends the string at `start`; -1 if none does. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    if (unit === BACKSLASH) at += 1;
    else if (!(unit >= 0)) return -1;
  }
}

interface OpenContainer {
  readonly isObject: boolean;
  /** The member's key once that has ended, or the element's index. */
  segment: Segment | undefined;
}

/** Returns the keys and indices that lead from the root to the innermost value that is open at the end of the text. */
export function innermostOf(text: string): Segment[] {
  const levels: OpenContainer[] = [];
  // True if a string or an atom in the innermost container is open. Otherwise the container is the innermost value.
  let isInside = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const top = levels[levels.length - 1];
    isInside = false;
    if (unit === QUOTE) {
      const isKey = top?.isObject === true && top.segment === undefined;
      const end = endOfString(text, at);
      if (end < 0) {
        isInside = !isKey;
        break;
      }
      if (isKey) top.segment = JSON.parse(text.slice(at, end)) as string;
      at = end - 1;
    } else if (unit === 123 || unit === 91) {
      levels.push({ isObject: unit === 123, segment: unit === 123 ? undefined : 0 });
    } else if (unit === 125 || unit === 93) {
      levels.pop();
    } else if (unit === 44) {
      if (top) top.segment = top.isObject ? undefined : (top.segment as number) + 1;
    } else {
      isInside = !SPACE.includes(unit);
    }
  }
  if (!isInside) levels.pop();
  return levels.map(({ segment }) => segment ?? 0);
}

/** Removes the atom at the end of a text if that has ended there: then an error after it is not in it. */
export function withoutClosedAtom(text: string, kind: string): string {
  for (const literal of ["true", "false", "null"]) if (text.endsWith(literal)) return text.slice(0, -literal.length);
  // White space ends a number, also if there is too much of it.
  if (kind !== "unexpected-byte" && kind !== "blank-limit") return text;
  let end = text.length;
  while (end > 0 && "+-.0123456789Ee".includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
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
