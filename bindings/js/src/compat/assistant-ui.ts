// A drop-in for assistant-ui's `parsePartialJsonObject` that does not read the text again for each delta.

import type { Json } from "../core/values.js";
import { DropIn, type Shown } from "./drop-in.js";

type Container = { [key: string]: Json } | Json[];

/** An object or array so far, with the state that assistant-ui keeps under a symbol. */
export interface PartialObject {
  readonly value: Container;
  readonly state: "complete" | "partial";
  /** The way to the innermost value that may still grow; indices as strings. A literal never does. */
  readonly partialPath: readonly string[];
}

const EMPTY: PartialObject = { value: {}, state: "partial", partialPath: [] };

/**
 * A drop-in for assistant-ui's `parsePartialJsonObject` that takes deltas: the same values, states and paths, and
 * `undefined` for roots that are neither objects nor arrays, and for text that has had `__proto__`, or `prototype` in a
 * `constructor`.
 *
 * Values share their structure and never change afterwards. They differ from assistant-ui's in two places: a half surrogate
 * pair is not shown, and text that is not JSON is not repaired, but gives `undefined` from its first bad character on.
 *
 * @example
 * ```ts
 * import { fieldState, PartialJsonObjectParser } from "jsonspigot/compat";
 *
 * const parser = new PartialJsonObjectParser();
 * const args = parser.push('{"city": "Köln", "note": "by tr');
 * if (args) console.log(fieldState(args, ["city"]), fieldState(args, ["note"])); // "complete" "partial"
 * ```
 */
export class PartialJsonObjectParser extends DropIn<PartialObject | undefined> {
  #isFresh = true;

  constructor() {
    super(EMPTY);
  }

  override push(delta: string): PartialObject | undefined {
    if (delta === "") return this.current;
    // A byte order mark in front is not part of the text.
    const text = this.#isFresh && delta[0] === "\ufeff" ? delta.slice(1) : delta;
    this.#isFresh = false;
    return super.push(text);
  }

  protected result(shown: Shown, before: PartialObject | undefined): PartialObject | undefined {
    if (shown === undefined || typeof shown.value !== "object" || shown.value === null) return undefined;
    const { value, state } = shown;
    const partialPath = state === "complete" ? [] : this.openPath();
    const isSame =
      before !== undefined &&
      before.value === value &&
      before.state === state &&
      before.partialPath.length === partialPath.length &&
      before.partialPath.every((key, depth) => key === partialPath[depth]);
    return isSame ? before : { value, state, partialPath };
  }

  /** Returns an independent parser in the same state. */
  clone(): PartialJsonObjectParser {
    const clone = new PartialJsonObjectParser().copy(this);
    clone.#isFresh = this.#isFresh;
    return clone;
  }

  override reset(): void {
    super.reset();
    this.#isFresh = true;
  }
}

/**
 * Returns assistant-ui's state of a field: `complete` once its value can't grow any more; a field that is not there is `partial`
 * while the root is open, and `complete` once it has closed.
 */
export function fieldState(object: PartialObject, path: readonly (string | number)[]): "complete" | "partial" {
  if (object.state === "complete") return "complete";
  let parent: Json = object.value;
  for (const [depth, field] of path.entries()) {
    const key = String(field);
    if (typeof parent !== "object" || parent === null || !Object.hasOwn(parent, key)) return "partial";
    if (key !== object.partialPath[depth]) return "complete";
    parent = (parent as { [key: string]: Json })[key]!;
  }
  return "partial";
}
