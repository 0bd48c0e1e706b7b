// Reads the events of the module's output. Keeps the data that the module writes only once: the paths of open matches, and the
// texts of open strings.

import { JsonSpigotError } from "../core/error.js";
import type { EndEvent, Event, ValueType } from "../core/events.js";
import { carrySegments, matchEvent } from "../core/match-event.js";
import { makeValue, type Making } from "../core/values.js";
import type { Output } from "./instance.js";

carrySegments();

const TYPES: readonly ValueType[] = ["null", "boolean", "number", "string", "array", "object"];

interface OpenMatch {
  readonly path: string;
  readonly type: ValueType;
  /** The text of a string so far, since its end has no text. */
  text: string;
}

/** How events are made. */
export interface EventOptions extends Making {
  readonly spelling: boolean;
}

/** A reader of the events of one text. */
export class EventReader {
  readonly #options: EventOptions;
  readonly #open = new Map<number, OpenMatch>();

  constructor(options: EventOptions) {
    this.#options = options;
  }

  /** Reads an event. */
  read(output: Output): Event {
    const first = output.word();
    const pattern = first >>> 8;
    const id = output.word();
    const offset = output.long();
    switch (first & 15) {
      case 0: {
        const [path, type] = [output.string(), TYPES[(first >>> 4) & 15]!];
        this.#open.set(id, { path, type, text: "" });
        return Object.assign(matchEvent("begin", { id, pattern, path }, offset), { type });
      }
      case 1: {
        const match = this.#open.get(id)!;
        const text = output.string();
        match.text += text;
        return Object.assign(matchEvent("delta", { id, pattern, path: match.path }, offset), { text });
      }
      case 2:
        return this.#end(output, matchEvent("end", { id, pattern, path: this.#open.get(id)!.path }, offset), (first >>> 4) & 15);
      default: {
        const path = output.string();
        const error = readError(output);
        // No open match inside is reported any more.
        for (const [id, match] of this.#open) if (match.path.startsWith(`${path} | `)) this.#open.delete(id);
        return Object.assign(matchEvent("inner-error", { id, pattern, path }, offset), { error });
      }
    }
  }

  /** Reads what follows an end: 0 if the value was not retained, 2 if its text is in the output. */
  #end(output: Output, event: { -readonly [M in keyof EndEvent]: EndEvent[M] }, known: number): EndEvent {
    const { type, text } = this.#open.get(event.matchId)!;
    this.#open.delete(event.matchId);
    event.type = type;
    event.value = known === 0 ? undefined : text;
    if (known <= 1) return event;
    const raw = output.string();
    // A match that began with the `-` of `-Infinity` was reported as a number.
    if (raw === "null") event.type = "null";
    event.value = makeValue(raw, this.#options);
    if (this.#options.spelling) event.raw = raw;
    return event;
  }
}

/** Reads an error. */
export function readError(output: Output): JsonSpigotError {
  const offset = output.long();
  const line = output.long();
  const column = output.long();
  const kind = output.string();
  const path = output.string() || null;
  const message = output.string();
  return new JsonSpigotError(kind, message, { offset, line, column, path });
}
