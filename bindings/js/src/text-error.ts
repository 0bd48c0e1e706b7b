// Errors in a text, from what the engine knows of them.

import { JsonSpigotError } from "./error.js";
import type { Event } from "./events.js";
import type { Engine, Fault } from "./engine.js";

/** What an error says: its kind as a person writes it, what was expected, and where. */
export function messageOf(kind: string, expected: string, offset: number, line: number, column: number, path: string | null): string {
  const what = kind === "invalid-utf8" ? "invalid UTF-8" : kind.replace(/-/g, " ");
  const where = line > 0 ? ` at line ${line} column ${column} (byte ${offset})` : "";
  return `${what}: ${expected}${where}${path === null ? "" : ` in ${path}`}`;
}

/** An error whose parts are known, and what it expected. */
export class TextError extends JsonSpigotError {
  declare readonly expected: string;

  constructor(
    kind: string,
    expected: string,
    offset: number,
    line: number,
    column: number,
    path: string | null,
    events: readonly Event[] = [],
  ) {
    super(kind, messageOf(kind, expected, offset, line, column, path), { offset, line, column, path, events });
    Object.defineProperty(this, "expected", { value: expected });
  }

  /** The same, with the events of the chunk before it. */
  with(events: readonly Event[]): TextError {
    return new TextError(this.kind, this.expected, this.offset, this.line, this.column, this.path, events);
  }
}

/** The error that a fault is, in the text of this engine. */
export function errorOf(fault: Fault, engine: Engine, path = engine.errorPath(fault)): TextError {
  const { kind, expected, offset } = fault;
  return new TextError(kind, expected, offset, engine.lines + 1, Math.max(0, offset - engine.lineStart) + 1, path);
}
