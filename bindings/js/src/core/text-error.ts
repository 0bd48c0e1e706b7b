// Errors in a text: what is thrown where it is wrong, and what the engine knows of the error.

import { JsonSpigotError, type Place } from "./error.js";
import type { DocumentEvent, Event } from "./events.js";
import type { Engine } from "./engine.js";
import { spell } from "./patterns/path.js";
import { AFTER, DONE, LITERAL, NUMBER, STRING, WORDS } from "./states.js";

/** An error that is thrown inside the engine, without a stack trace. Line, column and path are added later. */
export class Fault {
  constructor(
    readonly kind: string,
    readonly offset: number,
    /** The text after the kind in the message. */
    readonly expected: string,
    /** Where in the text that is read. */
    readonly at: number,
  ) {}
}

/** An error whose parts are known, and what it expected. */
export class TextError extends JsonSpigotError {
  declare readonly expected: string;

  constructor(kind: string, expected: string, { offset, line, column, path }: Place, events?: readonly (Event | DocumentEvent)[]) {
    const what = kind === "invalid-utf8" ? "invalid UTF-8" : kind.replace(/-/g, " ");
    const where = line > 0 ? ` at line ${line} column ${column} (byte ${offset})` : "";
    const message = `${what}: ${expected}${where}${path === null ? "" : ` in ${path}`}`;
    super(kind, message, { offset, line, column, path, ...(events && { events }) });
    Object.defineProperty(this, "expected", { value: expected });
  }
}

/** Returns a copy of an error with these events before it. */
export const withEvents = (error: TextError, events: readonly (Event | DocumentEvent)[] = []): TextError =>
  new TextError(error.kind, error.expected, error, events);

/** Makes an error of a fault in the text of this engine. */
export function errorOf(fault: Fault, engine: Engine, path = engine.errorPath(fault)): TextError {
  const { kind, expected, offset } = fault;
  return new TextError(kind, expected, { offset, line: engine.lines + 1, column: Math.max(0, offset - engine.lineStart) + 1, path });
}

// Expected tokens.

/** The expected token of each state, by its number; `undefined` where it depends on more than the state. */
const WANTED: readonly (string | undefined)[] = [
  "a value",
  "a value or `]`",
  "a key or `}`",
  "a key",
  "`:`",
  undefined,
  "the rest of a string",
  "the rest of a string",
  "the rest of a number or its end",
  undefined,
  "nothing but white space after the value",
  "a value",
];

/** Returns the expected token, for messages. */
export function wanted(engine: Engine): string {
  const { state } = engine;
  if (state === AFTER) return `\`,\` or \`${engine.top!.isArray ? "]" : "}"}\``;
  return state === LITERAL ? `\`${WORDS[engine.word]!}\`` : WANTED[state]!;
}

export function unexpected(engine: Engine, s: string, i: number): never {
  const c = s.charCodeAt(i);
  if (engine.state === DONE) engine.fail("trailing-bytes", i, wanted(engine));
  engine.fail("unexpected-byte", i, wanted(engine) + (engine.depth === 0 ? engine.guess(c) : ""));
}

// Paths of errors.

/** Returns the path if it is known without reading the kept text again; otherwise `null`. */
export function knownPath(engine: Engine, kind: string): string | null {
  const { depth } = engine;
  if (engine.inner !== undefined || engine.open.length > 0) return spellTo(engine, depth);
  if (depth === 0) return "$";
  if (hasLeaf(engine, kind)) return null;
  if (depth === 1) return "$";
  const top = engine.top!;
  const areKnown = engine.stack.slice(0, depth - 1).every((frame) => frame.isLive);
  return areKnown && (top.isLive || top.matches.length > 0) ? spellTo(engine, depth - 1) : null;
}

/**
 * Returns the path of the innermost of so many open containers, or of the leaf in it. It has no middle if it is longer than 200
 * characters, since a key may be as long as the text.
 */
export function spellTo(engine: Engine, depth: number): string {
  const path = spell(engine.stack.slice(0, Math.max(0, depth)).map((frame) => (frame.isArray ? frame.index : frame.key)));
  if (path.length <= 200) return path;
  const characters = [...path];
  return characters.length <= 200 ? path : [...characters.slice(0, 100), "…", ...characters.slice(-99)].join("");
}

export const isInLeaf = ({ state }: Engine): boolean => state === STRING || state === NUMBER || state === LITERAL;

/** Returns true if the innermost open value is a leaf, as far as the kind of error says so. */
function hasLeaf(engine: Engine, kind: string): boolean {
  switch (kind) {
    case "invalid-number":
    case "invalid-literal":
    case "number-limit":
      return true;
    case "unexpected-byte":
    case "trailing-bytes":
    case "duplicate-key":
    case "key-limit":
    case "depth-limit":
      return false;
    default:
      return isInLeaf(engine);
  }
}
