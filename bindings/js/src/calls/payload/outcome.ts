// How a text came out: the members of a verdict, which its reader decides, and the values of a text that has more than one.

import type { Text } from "../../core/text.js";
import { withEvents, type TextError } from "../../core/text-error.js";
import { within } from "../../core/utf8.js";
import { makeValue } from "../../core/values.js";
import { areAlike } from "./alike.js";
import type { InputStatus, Payload } from "./payload.js";

/** ASCII white space, which is around the values. */
const SPACE = " \t\n\f\r";

/** Returns a text without the white space around it. An expression that ends in `$` reads inner white space many times. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && SPACE.includes(text[from]!)) from++;
  while (to > from && SPACE.includes(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/**
 * Returns the JSON texts that a text consists of, if there are two or more and nothing else; otherwise none. Each is read with
 * this parser's options.
 */
function valuesOf(text: string, parser: Text): string[] {
  const values: string[] = [];
  const reader = parser.clone();
  for (let rest = trimmed(text); rest !== ""; ) {
    reader.reset();
    const error = reader.read(rest) ?? reader.end();
    // The first byte that is not the value's.
    const end = error === undefined ? rest.length : error.kind === "trailing-bytes" ? within(rest, error.offset) : 0;
    if (end === 0 || !reader.isStrict) return [];
    values.push(trimmed(rest.slice(0, end)));
    rest = rest.slice(end);
  }
  return values.length > 1 ? values : [];
}

/** A verdict and its reason. */
export interface Verdict {
  readonly status: InputStatus;
  readonly reason?: string;
}

/** Returns the outcome of a text, with what its status has: a value, a reason, deviations. */
export function payloadOf(verdict: Verdict, raw: string, text: Text | undefined, error: TextError | undefined): Payload {
  const { status, reason = "incomplete" } = verdict;
  const payload = { raw, ...(error !== undefined && { error: withEvents(error) }) };
  switch (status) {
    case "complete":
      return { status, ...payload, value: makeValue(raw, text!.settings) };
    case "accepted": {
      const { count, list } = text!.deviations;
      const strict = text!
        .completeText()
        .replace(/^[ \t\n\r]+/, "")
        .trimEnd();
      const more = count - list.length;
      return { status, ...payload, strict, value: makeValue(strict, text!.settings), deviations: list, ...(more > 0 && { more }) };
    }
    case "truncated":
      return { status, ...payload, reason };
    case "trailing": {
      const values = valuesOf(raw, text!);
      if (values.length === 0) return { status, ...payload };
      // Each comparison reads both.
      const shortest = values.reduce((one, other) => (other.length < one.length ? other : one));
      const repeated = values.every((value) => areAlike(shortest, value));
      return { status, ...payload, values: values.map((value) => makeValue(value, text!.settings)), repeated };
    }
    default:
      return { status, ...payload };
  }
}
