// The state of a value in a document that is still arriving.

import { DONE } from "../states.js";
import type { Text } from "../text.js";
import { hasOpenLeaf } from "./tree.js";
import type { Json } from "../values.js";

/**
 * The state of the value at a path. `pending`: it may still arrive. `partial`: it may still grow. `complete`: it can't change
 * any more. `absent`: it can't arrive any more.
 */
export type ValueState = "pending" | "partial" | "complete" | "absent";

/** Returns the state of the value at these keys and indices, and the value so far. */
export function lookUp(
  text: Text,
  segments: readonly (string | number)[],
): { readonly state: ValueState; readonly value: Json | undefined } {
  const { engine } = text;
  let value = engine.tree!.root;
  if (value === undefined) return { state: "pending", value };
  // A text that has failed is never complete, whatever has closed.
  let isOpen = engine.state !== DONE || text.hasFailed || text.error !== undefined;
  // How deep on the path to the newest value this one is; negative once it is not on it.
  let depth = 0;
  for (const segment of segments) {
    const isContainer = typeof value === "object" && value !== null;
    const fits = isContainer && Array.isArray(value) === (typeof segment === "number");
    if (!fits || !Object.hasOwn(value as object, segment)) return { state: fits && isOpen ? "pending" : "absent", value: undefined };
    value = (value as { [key: string]: Json })[segment]!;
    const frame = depth < 0 ? undefined : engine.stack[depth];
    const isNewest = frame !== undefined && depth < engine.depth && segment === (frame.isArray ? frame.index : frame.key);
    const isOpenContainer = isNewest && depth + 1 < engine.depth;
    isOpen = isOpenContainer || (isNewest && depth + 1 === engine.depth && hasOpenLeaf(engine));
    depth = isOpenContainer ? depth + 1 : -1;
  }
  return { state: isOpen ? "partial" : "complete", value };
}
