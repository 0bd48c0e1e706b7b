// Reads the events of the module's output. It keeps what the module says only once: the paths of open matches, and the texts
// of open strings.

import { JsonSpigotError } from "../error.js";
import type { EndEvent, Event, ValueType } from "../events.js";
import { carrySegments, matchEvent } from "../match-event.js";
import { makeNumber, makeValue, type Json, type Making } from "../values.js";
import type { Exports, Instance, Output } from "./instance.js";

carrySegments();

const TYPES: readonly ValueType[] = ["null", "boolean", "number", "string", "array", "object"];

interface OpenMatch {
  readonly id: number;
  readonly path: string;
  readonly type: ValueType;
  text: string;
  /** The delta that was reported last, and in which call: a chunk has one delta of a match. */
  delta: { text: string } | undefined;
  call: number;
}

export interface EventOptions extends Making {
  readonly spelling: boolean;
  /** True if the text of strings is kept for their ends, which do not bring it. */
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

  reset(): void {
    this.#open = [];
    this.refusal = undefined;
  }

  /** One event in an output that has more than events of one text. Every delta is reported by itself. */
  readOne(output: Output, instance: Instance<Exports>): Event {
    const events: Event[] = [];
    this.#call += 1;
    this.#next(output, events, instance);
    return events[0]!;
  }

  /** Reads one event: adds it to those of the call, or its text to the delta that this call has reported already. */
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
        const event = matchEvent("begin", { id: matchId, pattern, path }, offset);
        event.type = type;
        events.push(event);
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
        const event = matchEvent("delta", { id: matchId, pattern, path: match.path }, offset);
        event.text = text;
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
        // Nothing more is reported of what is open inside, nor of what is inside texts within it.
        this.#open = this.#open.filter((match) => !match.path.startsWith(`${path} | `));
        const event = matchEvent("inner-error", { id: matchId, pattern, path }, offset);
        event.error = error;
        events.push(event);
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
    const event = matchEvent("end", { id: matchId, pattern, path }, offset);
    event.type = begun;
    event.value = known === 0 ? undefined : text;
    if (at === open.length - 1) open.pop();
    else open.splice(at, 1);
    if (known <= 1) return event;
    const raw = output.string();
    // What begins as `-Infinity` does may be a number, and is none.
    if (raw === "null") event.type = "null";
    event.value = this.#value(event.type, raw);
    if (this.#options.spelling) event.raw = raw;
    return event;
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

export function readError(output: Output, events: readonly Event[]): JsonSpigotError {
  const offset = output.long();
  const line = output.long();
  const column = output.long();
  const kind = output.string();
  // Nothing stands for a path that is not known.
  const path = output.string() || null;
  const message = output.string();
  return new JsonSpigotError(kind, message, { offset, line, column, path, events });
}
