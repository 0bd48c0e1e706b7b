// The shortest text that leads to where a parser is that does not retain all its text, in steps.
//
// It has the open containers with their keys, all keys of open objects if duplicates are rejected, and the text of the open
// matches, if that is kept. Where text was left out, so that reading it can't restore the counters, a step sets them. Each text
// inside a string has steps of its own, which follow those of the text around it.

import type { EngineState, ReportingEngine } from "../core/reporting.js";
import type { Frame, Match } from "../core/frame.js";
import type { Limits } from "../core/options.js";
import { NOWHERE, type Automaton } from "../core/patterns/automaton.js";
import {
  AFTER,
  CLOSED,
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
} from "../core/states.js";
import { inside } from "../core/tree/growth.js";
import { count, flag, listOf, members, optional, text, unless, type Form, type Of } from "./state.js";

/** A part of the text, and what is set before it is read. */
const step = members({
  text: optional(text, ""),
  /** The offset of its first byte. */
  at: optional(count, undefined),
  /** The id of its first match. */
  id: optional(count, undefined),
  /** The index of the next element. */
  index: optional(count, undefined),
  /** True if the parser retains this text, so that nothing of it or of a text inside is left out. */
  isKept: optional(flag, false),
});

type Step = Of<typeof step>;

export const steps: Form<Step[]> = listOf(step);

/** Returns the engines of the texts that are open in each other, outermost first. */
export function levelsOf(engine: ReportingEngine): ReportingEngine[] {
  const levels: ReportingEngine[] = [];
  for (let level: ReportingEngine | undefined = engine; level; level = level.inner) levels.push(level);
  return levels;
}

/** Returns the text of the open escape. */
function escapeText({ escape, code, high }: EngineState): string {
  const digitsOf = (unit: number, digits: number): string => (digits === 0 ? "" : unit.toString(16).padStart(digits, "0"));
  const before = high === 0 ? "" : `\\u${digitsOf(high, 4)}`;
  if (escape === PAIR_BACKSLASH) return before;
  return `${before}\\${escape === LETTER || escape === PAIR_U ? "" : `u${digitsOf(code, DIGITS + 3 - escape)}`}`;
}

/** The beginning of some number, by what its last unit was. */
const SOME_NUMBERS = ["", "-", "0", "1", "0.", "0.1", "0e", "0e+", "0e1"];

/** Returns a text that is equivalent to the unreported part of the open token. */
function tailOf(engine: EngineState): string {
  const { state } = engine;
  if (state === STRING || state === KEY_STRING) return engine.escape === NO_ESCAPE ? "" : escapeText(engine);
  if (state === NUMBER) return engine.isWanted ? engine.token : SOME_NUMBERS[engine.part]!;
  return state === LITERAL ? WORDS[engine.word]!.slice(0, engine.matched) : "";
}

/** Returns a key that no pattern names. */
export function unusedKey(automaton: Automaton): string {
  let key = "";
  const names = automaton.patterns.flatMap(({ steps }) => steps.flatMap(({ selectors }) => selectors));
  while (names.includes(key)) key += " ";
  return key;
}

/** Returns the newest key of an object at a depth, if a pattern may select something there. */
function followedKey({ stack }: EngineState, frame: Frame, depth: number): string | undefined {
  const isFollowed = frame.isLive && stack.slice(0, depth).every(({ isLive }) => isLive);
  return isFollowed && frame.node.member(frame.key) !== NOWHERE ? frame.key : undefined;
}

/** Returns the steps that lead to where a text is. */
export function stepsTo(engine: EngineState): Step[] {
  const { stack, depth, state, kept, keepsMatches } = engine;
  const unused = unusedKey(engine.automaton);
  const list: Partial<Step>[] = [];

  const push = (text: string): void => {
    const last = list[list.length - 1];
    if (last === undefined) list.push({ text });
    else last.text = (last.text ?? "") + text;
  };

  /** Begins a value. Returns true if its text is kept, so that nothing else has to be written. */
  const begin = ([first]: readonly Match[], start: number, isAtom = false): boolean => {
    if (first === undefined) return false;
    const step: Partial<Step> = { at: first.offset, id: first.id };
    list.push(step);
    // An atom's text comes with its end.
    if (!keepsMatches || isAtom) return false;
    Object.assign(step, { text: kept!.slice(start, kept!.end), isKept: true });
    return true;
  };

  /** Writes what is in an open container before the next token, or before the open value. */
  const writeContent = (frame: Frame, state: number, depth: number): void => {
    if (state === FIRST || state === FIRST_KEY) return;
    if (frame.isArray) {
      if (frame.isLive && frame.index > 0) list.push({ index: frame.index });
      push(state === VALUE ? "0," : state === AFTER ? "0 " : "");
      return;
    }
    const hasKey = state !== KEY && state !== AFTER && state !== KEY_STRING;
    const keys = [...(frame.keys ?? [])];
    const key = hasKey ? (frame.keys ? keys.pop() : followedKey(engine, frame, depth)) : undefined;
    if (keys.length === 0 && (state === KEY || state === AFTER)) keys.push(unused);
    push(keys.map((earlier) => `${JSON.stringify(earlier)}:0`).join());
    // A number ends before white space.
    if (state === AFTER) return push(" ");
    if (state === KEY || keys.length > 0) push(",");
    if (hasKey) push(`${JSON.stringify(key ?? unused)}${state === COLON ? "" : ":"}`);
  };

  if (state === CLOSED) return [];
  if (state === DONE) push("0 ");
  for (let at = 0; at < depth; at++) {
    const frame = stack[at]!;
    if (begin(frame.matches, frame.start)) return list as Step[];
    push(frame.isArray ? "[" : "{");
    // A container around the innermost one is inside a value.
    writeContent(frame, at + 1 === depth ? state : LITERAL, at);
  }
  if (state === KEY_STRING) push(`"${inside(engine.buffer)}`);
  if (state === STRING || state === NUMBER || state === LITERAL) {
    if (begin(engine.open, engine.leafStart, state !== STRING)) return list as Step[];
    if (state === STRING) push('"');
  }
  const tail = tailOf(engine);
  return [...list, { at: engine.base - tail.length, ...(tail !== "" && { text: tail }) }] as Step[];
}

/**
 * Reads the steps that lead to where a text is, with `feed`. Returns true if the last one is kept. The text that was read was
 * within the limits, but this one may be longer, except for keys and numbers, and for text that is kept. The values and keys of what is
 * left out are short.
 */
export function readSteps(level: ReportingEngine, list: readonly Step[], feed: (text: string) => void): boolean {
  const { limits } = level.options;
  const [key, number] = [Math.max(limits.key, unusedKey(level.automaton).length), Math.max(limits.number, 1)];
  const others = { string: Infinity, blank: Infinity, total: Infinity };
  setLimits(level, { ...limits, key, number, ...others });
  let isKept = false;
  for (const step of list) {
    unless(!isKept);
    isKept = step.isKept && level.keepsMatches;
    unless(!retainsMatch(level));
    setCounters(level, step);
    if (isKept) setLimits(level, { ...limits, total: Infinity });
    feed(step.text);
  }
  unless(isKept || !retainsMatch(level));
  return isKept;
}

export function setLimits(level: ReportingEngine, limits: Required<Limits>): void {
  level.limits = level.innerLimits = limits;
}

/** Returns true if the text of an open match is kept. That of an atom comes with its end. */
function retainsMatch({ keepsMatches, open, state, stack, depth }: ReportingEngine): boolean {
  const isOpen = state === STRING && open.length > 0;
  return keepsMatches && (isOpen || stack.slice(0, depth).some(({ matches }) => matches.length > 0));
}

/** Sets the counters of a step, where text may have been left out. */
function setCounters(level: ReportingEngine, { at, id, index }: Step): void {
  const { top, output } = level;
  if (at !== undefined) {
    unless(newestStart(level) < at && at <= level.options.limits.total);
    unless(level.escape === NO_ESCAPE && level.state !== NUMBER && level.state !== LITERAL && level.state !== CLOSED);
    level.limit += at - level.base;
    level.base = at;
  }
  if (id !== undefined) {
    unless(id >= output.nextMatch);
    output.nextMatch = id;
  }
  if (index === undefined) return;
  unless(top?.isArray === true && level.state === FIRST);
  top.index = index - 1;
}

/** Returns the offset of the newest open value that is selected; -1 if there is none. */
export function newestStart(engine: EngineState): number {
  if (engine.open.length > 0) return engine.open[0]!.offset;
  for (let depth = engine.depth - 1; depth >= 0; depth--) {
    const [first] = engine.stack[depth]!.matches;
    if (first) return first.offset;
  }
  return -1;
}
