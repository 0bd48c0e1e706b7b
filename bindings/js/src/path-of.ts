// Where an event's value is, in the notations of others.

import { normalized, pointer, segmentsOf } from "./path.js";

/** An RFC 6901 pointer (`/ask_slots/0/message`), or an RFC 9535 normalized path (`$['ask_slots'][0]['message']`). */
export type PathNotation = "pointer" | "normalized";

/**
 * Returns the path of an event as a pointer or a normalized path. Inside a string (`outer | inner`) a pointer leads to that string.
 *
 * @example
 * ```ts
 * import { Parser, pathOf } from "jsonspigot";
 *
 * const [event] = new Parser("a[*]").feed('{"a":[1]}');
 * console.log(event!.path, pathOf(event!, "pointer"), pathOf(event!, "normalized")); // "a[0]" "/a/0" "$['a'][0]"
 * ```
 */
export function pathOf(event: { readonly path: string }, notation: PathNotation): string {
  const segments = segmentsOf(event.path) ?? [];
  return notation === "pointer" ? pointer(segments) : normalized(segments);
}
