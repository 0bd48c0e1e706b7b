// Many JSON texts in one stream, read by one parser, one after the other: where a text begins and ends, the documents'
// numbers and offsets, and how a stream continues after a bad text.

// The declarations name `Symbol.dispose`, which users' own `lib` need not have.
/// <reference lib="esnext.disposable" preserve="true" />

import { disposable } from "../core/runtime.js";
import { JsonSpigotError } from "../core/error.js";
import type { DocumentEvent } from "../core/events.js";
import { makeValue, type Json } from "../core/values.js";
import { errorOf, Fault, withEvents, type TextError } from "../core/text-error.js";
import { NUMBER } from "../core/states.js";
import { isBytes, lengthOf, MARK } from "../core/input.js";
import { selectingText } from "../core/selecting-text.js";
import type { Text } from "../core/text.js";
import { isSpace } from "../core/units.js";
import { joined } from "../core/utf8.js";
import { compact } from "../core/json-text.js";
import { invalid, optionsOf, spelled, type ParserOptions } from "../core/options.js";

/** The separation of texts: JSON Lines, concatenated without a separator, or RFC 7464 sequences. */
export type Framing = "lines" | "concatenated" | "sequence";

export const FRAMINGS: readonly Framing[] = ["lines", "concatenated", "sequence"];

/** Options that a stream of documents takes: it shows no partial document. */
export type DocumentsOptions = Omit<ParserOptions, "snapshots" | "provisional" | "freeze">;

type Chunk = string | Uint8Array;

// Where a stream is.
export const BETWEEN = 0;
/** In a text of which only white space has arrived. */
export const BLANK = 1;
export const OPEN = 2;
/** After a number or literal that is a whole text, where the next one needs a separator. */
export const AFTER_ATOM = 3;
export const AFTER_ATOM_AND_SLASH = 4;
/** In the rest of a text that has failed. */
export const REFUSED = 5;
export const CLOSED = 6;

export const PAST_MARK = 3;

/** How much of a chunk is given to a text first that others came before in the chunk. */
const SHORT = 256;

const SLASH = 47;
const HASH = 35;

/** True if a unit after a number or literal is surely not meant as part of it. */
const mayFollowAtom = (unit: number): boolean => isSpace(unit) || (unit < 128 && '"[]{},:'.includes(String.fromCharCode(unit)));

const isAlphanumeric = (unit: number): boolean => unit < 128 && /[0-9A-Za-z]/.test(String.fromCharCode(unit));

const unitAt = (chunk: Chunk, at: number): number => (typeof chunk === "string" ? chunk.charCodeAt(at) : chunk[at]!);

const part = (chunk: Chunk, from: number, to: number): Chunk =>
  typeof chunk === "string" ? chunk.slice(from, to) : chunk.subarray(from, to);

/** The place of a stream of documents. */
export class Position {
  state = BETWEEN;
  number = 0;
  /** Where the document begins in the stream, and how far that has been read. */
  start = 0;
  offset = 0;
  /** The line in which the document begins, and the line feeds that were read. */
  line = 1;
  lines = 0;
  isAtom = false;
  last = 0;
  /** The number of bytes of a byte order mark that the stream began with; {@link PAST_MARK} once it can have no more. */
  mark = 0;
}

/** The parts of a stream of documents that a saved state has. */
export interface DocumentsParts {
  readonly framing: Framing;
  readonly text: Text;
  readonly at: Position;
}

/** Returns the parts of a stream that is not disposed of. */
export let partsOf: (documents: Documents) => DocumentsParts;

/**
 * A stream of JSON texts, each with its own events, offsets and limits. A text that is not JSON is an event, and does not affect the
 * others, except in concatenated texts, where the next one can't be found.
 *
 * A byte order mark at the start of the stream is skipped, and offsets count from the byte after it.
 *
 * @example
 * ```ts
 * import { Documents } from "jsonspigot/documents";
 *
 * const documents = new Documents("lines", "city");
 * for (const event of [...documents.feed('{"city": "Köln"}\n{"city"\n{"ci'), ...documents.feed('ty": "Bonn"}\n')]) {
 *   const news = event.kind === "delta" ? event.text : event.kind === "document-error" ? event.error.kind : undefined;
 *   if (news) console.log(event.document, news); // 0 "Köln", then 1 "incomplete", then 2 "Bonn"
 * }
 * ```
 */
export class Documents {
  readonly #framing: Framing;
  readonly #text: Text;
  readonly #at = new Position();
  #events: DocumentEvent[] = [];
  #isDisposed = false;

  static {
    partsOf = (documents) => {
      documents.#check();
      return { framing: documents.#framing, text: documents.#text, at: documents.#at };
    };
  }

  constructor(framing: Framing, patterns: string | readonly string[] = [], options: DocumentsOptions = {}) {
    if (!FRAMINGS.includes(framing)) {
      throw invalid(`framing: ${spelled(framing)} is not one of ${FRAMINGS.join(", ")}`);
    }
    for (const name of ["snapshots", "provisional", "freeze"] as const) {
      if ((optionsOf(options) as ParserOptions)[name]) throw invalid(`${name}: a stream of documents has no snapshots`);
    }
    this.#framing = framing;
    this.#text = selectingText(options, patterns);
    // The stream removes the mark, unless it is an error or a deviation.
    this.#text.input.readsMark = true;
    this.#beginMark();
  }

  /**
   * Parses a chunk. A text that is not JSON is an event; with `lines` and `sequence` the next text follows it.
   *
   * @throws {JsonSpigotError} if the stream has ended: by `finish`, or by an error in `concatenated` texts.
   */
  feed(chunk: Chunk): DocumentEvent[] {
    this.#check();
    if (typeof chunk !== "string" && !isBytes(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
    if (this.#at.state === CLOSED) {
      const error = this.#brokenBy();
      if (error) throw withEvents(error);
      if (chunk.length > 0) throw this.#text.errorOfCall("finished", "expected no bytes after the end of input");
      return [];
    }
    this.#events = [];
    if (this.#at.mark === PAST_MARK || chunk.length === 0) this.#feed(chunk);
    else this.#feed(typeof chunk === "string" ? this.#afterNoMark(chunk) : this.#afterMark(chunk));
    this.#drain();
    return this.#events;
  }

  #feed(chunk: Chunk): void {
    if (this.#framing !== "concatenated") this.#feedSeparated(chunk);
    else this.#feedConcatenated(chunk);
  }

  /** Ends the stream, and its last text. */
  finish(): DocumentEvent[] {
    this.#check();
    this.#events = [];
    if (this.#at.state !== CLOSED) {
      const text = this.#text;
      if (this.#at.mark < PAST_MARK) this.#afterNoMark("");
      if (this.#at.state === AFTER_ATOM_AND_SLASH) {
        this.#at.offset -= 1;
        this.#at.state = AFTER_ATOM;
        // No comment follows, so the slash is the error, which is reported at the end.
        this.#readOn("/");
      }
      if (this.#at.state === BETWEEN || this.#at.state === REFUSED) text.reset();
      this.#endText();
      this.#at.state = CLOSED;
    }
    const error = this.#brokenBy();
    if (error) throw withEvents(error, this.#events);
    return this.#events;
  }

  /** Starts over with a new stream. */
  reset(): void {
    this.#check();
    this.#text.reset();
    Object.assign(this.#at, new Position());
    this.#beginMark();
  }

  /** Drops what the stream keeps. Nothing else can be done with it then. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.reset();
    this.#isDisposed = true;
  }

  declare [Symbol.dispose]: () => void;

  #check(): void {
    if (this.#isDisposed) throw new JsonSpigotError("disposed", "the parser has been disposed of");
  }

  // A byte order mark before the first text.

  #beginMark(): void {
    const { settings, input } = this.#text;
    const isRead = settings.strictByteOrderMark || input.translator?.allows("byte-order-mark") === true;
    this.#at.mark = isRead ? PAST_MARK : 0;
  }

  /** Removes a byte order mark, or as much of it as the first chunks have. */
  #afterMark(chunk: Uint8Array): Chunk {
    const bytes = joined(MARK.subarray(0, this.#at.mark), chunk);
    const count = MARK.findIndex((byte, at) => bytes[at] !== byte);
    this.#at.mark = count === bytes.length ? count : PAST_MARK;
    return count < 0 ? bytes.subarray(MARK.length) : bytes.subarray(count === bytes.length ? count : 0);
  }

  /** Reads the bytes that looked like a byte order mark, and returns the chunk that followed. */
  #afterNoMark(chunk: Chunk): Chunk {
    const bytes = MARK.subarray(0, this.#at.mark);
    this.#at.mark = PAST_MARK;
    this.#feed(bytes);
    return chunk;
  }

  // Lines and sequences.

  #feedSeparated(chunk: Chunk): void {
    const separator = this.#framing === "lines" ? 10 : 0x1e;
    let from = 0;
    while (from <= chunk.length) {
      const found = typeof chunk === "string" ? chunk.indexOf(String.fromCharCode(separator), from) : chunk.indexOf(separator, from);
      const end = found < 0 ? chunk.length : found;
      if (end > from) this.#read(part(chunk, from, end));
      if (found < 0) return;
      this.#endText();
      this.#advance(part(chunk, end, end + 1));
      from = end + 1;
    }
  }

  /** Reads a piece without a separator. */
  #read(piece: Chunk): void {
    if (this.#at.state === BETWEEN) this.#begin();
    this.#advance(piece);
    const last = unitAt(piece, piece.length - 1);
    // A character's last byte.
    this.#at.last = typeof piece === "string" && last > 127 ? 0x80 | (last & 0x3f) : last;
    if (this.#at.state === REFUSED) return;
    let read = piece;
    let isUnmarked = false;
    if (this.#at.state === BLANK) {
      let space = 0;
      while (space < piece.length && isSpace(unitAt(piece, space))) space += 1;
      if (space < piece.length) {
        const first = unitAt(piece, space);
        this.#at.state = OPEN;
        this.#at.isAtom = first === 45 || isAlphanumeric(first);
        // Each text of a sequence comes after a separator, the first one too.
        isUnmarked = this.#framing === "sequence" && this.#at.start === 0;
        if (isUnmarked) read = part(piece, 0, space);
      }
    }
    let error = this.#readOn(read);
    if (error === undefined && isUnmarked) {
      error = this.#refuse("unexpected-byte", "expected a record separator (U+001E) before a text");
    }
    if (error === undefined) return;
    this.#end();
    this.#at.state = REFUSED;
  }

  #refuse(kind: string, expected: string): TextError {
    const text = this.#text;
    return text.fail(errorOf(new Fault(kind, text.input.offset, expected, 0), text.engine));
  }

  // Concatenated texts.

  #feedConcatenated(chunk: Chunk): void {
    let from = 0;
    let most = chunk.length;
    while (from < chunk.length) {
      const { number } = this.#at;
      const read = this.#step(part(chunk, from, from + most), unitAt(chunk, from));
      if (read < 0) {
        this.#at.offset = this.#at.start + (this.#text.stoppedBy?.offset ?? 0);
        this.#end();
        this.#at.state = CLOSED;
        throw withEvents(this.#text.error!, this.#events);
      }
      // Each half of a pair is two bytes, but only whole ones are behind.
      if (read > 0) this.#advance(part(chunk, from, from + read));
      from += read;
      // Each text would decode the whole rest of the chunk.
      if (this.#at.number > number) most = SHORT;
      else if (this.#at.state === OPEN) most *= 2;
    }
  }

  /** Returns how much of a piece was read; a negative number if the text has failed. */
  #step(piece: Chunk, first: number): number {
    const tolerates = this.#text.input.translator?.allows("comments") === true;
    switch (this.#at.state) {
      case BETWEEN:
        if (isSpace(first)) return 1;
        this.#begin();
        this.#at.state = OPEN;
        return 0;
      case AFTER_ATOM:
        if (mayFollowAtom(first) || (first === HASH && tolerates)) {
          this.#endText();
          return 0;
        }
        if (first === SLASH && tolerates) {
          this.#at.state = AFTER_ATOM_AND_SLASH;
          return 1;
        }
        break;
      case AFTER_ATOM_AND_SLASH:
        return this.#afterSlash(part(piece, 0, 1), first);
      default:
    }
    return this.#readValue(piece);
  }

  #readValue(chunk: Chunk): number {
    if (this.#at.state === AFTER_ATOM) {
      // Something that is neither white space nor the beginning of a value.
      return this.#readOn(chunk) === undefined ? chunk.length : -1;
    }
    const read = this.#text.readRoot(chunk);
    if (this.#text.hasFailed) return -1;
    if (this.#text.hasRootEnded) {
      // A number has ended before this unit, a literal with it. All else ends with a bracket or a quote.
      if (read === 0 || isAlphanumeric(unitAt(chunk, read - 1))) this.#at.state = AFTER_ATOM;
      else {
        const length = lengthOf(part(chunk, 0, read));
        this.#at.offset += length;
        this.#endText();
        this.#at.offset -= length;
      }
    }
    return read;
  }

  #afterSlash(slash: Chunk, unit: number): number {
    this.#at.state = AFTER_ATOM;
    if (unit !== SLASH && unit !== 42) {
      this.#readOn(`/${String.fromCharCode(unit)}`);
      return -1;
    }
    this.#endText();
    this.#at.offset -= 1;
    this.#begin();
    this.#at.state = OPEN;
    this.#at.offset += 1;
    // The unit after it is read as any other.
    this.#readValue(typeof slash === "string" ? "/" : Uint8Array.of(SLASH));
    return 0;
  }

  // Texts.

  #begin(): void {
    this.#text.reset();
    this.#at.state = BLANK;
    this.#at.start = this.#at.offset;
    this.#at.line = this.#at.lines + 1;
  }

  /** Counts what was read. */
  #advance(piece: Chunk): void {
    this.#at.offset += lengthOf(piece);
    for (let at = -1; ; this.#at.lines += 1) {
      at = typeof piece === "string" ? piece.indexOf("\n", at + 1) : piece.indexOf(10, at + 1);
      if (at < 0) return;
    }
  }

  /** Reads in the open text; returns the error that has stopped it. */
  #readOn(chunk: Chunk): TextError | undefined {
    if (this.#text.isOpen) return this.#text.read(chunk);
    return chunk.length === 0 ? undefined : this.#text.error;
  }

  #endText(): void {
    const text = this.#text;
    if (this.#at.state === OPEN || this.#at.state === AFTER_ATOM) {
      const { engine } = text;
      const isAtom = this.#at.isAtom || (engine.state === NUMBER && engine.depth === 0);
      if (this.#framing === "sequence" && isAtom && !isSpace(this.#at.last)) {
        this.#refuse("incomplete", "expected white space after a number or literal");
      } else {
        text.end();
      }
      this.#end();
    }
    this.#at.state = BETWEEN;
  }

  /** Passes on the events of the open document. */
  #drain(): void {
    const { output } = this.#text;
    for (const event of output.events) this.#events.push(Object.assign(event, { document: this.#at.number }));
    output.events = [];
  }

  #end(): void {
    this.#drain();
    const text = this.#text;
    const { output, settings } = text;
    const what = {
      document: this.#at.number,
      start: this.#at.start,
      bytes: text.offset,
      deviations: text.deviations,
    };
    this.#at.number += 1;
    let value: Json | undefined;
    let raw: string | undefined;
    let error = text.error as JsonSpigotError | undefined;
    if (error === undefined && settings.retain === "all") {
      const whole = text.completeText();
      raw = settings.spelling ? compact(whole) : undefined;
      try {
        value = makeValue(whole, settings);
      } catch (thrown) {
        if (!(thrown instanceof JsonSpigotError)) throw thrown;
        error = thrown;
      }
    }
    error ??= output.refusal as JsonSpigotError | undefined;
    output.refusal = undefined;
    if (error) this.#events.push({ kind: "document-error", ...what, error });
    else this.#events.push(raw === undefined ? { kind: "document", ...what, value } : { kind: "document", ...what, value, raw });
  }

  /** Returns the error that has ended a stream of concatenated texts. */
  #brokenBy(): TextError | undefined {
    return this.#framing === "concatenated" && this.#text.stoppedBy ? this.#text.error : undefined;
  }
}

disposable(Documents.prototype);

export type { DocumentEndEvent, DocumentErrorEvent, DocumentEvent, InDocument } from "../core/events.js";
