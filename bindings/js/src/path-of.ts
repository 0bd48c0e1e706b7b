// Where an event's value is, in the notations of others.

import { normalized, pointer, segmentsOf } from "./path.js";

/** An RFC 6901 pointer (`/ask_slots/0/message`), or an RFC 9535 normalized path (`$['ask_slots'][0]['message']`). */
export type PathNotation = "pointer" | "normalized";

/**
 * The path of an event as a pointer or a normalized path. Inside a string (`outer | inner`) a pointer leads to that string.
 *
 * ```ts
 * pathOf(event, "pointer"); // "/ask_slots/0/message"
 * ```
 */
export function pathOf(event: { readonly path: string }, notation: PathNotation): string {
  const segments = segmentsOf(event.path) ?? [];
  return notation === "pointer" ? pointer(segments) : normalized(segments);
}
