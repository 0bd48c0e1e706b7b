// The values of a text that has more than one.

import type { Text } from "../../core/text.js";
import { within } from "../../core/utf8.js";

/** ASCII white space, which is around the values. */
const EDGES = /^[ \t\n\f\r]+|[ \t\n\f\r]+$/g;

/**
 * Returns the JSON texts that a text consists of, if there are two or more and nothing else; otherwise none. Each is read with
 * this parser's options.
 */
export function valuesOf(text: string, parser: Text): string[] {
  const values: string[] = [];
  const reader = parser.clone();
  for (let rest = text.replace(EDGES, ""); rest !== ""; ) {
    reader.reset();
    const error = reader.read(rest) ?? reader.end();
    // The first byte that is not the value's.
    const end = error === undefined ? rest.length : error.kind === "trailing-bytes" ? within(rest, error.offset) : 0;
    if (end === 0 || !reader.isStrict) return [];
    values.push(rest.slice(0, end).replace(EDGES, ""));
    rest = rest.slice(end);
  }
  return values.length > 1 ? values : [];
}
