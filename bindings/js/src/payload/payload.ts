// The outcome of a text with an end of its own: a tool call's input, or the payload of an envelope. Whoever reads the text
// decides which verdict it is; here is what comes with each.

import type { JsonSpigotError } from "../error.js";
import type { DeviationReport } from "../events.js";
import type { Text } from "../text.js";
import type { TextError } from "../text-error.js";
import { makeValue, type Json, type Making } from "../values.js";
import { areAlike } from "./alike.js";
import { valuesOf } from "./values.js";

/**
 * The status of a call's input or a payload at its end. Only `complete` and `accepted` have a value, and an `empty` input, whose value is
 * `{}`. What was accepted is not JSON but for deviations that you accept.
 */
export type InputStatus = "complete" | "accepted" | "empty" | "truncated" | "malformed" | "trailing" | "raw";

/** What is said of the text at its end. */
export interface Payload {
  readonly status: InputStatus;
  /** The reason why it was truncated: the provider's word for the end (`max_tokens`), `end-of-input`, … */
  readonly reason?: string;
  /** The value, if it is complete or accepted; `{}` if a call had no input. */
  readonly value?: Json;
  /** The text as it came. */
  readonly raw: string;
  /** The values of a trailing input that is nothing but whole values. Which of them were meant, only you can tell. */
  readonly values?: readonly Json[];
  /** True if these are all equal. */
  readonly repeated?: boolean;
  /** The error in the JSON. */
  readonly error?: JsonSpigotError;
  /** If it was accepted: the strict JSON text that the text as it came stands for. */
  readonly strict?: string;
  /** If it was accepted: where it deviates from JSON, the first 100 places. */
  readonly deviations?: readonly DeviationReport[];
  /** The number of further places. */
  readonly more?: number;
}

/** A verdict and its reason. */
export interface Verdict {
  readonly status: InputStatus;
  readonly reason?: string;
}

/** The value that a complete or accepted text is; its strict text if it is only accepted, where that is not the text itself. */
export function payloadOf(verdict: Verdict, raw: string, text: Text | undefined, error: TextError | undefined, making: Making): Payload {
  const { status, reason } = verdict;
  const payload: { -readonly [name in keyof Payload]: Payload[name] } = { status, raw };
  if (status === "truncated") payload.reason = reason!;
  if (error !== undefined) payload.error = error.with([]);
  if (status === "complete") payload.value = makeValue(raw, making);
  if (status === "accepted") {
    const { count, list } = text!.deviations;
    payload.strict = text!.completeText().replace(/^[ \t\n\r]+/, "").trimEnd();
    payload.value = makeValue(payload.strict, making);
    payload.deviations = list;
    if (count > list.length) payload.more = count - list.length;
  }
  if (status === "trailing") {
    const values = valuesOf(raw, text!);
    if (values.length > 0) {
      payload.values = values.map((value) => makeValue(value, making));
      payload.repeated = values.every((value) => areAlike(values[0]!, value));
    }
  }
  return payload;
}
