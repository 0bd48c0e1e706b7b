// The events of a text.

import type { JsonSpigotError } from "./error.js";
import type { Deviation } from "../lenient/deviations.js";
import type { Json } from "./values.js";

export type ValueType = "null" | "boolean" | "number" | "string" | "array" | "object";

interface AnyMatch {
  /** The pattern's place in the list. */
  readonly pattern: number;
  /** The match's number: unique in one document, even if duplicate keys repeat a path. */
  readonly matchId: number;
  /** The place of the value: `ask_slots[0].message`, `$` for the root, `arguments | city` inside a string. */
  readonly path: string;
  /**
   * The offset in the input, in bytes: the value's first byte for a begin, a delta's first byte, the byte after the value for an
   * end, the first bad byte for an inner error. Inside a string (`outer | inner`) it counts in the decoded text.
   */
  readonly offset: number;
  /**
   * The keys and indices of the path; `null` is the step from a string into the text in it. They are worked out when they are
   * read, so a copy of the event, spread or cloned or posted to another thread, does not have them.
   */
  readonly segments: readonly (string | number | null)[];
}

/** The value's first byte has arrived. */
export interface BeginEvent extends AnyMatch {
  readonly kind: "begin";
  readonly type: ValueType;
}

/**
 * New decoded text of an open string; for a pattern `raw:…`, new JSON text of an open value, unchanged. It is never empty,
 * and never half a character.
 */
export interface DeltaEvent extends AnyMatch {
  readonly kind: "delta";
  readonly text: string;
}

/** The value is complete. */
export interface EndEvent extends AnyMatch {
  readonly kind: "end";
  readonly type: ValueType;
  /** `undefined` for strings and containers of a parser that retains nothing. */
  readonly value: Json | undefined;
  /** The value as it was spelt, without the white space between tokens: with the option `spelling`. */
  readonly raw?: string;
}

/** The text inside a string, which a pattern `outer | inner` reads, is not JSON. The outer text continues. */
export interface InnerErrorEvent extends AnyMatch {
  readonly kind: "inner-error";
  /** Its offset, line and column count in the decoded text of the string. */
  readonly error: JsonSpigotError;
}

export type Event = BeginEvent | DeltaEvent | EndEvent | InnerErrorEvent;

/** In a stream of documents each event names its document, by number from 0. */
export type InDocument<E> = E & { readonly document: number };

/** A deviation from JSON that a lenient parser has tolerated. */
export interface DeviationReport {
  readonly kind: Deviation;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** The deviations of a text from JSON: their number, and the first of them. */
export interface Deviations {
  readonly count: number;
  readonly list: readonly DeviationReport[];
}

interface AnyDocument {
  readonly document: number;
  /** Its first byte's offset in the stream, and how many bytes it has. */
  readonly start: number;
  readonly bytes: number;
  readonly deviations: Deviations;
}

/** A document is complete. */
export interface DocumentEndEvent extends AnyDocument {
  readonly kind: "document";
  /** `undefined` if the text was not retained. */
  readonly value: Json | undefined;
  readonly raw?: string;
}

/** A document is not JSON, or over a limit. */
export interface DocumentErrorEvent extends AnyDocument {
  readonly kind: "document-error";
  /** Its offset, line and column count in the document. */
  readonly error: JsonSpigotError;
}

export type DocumentEvent = InDocument<Event> | DocumentEndEvent | DocumentErrorEvent;
