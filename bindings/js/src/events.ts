// What a caller is told, and how the module's output is read into it.

import { JsonSpigotError } from "./error.js";
import type { Exports, Instance, Output } from "./module.js";
import type { Deviation } from "./options.js";
import { makeNumber, makeValue, type Json, type Making } from "./values.js";

export type ValueType = "null" | "boolean" | "number" | "string" | "array" | "object";

interface AnyMatch {
  /** The pattern's place in the list. */
  readonly pattern: number;
  /** Which match: unique in one document, even if duplicate keys repeat a path. */
  readonly matchId: number;
  /** Where the value is: `ask_slots[0].message`, `$` for the root, `arguments | city` inside a string. */
  readonly path: string;
  /**
   * Where in the input, in bytes: the value's first byte for a begin, a delta's first byte, the byte after the value for an
   * end, the first bad byte for an inner error. Inside a string (`outer | inner`) it counts in the decoded text.
   */
  readonly offset: number;
}

/** The value's first byte has arrived. */
export interface BeginEvent extends AnyMatch {
  readonly kind: "begin";
  readonly type: ValueType;
}

/** New decoded text of an open string: never empty, and never half a character. */
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

/** The text inside a string, which a pattern `outer | inner` reads, is not JSON. The outer text goes on. */
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

/** How a text deviates from JSON: how often, and the first of them. */
export interface Deviations {
  readonly count: number;
  readonly list: readonly DeviationReport[];
}

export function readDeviations(output: Output): Deviations {
  const count = output.long();
  const list: DeviationReport[] = [];
  for (let left = output.word(); left > 0; left--) {
    const offset = output.long();
    const line = output.long();
    const column = output.long();
    list.push({ kind: output.string() as Deviation, offset, line, column });
  }
  return { count, list };
}

/** A document is complete. */
export interface DocumentEndEvent {
  readonly kind: "document";
  readonly document: number;
  /** Its first byte's offset in the stream, and how many bytes it has. */
  readonly start: number;
  readonly bytes: number;
  readonly deviations: Deviations;
  /** `undefined` if the text was not retained. */
  readonly value: Json | undefined;
  readonly raw?: string;
}

/** A document is not JSON, or over a limit. */
export interface DocumentErrorEvent {
  readonly kind: "document-error";
  readonly document: number;
  readonly start: number;
  readonly bytes: number;
  readonly deviations: Deviations;
  /** Its offset, line and column count in the document. */
  readonly error: JsonSpigotError;
}

export type DocumentEvent = InDocument<Event> | DocumentEndEvent | DocumentErrorEvent;

const TYPES: readonly ValueType[] = ["null", "boolean", "number", "string", "array", "object"];

interface OpenMatch {
  readonly id: number;
  readonly path: string;
  readonly type: ValueType;
  text: string;
  /** The delta that was told last, and in which call: a chunk has one delta of a match. */
  delta: { text: string } | undefined;
  call: number;
}

export interface EventOptions extends Making {
  readonly spelling: boolean;
  /** Whether the text of strings is kept for their ends, which do not bring it. */
  readonly keepsText: boolean;
}

/** Reads events. It keeps what the module says only once: the paths of open matches, and the texts of open strings. */
export class EventReader {
  readonly #options: EventOptions;
  /** Innermost last: matches are nested, so the one that is told of is near the end. */
  #open: OpenMatch[] = [];
  #call = 0;
  /** Set by a value that must not be made. The module knows nothing of it, so here it ends the text. */
  refusal: JsonSpigotError | undefined;

  constructor(options: EventOptions) {
    this.#options = options;
  }

  clone(): EventReader {
    const clone = new EventReader(this.#options);
    // A delta that was told belongs to whom it was told.
    clone.#open = this.#open.map((match) => ({ ...match, delta: undefined, call: -1 }));
    clone.refusal = this.refusal;
    return clone;
  }

  reset(): void {
    this.#open = [];
    this.refusal = undefined;
  }

  /** Takes up the open matches of a parser that was restored. Their beginnings have been told. */
  resume(output: Output, instance: Instance, refusal: JsonSpigotError | undefined): void {
    while (output.at < output.end) this.#next(output, [], instance);
    this.refusal = refusal;
  }

  /** All events of a call, after those that are there; if its count is negative, an error follows them. */
  read(instance: Instance, count: number, events: Event[] = []): Event[] {
    if (this.refusal) throw this.refusal;
    if (count === 0) return events;
    const output = instance.read(count);
    const end = count < 0 ? output.end - ERROR_WORDS : output.end;
    this.#call += 1;
    while (output.at < end) this.#next(output, events, instance);
    // The value's end comes first.
    const refused: JsonSpigotError | undefined = this.refusal;
    if (refused) throw prototypeKeyBehind(refused, events);
    if (count < 0) throw readError(output, events);
    return events;
  }

  /** One event in an output that has more than events of one text. Every delta is told by itself. */
  readOne(output: Output, instance: Instance<Exports>): Event {
    const events: Event[] = [];
    this.#call += 1;
    this.#next(output, events, instance);
    return events[0]!;
  }

  readDocuments(instance: Instance, count: number, events: DocumentEvent[] = []): DocumentEvent[] {
    if (count === 0) return events;
    const output = instance.read(count);
    const eventsEnd = count < 0 ? output.end - ERROR_WORDS : output.end;
    let document = 0;
    const told: Event[] = [];
    this.#call += 1;
    while (output.at < eventsEnd) {
      const tag = output.words[output.at]!;
      if (tag === TAG_DOCUMENT) {
        output.at += 1;
        document = output.long();
        this.#next(output, told, instance);
        // Nothing is told where text is added to a delta.
        for (const event of told) events.push(Object.assign(event, { document }));
        told.length = 0;
      } else {
        output.at += 1;
        this.#open = [];
        events.push(this.#documentEnd(output, tag === TAG_DOCUMENT_ERROR));
      }
    }
    if (count < 0) throw readError(output, events);
    return events;
  }

  #documentEnd(output: Output, hasError: boolean): DocumentEndEvent | DocumentErrorEvent {
    const document = output.long();
    const start = output.long();
    const bytes = output.long();
    const deviations = readDeviations(output);
    if (hasError) {
      const error = readError(output, []);
      this.refusal = undefined;
      return { kind: "document-error", document, start, bytes, deviations, error };
    }
    const raw = output.word() === 0 ? undefined : output.string();
    const value = raw === undefined ? undefined : this.#make(raw);
    const error = this.refusal;
    this.refusal = undefined;
    if (error) return { kind: "document-error", document, start, bytes, deviations, error };
    if (raw === undefined) return { kind: "document", document, start, bytes, deviations, value: undefined };
    return this.#options.spelling
      ? { kind: "document", document, start, bytes, deviations, value, raw }
      : { kind: "document", document, start, bytes, deviations, value };
  }

  /** Reads one event: adds it to those of the call, or its text to the delta that this call has told already. */
  #next(output: Output, events: Event[], instance: Instance<Exports>): void {
    const first = output.word();
    const pattern = first >>> 8;
    const matchId = output.word();
    const offset = output.long();
    switch (first & 15) {
      case 0: {
        const path = output.string();
        const type = TYPES[(first >>> 4) & 15]!;
        this.#open.push({ id: matchId, path, type, text: "", delta: undefined, call: 0 });
        events.push({ kind: "begin", pattern, matchId, path, offset, type });
        return;
      }
      case 1: {
        const match = this.#match(matchId);
        // A chunk that is a piece of a string is its own delta.
        const text = first & 16 ? instance.written : output.string();
        if (this.#options.keepsText) match.text += text;
        if (match.call === this.#call) {
          match.delta!.text += text;
          return;
        }
        const event = { kind: "delta", pattern, matchId, path: match.path, offset, text } as const;
        match.delta = event;
        match.call = this.#call;
        events.push(event);
        return;
      }
      case 2:
        events.push(this.#end(output, pattern, matchId, offset, (first >>> 4) & 15));
        return;
      default: {
        const path = output.string();
        const error = readError(output, []);
        // Nothing more is told of what is open inside, nor of what is inside texts within it.
        this.#open = this.#open.filter((match) => !match.path.startsWith(`${path} | `));
        events.push({ kind: "inner-error", pattern, matchId, path, offset, error });
      }
    }
  }

  #match(id: number): OpenMatch {
    const open = this.#open;
    let at = open.length - 1;
    while (open[at]!.id !== id) at -= 1;
    return open[at]!;
  }

  #end(output: Output, pattern: number, matchId: number, offset: number, known: number): EndEvent {
    const open = this.#open;
    let at = open.length - 1;
    while (open[at]!.id !== matchId) at -= 1;
    const { path, type: begun, text } = open[at]!;
    if (at === open.length - 1) open.pop();
    else open.splice(at, 1);
    if (known === 0) return { kind: "end", pattern, matchId, path, offset, type: begun, value: undefined };
    if (known === 1) return { kind: "end", pattern, matchId, path, offset, type: begun, value: text };
    const raw = output.string();
    // What begins as `-Infinity` does may be a number, and is none.
    const type = raw === "null" ? "null" : begun;
    const value = this.#value(type, raw);
    return this.#options.spelling
      ? { kind: "end", pattern, matchId, path, offset, type, value, raw }
      : { kind: "end", pattern, matchId, path, offset, type, value };
  }

  #value(type: ValueType, raw: string): Json | undefined {
    switch (type) {
      case "string":
        return JSON.parse(raw) as string;
      case "number":
        return makeNumber(raw, this.#options.numbers);
      case "boolean":
        return raw === "true";
      case "null":
        return null;
      default:
        return this.#make(raw);
    }
  }

  /** A value, unless it must not be made. What follows it in the output is read in any case. */
  #make(raw: string): Json | undefined {
    try {
      return makeValue(raw, this.#options);
    } catch (thrown) {
      if (!(thrown instanceof JsonSpigotError)) throw thrown;
      this.refusal ??= thrown;
      return undefined;
    }
  }
}

function prototypeKeyBehind(refused: JsonSpigotError, events: readonly Event[]): JsonSpigotError {
  return new JsonSpigotError(refused.kind, refused.message, { events });
}

const TAG_DOCUMENT = 4;
const TAG_DOCUMENT_ERROR = 6;

/** Offset, line and column have two words each, and a text's length has one. */
const ERROR_WORDS = 9;

export function readError(output: Output, events: readonly (Event | DocumentEvent)[]): JsonSpigotError {
  const offset = output.long();
  const line = output.long();
  const column = output.long();
  const kind = output.string();
  // Nothing stands for a path that is not known.
  const path = output.string() || null;
  const message = output.string();
  return new JsonSpigotError(kind, message, { offset, line, column, path, events });
}
