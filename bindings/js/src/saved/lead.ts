// The shortest text that leads to where a parser is that does not retain all its text.
//
// It has the open containers with their keys; the snapshot, or the keys of open objects, if duplicates are rejected; and the
// text of the open matches, if that is kept. Where text was left out, so that reading it can't restore the counters, there is
// a {@link Jump} to their values.

import type { EngineState } from "../core/engine.js";
import type { Frame, Match } from "../core/frame.js";
import {
  AFTER,
  COLON,
  DIGITS,
  DONE,
  FIRST,
  FIRST_KEY,
  KEY,
  KEY_STRING,
  LETTER,
  LITERAL,
  NO_ESCAPE,
  NUMBER,
  PAIR_BACKSLASH,
  PAIR_U,
  STRING,
  VALUE,
  WORDS,
  CLOSED,
} from "../core/states.js";
import { inside } from "../core/tree/growth.js";
import { Shown, shownText } from "../core/tree/shown.js";
import type { Text } from "../core/text.js";

/** Something that the text before a place does not lead to. */
export interface Jump {
  /** In the text of the lead, in units until it is written. */
  readonly place: number;
  /** One of the numbers below, and {@link LEVEL} times the level of a text. */
  readonly kind: number;
  readonly numbers: readonly number[];
}

/** The offset of the next byte in the text of a level. */
export const OFFSET = 1;
/** A match begins: the same, and its id. */
export const MATCH = 3;
export const NEXT_INDEX = 4;
/** The text that was read follows, so that texts in it are read within their limits. */
export const KEPT = 8;
export const LEVEL = 16;

export class Lead {
  text = "";
  /** The bytes of an incomplete sequence after the text. */
  bytes: Uint8Array = new Uint8Array(0);
  jumps: Jump[] = [];

  push(text: string): void {
    this.text += text;
  }

  jump(kind: number, ...numbers: number[]): void {
    this.jumps.push({ place: this.text.length, kind, numbers });
  }

  jumpTo(level: number, offset: number): void {
    this.jump(level * LEVEL + OFFSET, offset);
  }

  /** Appends a text inside a string of this one. */
  pushInside(inner: Lead): void {
    let from = 0;
    for (const jump of inner.jumps) {
      this.push(inside(inner.text.slice(from, jump.place)));
      from = jump.place;
      this.jumps.push({ ...jump, place: this.text.length });
    }
    this.push(inside(inner.text.slice(from)));
  }
}

/** Returns the text of the open escape. */
function escapeText({ escape, code, high }: EngineState): string {
  const hex = (unit: number, digits: number): string =>
    `\\u${unit
      .toString(16)
      .padStart(4, "0")
      .slice(4 - digits)}`;
  const before = high === 0 ? "" : hex(high, 4);
  if (escape === LETTER || escape === PAIR_U) return `${before}\\`;
  if (escape === PAIR_BACKSLASH) return before;
  const digits = DIGITS + 3 - escape;
  return `${before}\\u${digits === 0 ? "" : code.toString(16).padStart(digits, "0")}`;
}

/** The beginning of some number, by what its last unit was. */
const SOME_NUMBERS = ["", "-", "0", "1", "0.", "0.1", "0e", "0e+", "0e1"];

/** Returns a text that is equivalent to the unreported part of the open token. */
function tailOf(engine: EngineState): string {
  switch (engine.state) {
    case STRING:
    case KEY_STRING:
      return engine.escape === NO_ESCAPE ? "" : escapeText(engine);
    case NUMBER:
      return engine.isWanted ? engine.token : SOME_NUMBERS[engine.part]!;
    case LITERAL:
      return WORDS[engine.word]!.slice(0, engine.matched);
    default:
      return "";
  }
}

/** Returns the text that leads to the state of an open text. */
export function leadToOpen(text: Text): Lead {
  const lead = new Lead();
  new LevelWriter(text, text.engine, 0).write(lead);
  return lead;
}

/** Returns the text that leads to the snapshot of a text that has ended or failed. */
export function leadToShown(text: Text): Lead {
  const { input, engine } = text;
  const lead = new Lead();
  const { tree } = engine;
  if (text.hasFailed && (!tree || shownText(engine) === undefined)) return lead;
  if (!tree) {
    lead.push("0 ");
    lead.jumpTo(0, input.offset);
    return lead;
  }
  const hasOpenLeaf = engine.state === STRING || (tree.isAtomShown && tree.openAtom(engine) !== undefined);
  if (!text.hasFailed || (engine.depth === 0 && !hasOpenLeaf)) {
    lead.push(`${shownText(engine) ?? ""} `);
    if (!text.hasFailed) lead.jumpTo(0, engine.base);
    return lead;
  }
  const shown = new Shown(engine);
  shown.readOpen();
  lead.push(shown.out);
  const atom = tree.openAtom(engine);
  if (engine.state === STRING) lead.push(shown.before + shown.openString);
  // Not all of a literal, so that it stays open.
  else if (hasOpenLeaf) lead.push(shown.before + (engine.state === LITERAL ? atom!.slice(0, -1) : atom!));
  // A number that has ended.
  else lead.push(" ");
  return lead;
}

/** The text of a level, which is open. */
class LevelWriter {
  readonly #text: Text;
  readonly #engine: EngineState;
  readonly #level: number;
  readonly #shown: Shown | undefined;
  /** How much of the snapshot has been written. */
  #written = 0;

  constructor(text: Text, engine: EngineState, level: number) {
    this.#text = text;
    this.#engine = engine;
    this.#level = level;
    if (engine.tree) {
      this.#shown = new Shown(engine);
      this.#shown.readOpen();
    }
  }

  write(lead: Lead): void {
    const engine = this.#engine;
    if (engine.state === CLOSED) {
      // No JSON text begins like this.
      lead.push("x");
      return;
    }
    const { input } = this.#text;
    if (engine.state === DONE) lead.push(`${engine.tree ? shownText(engine) : "0"} `);
    else if (this.#writeOpen(lead)) return;
    const tail = tailOf(engine);
    lead.jumpTo(this.#level, engine.base - tail.length);
    lead.push(tail);
    if (this.#level === 0 && input.hasBegun) lead.bytes = input.bytes;
  }

  /** Begins a value. Returns true if its text is kept, so that nothing else has to be written. */
  #begin(matches: readonly Match[], start: number, isKept: boolean, lead: Lead): boolean {
    const first = matches[0];
    if (first === undefined) return false;
    lead.jump(this.#level * LEVEL + MATCH, first.offset, first.id);
    const engine = this.#engine;
    if (!isKept || engine.options.retain !== "matches") return false;
    lead.jump(KEPT);
    lead.push(engine.kept!.slice(start, engine.kept!.end));
    if (this.#level === 0) lead.bytes = this.#text.input.bytes;
    return true;
  }

  /** Writes the open containers and the open leaf. Returns true if nothing else has to be written. */
  #writeOpen(lead: Lead): boolean {
    const engine = this.#engine;
    for (let depth = 0; depth < engine.depth; depth++) {
      const frame = engine.stack[depth]!;
      if (this.#shown) this.#pushShown(this.#shown.starts[depth]!, lead);
      if (this.#begin(frame.matches, frame.start, true, lead)) return true;
      const state = depth + 1 === engine.depth ? engine.state : LITERAL;
      if (this.#shown) {
        if (depth + 1 === engine.depth) this.#writeShownRest(frame, state, lead);
        continue;
      }
      lead.push(frame.isArray ? "[" : "{");
      if (frame.isArray) this.#writeElements(frame, state, lead);
      else this.#writeMembers(frame, state, depth, lead);
    }
    switch (engine.state) {
      case KEY_STRING:
        lead.push(`"${inside(engine.buffer)}`);
        return false;
      case STRING:
        if (this.#begin(engine.open, engine.leafStart, true, lead)) return true;
        lead.push('"');
        if (this.#shown) {
          lead.push(inside(engine.text));
        } else if (engine.inner) {
          const inner = new Lead();
          new LevelWriter(this.#text, engine.inner, this.#level + 1).write(inner);
          lead.pushInside(inner);
        }
        return false;
      case NUMBER:
      case LITERAL:
        // An atom's text comes with its end.
        return this.#begin(engine.open, engine.leafStart, this.#level > 0, lead);
      default:
        return false;
    }
  }

  #pushShown(to: number, lead: Lead): void {
    lead.push(this.#shown!.out.slice(this.#written, to));
    this.#written = to;
  }

  /** Writes the rest of the snapshot, and the text before the innermost container's next token. */
  #writeShownRest(frame: Frame, state: number, lead: Lead): void {
    const shown = this.#shown!;
    this.#pushShown(shown.out.length, lead);
    switch (state) {
      case FIRST:
      case FIRST_KEY:
        return;
      case KEY:
        lead.push(",");
        return;
      case AFTER:
        // A number ends here.
        lead.push(" ");
        return;
      case KEY_STRING:
        lead.push(shown.hasChildren ? "," : "");
        return;
      case COLON:
        lead.push(`${shown.hasChildren ? "," : ""}${JSON.stringify(frame.key)}`);
        return;
      case VALUE:
        lead.push(frame.isArray ? "," : shown.before);
        return;
      default:
        lead.push(shown.before);
    }
  }

  #writeMembers(frame: Frame, state: number, depth: number, lead: Lead): void {
    const hasKey = state !== FIRST_KEY && state !== KEY && state !== AFTER && state !== KEY_STRING;
    let hasMembers = false;
    let key = this.#followedKey(frame, depth);
    if (frame.keys) {
      const keys = [...frame.keys];
      if (hasKey) key = keys.pop();
      for (const earlier of keys) {
        lead.push(`${hasMembers ? "," : ""}${JSON.stringify(earlier)}:0`);
        hasMembers = true;
      }
    }
    if (!hasMembers && (state === KEY || state === AFTER)) lead.push(`${JSON.stringify(this.#unusedKey())}:0`);
    const comma = hasMembers ? "," : "";
    switch (state) {
      case FIRST_KEY:
        return;
      case KEY:
        lead.push(",");
        return;
      case AFTER:
        // A number ends here.
        lead.push(" ");
        return;
      case KEY_STRING:
        lead.push(comma);
        return;
      default:
        lead.push(`${comma}${JSON.stringify(key ?? this.#unusedKey())}${state === COLON ? "" : ":"}`);
    }
  }

  #writeElements(frame: Frame, state: number, lead: Lead): void {
    const isBetween = state === VALUE || state === AFTER;
    if (state === FIRST) return;
    if (frame.isLive && frame.index > 0) lead.jump(NEXT_INDEX, frame.index);
    lead.push(isBetween ? "0" : "");
    lead.push(state === VALUE ? "," : state === AFTER ? " " : "");
  }

  /** Returns the newest key of an object, if a pattern may select something there. */
  #followedKey(frame: Frame, depth: number): string | undefined {
    const isFollowed = frame.isLive && this.#engine.stack.slice(0, depth).every(({ isLive }) => isLive);
    return isFollowed && frame.node.member(frame.key) !== this.#engine.automaton.nowhere ? frame.key : undefined;
  }

  /** Returns a key that no pattern names. */
  #unusedKey(): string {
    let key = "";
    while (this.#engine.automaton.names(key)) key += " ";
    return key;
  }
}
