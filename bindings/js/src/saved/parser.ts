// The state of a parser, and how another parser is led to it.
//
// A state has nothing of the parser's own: it is a text, which is read once more through the same parser, and the counters
// that this can't lead to. So any bytes give a parser that some text leads to, or an error.

import type { JsonSpigotError } from "../core/error.js";
import { prototypeKey } from "../core/values.js";
import type { Engine } from "../core/engine.js";
import { Fault, TextError } from "../core/text-error.js";
import { AFTER, CLOSED, DONE, KEY_STRING, LITERAL, NO_ESCAPE, NUMBER, STRING } from "../core/states.js";
import { STRICT } from "../lenient/translator.js";
import type { Text } from "../core/text.js";
import type { Limits, Settings } from "../core/options.js";
import { spelling } from "../core/patterns/pattern.js";
import { encode, joined, utf8Length } from "../core/utf8.js";
import { unless, type Owner, type Reader, type Writer } from "./state.js";
import { restoreGrowth, saveGrowth } from "./growth.js";
import { openHalf, savedBytes, waiting } from "./input.js";
import { KEPT, leadToOpen, leadToShown, LEVEL, MATCH, NEXT_INDEX, OFFSET, type Lead } from "./lead.js";

/** In the order of their numbers in a state. */
const ERROR_KINDS = [
  "unexpected-byte",
  "invalid-escape",
  "lone-surrogate",
  "invalid-utf8",
  "control-character",
  "invalid-number",
  "invalid-literal",
  "trailing-bytes",
  "incomplete",
  "duplicate-key",
  "depth-limit",
  "key-limit",
  "string-limit",
  "number-limit",
  "blank-limit",
  "total-limit",
  "snapshot-limit",
  "out-of-order",
  "not-retained",
  "invalid-path",
  "foreign-revision",
  "finished",
  "data",
  "panicked",
  "private-key",
];

// How outcomes are written.
const OPEN = 0;
const FINISHED = 1;
const FAILED = 2;

/** Added to the outcome if the text ends with a number that has ended. */
const AFTER_NUMBER = 4;

/** Returns the options that lead to other states. */
function choicesOf({ limits, retain, rejectsDuplicates, snapshots, provisional, lenient, accept }: Settings): Owner["choices"] {
  const { depth, key, string, number, blank, total } = limits;
  const most = [depth, key, string, number, blank, total].map((limit) => (limit === Infinity ? null : limit));
  return [retain, rejectsDuplicates, Boolean(snapshots), provisional, lenient?.bits ?? 0, lenient !== undefined && accept, ...most];
}

export function ownerOf({ automaton, settings }: Text): Owner {
  return { kind: "parser", patterns: automaton.patterns.map(spelling), choices: choicesOf(settings) };
}

/** Fails if a text cannot be saved: a lenient parser is restored from all of its input. */
export function checkSavable(text: Text): void {
  const { lenient, retain } = text.settings;
  if (lenient === undefined || retain === "all") return;
  throw text.errorOfCall("not-retained", "expected a lenient parser that retains all of its text");
}

/** Returns the data that no text leads to; `undefined` if there is none. */
export function noteOf(text: Text): unknown {
  const { input, output } = text;
  const { tree } = input.engine;
  const half = text.isOpen ? openHalf(input) : "";
  const note = {
    half: half === "" ? undefined : half.charCodeAt(0),
    mark: openHalf(input) === "" && waiting(input) > 0 ? [...input.bytes] : undefined,
    refused: keyOf(output.refusal),
    hidden: keyOf(tree?.refusal),
    growth: tree?.growth && saveGrowth(tree.growth, input.engine),
  };
  return Object.values(note).some((part) => part !== undefined) ? note : undefined;
}

function keyOf(refusal: unknown): string | undefined {
  return refusal === undefined ? undefined : /"__proto__"/.test((refusal as Error).message) ? "__proto__" : "prototype";
}

/** Takes up what {@link noteOf} has noted. */
export function takeNote(text: Text, note: unknown): void {
  const { half, mark, refused, hidden, growth } = (note ?? {}) as Record<string, unknown>;
  const { input, output } = text;
  const { engine } = input;
  if (half !== undefined) {
    unless(typeof half === "number" && half >= 0xd800 && half <= 0xdbff && text.isOpen);
    replay(text, String.fromCharCode(half as number));
    output.events = [];
    unless(openHalf(input) !== "");
  }
  if (mark !== undefined) {
    unless(Array.isArray(mark) && !input.readsMark && engine.base === 0 && ["239", "239,187"].includes(mark.join()));
    input.bytes = Uint8Array.from(mark as number[]);
    input.hasBegun = false;
  }
  const refusal = (key: unknown): JsonSpigotError => {
    unless(key === "__proto__" || key === "prototype");
    return prototypeKey(key as string);
  };
  if (refused !== undefined) output.refusal = refusal(refused);
  const { tree } = engine;
  if (hidden !== undefined) {
    unless(tree !== undefined);
    tree!.refusal = refusal(hidden);
  }
  if (growth !== undefined) {
    unless(tree !== undefined);
    tree!.growth = restoreGrowth(engine, growth);
  }
}

// Writing.

export function saveText(text: Text, out: Writer): void {
  const { input, settings } = text;
  const outcome = text.isOpen ? OPEN : text.hasFailed ? FAILED : FINISHED;
  out.number(outcome | (hasEndedNumber(text, outcome) ? AFTER_NUMBER : 0));
  if (outcome === FAILED) saveError(text.stoppedBy!, out);
  if (settings.retain === "all") {
    out.bytes(savedBytes(input, text.stoppedBy));
    return;
  }
  saveLead(outcome === OPEN ? leadToOpen(text) : leadToShown(text), out);
  if (outcome !== FAILED) saveCounters(text, out);
}

/**
 * Returns true if the kept text ends with a number that has ended before a byte that is not kept: a byte that was left to the
 * caller, or the bad byte. In the latter case it may also be a digit of a key.
 */
function hasEndedNumber({ engine, input, settings }: Text, outcome: number): boolean {
  const { state, tree } = engine;
  const isInLeaf = state === STRING || state === NUMBER || state === LITERAL;
  // A comment may end with a digit too; and a lenient parser keeps the bad byte.
  const isDone = outcome === OPEN && state === DONE && (input.translator?.step ?? STRICT) === STRICT;
  const hasFailed = outcome === FAILED && tree !== undefined && !isInLeaf && settings.lenient === undefined;
  if (settings.retain !== "all" || (!isDone && !hasFailed)) return false;
  const bytes = savedBytes(input, undefined);
  const last = bytes[bytes.length - 1]!;
  return last >= 48 && last <= 57;
}

function saveLead(lead: Lead, out: Writer): void {
  out.bytes(joined(encode(lead.text), lead.bytes));
  out.number(lead.jumps.length);
  let at = 0;
  for (const { place, kind, numbers } of lead.jumps) {
    // Places are in bytes there.
    out.number(utf8Length(lead.text, at, place));
    at = place;
    for (const number of [kind, ...numbers]) out.number(number);
  }
}

function saveCounters(text: Text, out: Writer): void {
  const { input, output } = text;
  out.number(output.nextMatch);
  for (const level of levelsOf(input.engine)) {
    if (isFailedInside(level, input.engine)) continue;
    const isDocument = level === input.engine;
    const offset = isDocument ? input.offset - (input.half === "" ? waiting(input) : 0) : level.base;
    out.number(level.lines);
    out.number(Math.max(0, offset - level.lineStart));
    out.number(text.isOpen ? countedLength(level, offset) : 0);
  }
}

/** Returns the engines of the texts that are open in each other, outermost first. */
function levelsOf(engine: Engine): Engine[] {
  const levels: Engine[] = [];
  for (let level: Engine | undefined = engine; level; level = level.inner) levels.push(level);
  return levels;
}

function isFailedInside(level: Engine, document: Engine): boolean {
  return level !== document && level.state === CLOSED;
}

/** Returns the number of bytes of the open key, string, number or white space between tokens, if that is limited. */
function countedLength(engine: Engine, offset: number): number {
  const [most, quote] = limitOf(engine);
  if (most === Infinity) return 0;
  if (isBetweenTokens(engine)) return offset === engine.blankEnd ? offset - engine.blankStart : 0;
  return offset - Math.max(0, engine.limit - most - quote);
}

function isBetweenTokens({ state }: Engine): boolean {
  return state <= AFTER || state === DONE;
}

function limitOf(engine: Engine): readonly [most: number, quote: number] {
  const { state } = engine;
  if (state === KEY_STRING) return [engine.limits.key, 1];
  if (state === STRING) return [engine.limits.string, 1];
  if (state === NUMBER) return [engine.limits.number, 0];
  return [isBetweenTokens(engine) ? engine.limits.blank : Infinity, 0];
}

function saveError(error: TextError, out: Writer): void {
  out.number(Math.max(0, ERROR_KINDS.indexOf(error.kind)));
  for (const number of [error.offset, error.line, error.column]) out.number(number);
  // No path is spelt so.
  out.text(error.path ?? "");
  out.text(error.expected);
}

// Reading.

/** Reads what {@link saveText} wrote into a text that is new. */
export function restoreText(text: Text, reader: Reader): void {
  const { input, settings } = text;
  const { engine } = input;
  const first = reader.atMost(FAILED | AFTER_NUMBER);
  const outcome = first & ~AFTER_NUMBER;
  const isLenient = settings.lenient !== undefined;
  unless(outcome <= FAILED);
  const error = outcome === FAILED ? restoreError(reader) : undefined;
  const bytes = reader.bytes();
  // The text was read before, so a byte order mark in front of it is a part of it.
  const { readsMark } = input;
  input.readsMark = true;
  if (settings.retain === "all") {
    // A lenient parser keeps the byte at which it failed.
    if (error === undefined || !isLenient) replay(text, bytes);
    else text.read(bytes);
    unless(!text.isOpen || input.offset === bytes.length);
  } else {
    replayJumping(text, bytes, reader);
    if (error === undefined) restoreCounters(text, reader);
  }
  if ((first & AFTER_NUMBER) !== 0) endNumber(text, outcome);
  input.readsMark = readsMark;
  input.hasBegun ||= engine.base > 0;
  if (error !== undefined) {
    // It held a byte until the text ended, and has failed at that.
    if (isLenient && text.isOpen && error.offset < input.offset) text.end();
    const own = text.stoppedBy;
    const isAtEnd = settings.retain !== "all" || error.offset === bytes.length;
    unless(error.kind !== "panicked" && (own === undefined ? isAtEnd : own.offset === error.offset));
    text.fail(error);
  } else if (outcome === FINISHED) {
    text.end();
    unless(!text.hasFailed && !text.isOpen);
  }
  text.output.events = [];
}

/** Reads a text that has been read before. */
function replay(text: Text, chunk: string | Uint8Array): void {
  if (chunk.length === 0) return;
  try {
    unless(text.input.feed(chunk) === chunk.length);
  } catch (thrown) {
    unless(!(thrown instanceof Fault));
    throw thrown;
  }
}

/** Ends the number at the end of the text, as did a byte that was not kept. */
function endNumber(text: Text, outcome: number): void {
  const { engine, settings } = text;
  unless(settings.retain === "all");
  if (outcome !== FAILED) {
    unless(engine.state === NUMBER && engine.depth === 0);
    engine.finish();
    return;
  }
  unless(settings.lenient === undefined);
  // It may also be a digit of a key.
  if (engine.state !== NUMBER && engine.state !== LITERAL) return;
  // The space may have been the one too many.
  const { limits } = engine;
  engine.limits = { ...limits, blank: Infinity };
  replay(text, " ");
  engine.limits = limits;
  engine.kept!.truncate(engine.kept!.end - 1);
}

const NO_LIMITS = { key: Infinity, string: Infinity, number: Infinity, blank: Infinity, total: Infinity };

function replayJumping(text: Text, bytes: Uint8Array, reader: Reader): void {
  const { engine } = text.input;
  const limits = engine.options.limits;
  // The text that was read was within the limits, but this one may be longer.
  const unlimited = { ...NO_LIMITS, depth: limits.depth };
  engine.limits = unlimited;
  if (!engine.tree) engine.innerLimits = unlimited;
  let from = 0;
  for (let left = reader.count(); left > 0; left--) {
    const to = from + reader.atMost(bytes.length - from);
    replay(text, bytes.subarray(from, to));
    from = to;
    jump(text, reader, limits);
  }
  replay(text, bytes.subarray(from));
  for (const level of levelsOf(engine)) {
    level.limits = limits;
    level.innerLimits = limits;
  }
}

function jump({ input, output }: Text, reader: Reader, limits: Required<Limits>): void {
  const sets = reader.place();
  const kind = sets % LEVEL;
  const levels = levelsOf(input.engine);
  const innermost = levels[levels.length - 1]!;
  unless([OFFSET, MATCH, NEXT_INDEX, KEPT].includes(kind));
  if (kind === OFFSET || kind === MATCH) {
    const at = Math.floor(sets / LEVEL);
    const level = levels[at];
    const offset = reader.place();
    unless(level !== undefined && level.state !== CLOSED && input.bytes.length === 0 && !areKept(levels, at));
    unless(newestStart(level!) < offset && offset <= limits.total);
    unless(level!.escape === NO_ESCAPE && level!.state !== NUMBER && level!.state !== LITERAL);
    level!.base = offset;
  }
  if (kind === MATCH) {
    const nextMatch = reader.place();
    unless(nextMatch >= output.nextMatch);
    output.nextMatch = nextMatch;
  } else if (kind === NEXT_INDEX) {
    const { top } = innermost;
    const nextIndex = reader.place();
    unless(top?.isArray === true && top.index + 1 <= nextIndex);
    top!.index = nextIndex - 1;
  } else if (kind === KEPT) {
    innermost.innerLimits = limits;
  }
}

/** Returns true if the text of a level, or of one around it, is kept for an open match: then nothing of it is left out. */
function areKept(levels: readonly Engine[], level: number): boolean {
  return levels.slice(0, level + 1).some((engine) => engine.keepsValues && newestStart(engine) >= 0);
}

/** Returns the offset of the newest open value that is selected; -1 if there is none. */
function newestStart(engine: Engine): number {
  if (engine.open.length > 0) return engine.open[0]!.offset;
  for (let depth = engine.depth - 1; depth >= 0; depth--) {
    const [first] = engine.stack[depth]!.matches;
    if (first) return first.offset;
  }
  return -1;
}

function restoreCounters(text: Text, reader: Reader): void {
  const { input, output } = text;
  const nextMatch = reader.place();
  unless(nextMatch >= output.nextMatch);
  output.nextMatch = nextMatch;
  for (const level of levelsOf(input.engine)) {
    if (isFailedInside(level, input.engine)) continue;
    const offset = level === input.engine ? input.offset : level.base;
    const lines = reader.place();
    const column = reader.atMost(offset);
    const length = reader.atMost(offset);
    level.lines = lines;
    level.lineStart = offset - column;
    const [most, quote] = limitOf(level);
    const isLimited = most !== Infinity;
    // A token has at least one byte.
    unless(isBetweenTokens(level) ? isLimited || length === 0 : isLimited === length > 0);
    unless(length <= most + quote && offset <= level.options.limits.total);
    level.limit = isBetweenTokens(level) ? Infinity : offset - length + quote + most;
    // White space that ends a number begins here.
    level.blankStart = isBetweenTokens(level) ? offset - length : offset;
    level.blankEnd = offset;
    unless(lines <= level.lineStart && (lines > 0 || level.lineStart === 0));
    unless(newestStart(level) < offset);
  }
}

function restoreError(reader: Reader): TextError {
  const kind = reader.choice(ERROR_KINDS);
  const offset = reader.place();
  const line = reader.place();
  const column = reader.place();
  const path = reader.text();
  return new TextError(kind, reader.text(), offset, line, column, path === "" ? null : path);
}
