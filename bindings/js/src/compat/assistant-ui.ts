// A drop-in for assistant-ui's `parsePartialJsonObject` that does not read the text again for each delta.

import type { Json } from "../core/values.js";
import { Preview } from "./preview.js";
import { Scanner } from "./scanner.js";

type Container = { [key: string]: Json } | Json[];

/** An object or array so far, with the state that assistant-ui keeps under a symbol. */
export interface PartialObject {
  readonly value: Container;
  readonly state: "complete" | "partial";
  /** The way to the innermost value that may still grow; indices as strings. A literal never does. */
  readonly partialPath: readonly string[];
}

const DIALECT = { readsKeys: true, readsPlus: true, leavesEscapes: true };
const EMPTY: PartialObject = { value: {}, state: "partial", partialPath: [] };

/**
 * A drop-in for assistant-ui's `parsePartialJsonObject` that takes deltas: the same values, states and paths, and
 * `undefined` where that gives `undefined`: for roots that are neither objects nor arrays, text that can't be repaired,
 * text with `__proto__` or with `prototype` in a `constructor`.
 *
 * Values share their structure and never change afterwards. They differ from assistant-ui's in one place: a half surrogate
 * pair is not shown.
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
export class PartialJsonObjectParser {
  #preview = new Preview(DIALECT);
  #paths = new Scanner(DIALECT);
  #isFresh = true;
  #current: PartialObject | undefined = EMPTY;

  /** Appends text. Returns the value and state of all of it, in the same object as before if nothing has changed. */
  push(delta: string): PartialObject | undefined {
    if (delta === "") return this.#current;
    // A byte order mark in front is not part of the text.
    const text = this.#isFresh && delta[0] === "\ufeff" ? delta.slice(1) : delta;
    this.#isFresh = false;
    this.#preview.push(text);
    this.#paths.scan(text);
    return (this.#current = this.#look());
  }

  #look(): PartialObject | undefined {
    const shown = this.#preview.shown();
    if (shown === undefined || typeof shown.value !== "object" || shown.value === null) return undefined;
    const { value, state } = shown;
    const partialPath = state === "complete" ? [] : this.#paths.openPath();
    const old = this.#current;
    const isSame =
      old !== undefined &&
      old.value === value &&
      old.state === state &&
      old.partialPath.length === partialPath.length &&
      old.partialPath.every((key, depth) => key === partialPath[depth]);
    return isSame ? old : { value, state, partialPath };
  }

  /** Returns the result of the last push. */
  get current(): PartialObject | undefined {
    return this.#current;
  }

  /** Returns an independent parser in the same state. */
  clone(): PartialJsonObjectParser {
    const clone = new PartialJsonObjectParser();
    clone.#preview = this.#preview.clone();
    clone.#paths = this.#paths.clone();
    clone.#isFresh = this.#isFresh;
    clone.#current = this.#current;
    return clone;
  }

  /** Starts over with a new text. */
  reset(): void {
    this.#preview.reset();
    this.#paths = new Scanner(DIALECT);
    this.#isFresh = true;
    this.#current = EMPTY;
  }

  /** Drops what the parser keeps. Calling it again is a no-op; a push then throws. */
  dispose(): void {
    this.#preview.dispose();
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
