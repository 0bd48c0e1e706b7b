// A drop-in for the AI SDK's `parsePartialJson` that does not read the text again for each delta.

import type { Json } from "../core/values.js";
import { DropIn, type Shown } from "./drop-in.js";

/** In the words of the AI SDK. */
export interface PartialJson {
  readonly value: Json | undefined;
  /**
   * Nothing was pushed yet; the text so far is a complete JSON text; it is the start of one; it is neither.
   */
  readonly state: "undefined-input" | "successful-parse" | "repaired-parse" | "failed-parse";
}

const UNDEFINED: PartialJson = { value: undefined, state: "undefined-input" };
const FAILED: PartialJson = { value: undefined, state: "failed-parse" };

/**
 * A drop-in for the AI SDK's `parsePartialJson` that takes deltas and reads each once: `await parsePartialJson(text += delta)`
 * becomes `parser.push(delta)`, with the same value and state at each prefix of a JSON text. Text that has had `__proto__`, or
 * `prototype` in a `constructor`, is `failed-parse` as a whole.
 *
 * Values share their structure and never change afterwards. They differ from the AI SDK's (7.0.173) in three places, where
 * the AI SDK misreads valid JSON: here half a surrogate pair is not shown, the exponent of a member's number may begin
 * with `+`, and a key may contain `\"`. Text that is not JSON is not repaired: it is `failed-parse` from its first bad
 * character on.
 *
 * @example
 * ```ts
 * import { parsePartialJson } from "ai";
 * import { PartialJsonParser } from "jsonspigot/compat";
 *
 * const parser = new PartialJsonParser();
 * let text = "";
 * for (const delta of ['{"city": "Kö', 'ln", "days": [1']) {
 *   text += delta;
 *   const before = await parsePartialJson(text);
 *   const now = parser.push(delta);
 *   console.log(JSON.stringify(now.value) === JSON.stringify(before.value), now.state === before.state); // true true, then true true
 * }
 * ```
 */
export class PartialJsonParser extends DropIn<PartialJson> {
  constructor() {
    super(UNDEFINED);
  }

  protected result(shown: Shown, before: PartialJson): PartialJson {
    if (shown === undefined) return FAILED;
    const state = shown.state === "complete" ? "successful-parse" : "repaired-parse";
    return shown.value === before.value && state === before.state ? before : { value: shown.value, state };
  }

  /** Returns an independent parser in the same state. */
  clone(): PartialJsonParser {
    return new PartialJsonParser().copy(this);
  }
}
