// The package's errors: one class, whose fields have the kind, the place, and the events before it.

import type { DocumentEvent, Event } from "./events.js";

/** The place of an error in the input. */
export interface Place {
  /** The first bad byte, from 0; for an incomplete text its length. */
  readonly offset: number;
  /** From 1; 0 if the error is not about a byte of the input. */
  readonly line: number;
  /** In bytes, from 1; 0 if `line` is 0. */
  readonly column: number;
  /** The innermost open value: `ask_slots[0].message`; `null` if it is not known, as no text is kept and nothing follows it. */
  readonly path: string | null;
}

/**
 * An error in a text, a pattern or an option. An argument of the wrong type is a `TypeError`.
 *
 * `kind` says what is wrong, in the names that the library and the command line use (`unexpected-byte`, `incomplete`,
 * `depth-limit`, …). A text that merely stopped early has the kind `incomplete`, and a malformed one never does. `code` is the same
 * as a constant (`ERR_JSONSPIGOT_INCOMPLETE`), for code that handles errors of several libraries; unlike `instanceof`, it also
 * works across two copies of this package.
 *
 * @example
 * ```ts
 * import { JsonSpigotError, Parser } from "jsonspigot";
 *
 * const parser = new Parser("city");
 * try {
 *   parser.feed('{"city": "Köln", city}');
 * } catch (error) {
 *   if (!(error instanceof JsonSpigotError)) throw error;
 *   console.log(error.kind, error.offset, error.path); // "unexpected-byte" 18 "$"
 *   console.log(error.events.length); // 3
 * }
 * ```
 */
export class JsonSpigotError extends Error implements Place {
  override readonly name: string = "JsonSpigotError";
  readonly kind: string;
  readonly code: string;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly path: string | null;
  /** The events of the chunk before its first bad byte. Empty when the error is thrown again. */
  readonly events: readonly (Event | DocumentEvent)[];

  constructor(kind: string, message: string, place?: Partial<Place> & { events?: readonly (Event | DocumentEvent)[] }) {
    super(message);
    this.kind = kind;
    this.code = `ERR_JSONSPIGOT_${kind.replace(/-/g, "_").toUpperCase()}`;
    this.offset = place?.offset ?? 0;
    this.line = place?.line ?? 0;
    this.column = place?.column ?? 0;
    this.path = place?.path === undefined ? "$" : place.path;
    this.events = place?.events ?? [];
  }
}
