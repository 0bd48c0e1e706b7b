// Reads the events of the module's output. Keeps what the module writes only once: the paths of open matches.

import { JsonSpigotError } from "../core/error.js";
import type { Event, ValueType } from "../core/events.js";
import { carrySegments, matchEvent } from "../core/match-event.js";
import type { Settings } from "../core/options.js";
import { makeValue } from "../core/values.js";
import type { Output } from "./instance.js";

carrySegments();

const TYPES: readonly ValueType[] = ["null", "boolean", "number", "string", "array", "object"];

interface OpenMatch {
  readonly path: string;
  readonly type: ValueType;
}

/** A reader of the events of one text. */
export class EventReader {
  readonly #open = new Map<number, OpenMatch>();

  constructor(readonly options: Settings) {}

  /** Reads an event. */
  read(output: Output): Event {
    const first = output.word();
    const pattern = first >>> 8;
    const id = output.word();
    const offset = output.long();
    switch (first & 15) {
      case 0: {
        const [path, type] = [output.string(), TYPES[(first >>> 4) & 15]!];
        this.#open.set(id, { path, type });
        return Object.assign(matchEvent("begin", { id, pattern, path }, offset), { type });
      }
      case 1: {
        const { path } = this.#open.get(id)!;
        return Object.assign(matchEvent("delta", { id, pattern, path }, offset), { text: output.string() });
      }
      case 2: {
        const { path, type } = this.#open.get(id)!;
        this.#open.delete(id);
        const raw = (first & 16) === 0 ? undefined : output.string();
        const value = raw === undefined ? undefined : makeValue(raw, this.options);
        // A match that began with the `-` of `-Infinity` was reported as a number.
        const end = { type: raw === "null" ? "null" : type, value, ...(this.options.spelling && raw !== undefined && { raw }) };
        return Object.assign(matchEvent("end", { id, pattern, path }, offset), end);
      }
      default: {
        const path = output.string();
        const error = readError(output);
        // No open match inside is reported any more.
        for (const [id, match] of this.#open) if (match.path.startsWith(`${path} | `)) this.#open.delete(id);
        return Object.assign(matchEvent("inner-error", { id, pattern, path }, offset), { error });
      }
    }
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
