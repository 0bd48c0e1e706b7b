// The state of a parser, and how another parser is led to it.
//
// A state has nothing of the parser's own: it is a text, which is read once more through the same parser, and the counters
// that this can't lead to. So any data give a parser that some text leads to, or an error.

import type { JsonSpigotError } from "../core/error.js";
import type { ReportingEngine } from "../core/reporting.js";
import { MARK } from "../core/input.js";
import { AFTER, CLOSED, DONE, FIRST, KEY_STRING, LITERAL, mayEnd, NUMBER, STRING } from "../core/states.js";
import { FAILED, FINISHED, OPEN, type Text } from "../core/text.js";
import { Fault, TextError } from "../core/text-error.js";
import { Growth } from "../core/tree/growth.js";
import { decodeAll, encode, joined, openTail } from "../core/utf8.js";
import { prototypeKey } from "../core/values.js";
import { STRICT } from "../lenient/translator.js";
import { openHalf, savedBytes, waiting } from "./input.js";
import { levelsOf, newestStart, readSteps, setLimits, steps, stepsTo } from "./lead.js";
import { atMost, count, flag, listOf, members, optional, shortened, text as textForm, unless, type Of, type Owner } from "./state.js";

const error = members({
  kind: (data) => {
    unless(/^[a-z]+(-\w+)*$/.test(textForm(data)));
    return data as string;
  },
  expected: textForm,
  offset: count,
  line: count,
  column: count,
  path: (data) => (data === null ? null : textForm(data)),
});

/** The document, or a text inside a string of the one before. */
const levelForm = members({
  steps,
  lines: optional(count, 0),
  /** Bytes since the last line feed. */
  column: count,
  /** Bytes of the open key, string, number or white space between tokens, if that is limited. */
  length: optional(count, 0),
  /** True if the text inside a string has failed. */
  hasFailed: optional(flag, false),
});

type Level = Of<typeof levelForm>;

export const textData = members({
  outcome: optional(atMost(FAILED), OPEN),
  /** True if the text ends with a number that has ended. */
  endsNumber: optional(flag, false),
  error: optional(error, undefined),
  /** All that was read, if it is retained, and the bytes after it that are not UTF-8. */
  text: optional(textForm, ""),
  rest: optional(listOf(atMost(255)), []),
  /** The texts that lead to where the parser is, if it does not retain all of its text. */
  levels: optional(listOf(levelForm), []),
  nextMatch: optional(count, 0),
  /** Half a surrogate pair, and the number of bytes of a byte order mark, that wait. */
  half: optional(atMost(0xdbff), 0),
  mark: optional(atMost(2), 0),
  /** The key of a value that is refused, and of a snapshot. */
  refused: optional(textForm, ""),
  hidden: optional(textForm, ""),
  /** Where the last patch was taken: before the byte of the text with this number, or after its end. */
  patchedTo: optional(count, undefined),
});

export type TextData = Of<typeof textData>;

export function ownerOf({ engine: { automaton }, settings }: Text): Owner {
  const { limits, retain, rejectsDuplicates, snapshots, provisional, lenient, accept } = settings;
  const { depth, key, string, number, blank, total } = limits;
  const most = [depth, key, string, number, blank, total].map((limit) => (limit === Infinity ? null : limit));
  // The options that lead to other states.
  const own = [retain, rejectsDuplicates, Boolean(snapshots), provisional, lenient?.bits ?? 0, lenient !== undefined && accept];
  return { kind: "parser", patterns: automaton.patterns.map((pattern) => pattern.text), choices: [...own, ...most] };
}

/** Returns true if the parser keeps all of its text, as snapshots need it too. */
const isWhole = ({ settings, engine }: Text): boolean => settings.retain === "all" || engine.tree !== undefined;

// Writing.

/**
 * Returns the state of a text.
 *
 * @throws {JsonSpigotError} of kind `not-retained` if the text is lenient and not retained: it is restored from all of its input.
 */
export function saveText(text: Text): Partial<TextData> {
  const { input, settings, engine, output } = text;
  if (settings.lenient !== undefined && settings.retain !== "all") {
    throw text.errorOfCall("not-retained", "expected a lenient parser that retains all of its text");
  }
  const { outcome, stoppedBy } = text;
  const { tree } = engine;
  const half = text.isOpen ? openHalf(input) : "";
  const data: Partial<TextData> = {
    outcome,
    endsNumber: hasEndedNumber(text, outcome),
    error: outcome === FAILED ? errorData(stoppedBy!) : undefined,
    half: half === "" ? 0 : half.charCodeAt(0),
    mark: openHalf(input) === "" ? waiting(input) : 0,
    refused: keyOf(output.refusal),
    hidden: keyOf(tree?.refusal),
  };
  if (isWhole(text)) {
    const bytes = savedBytes(input, stoppedBy);
    const patchedTo = tree?.growth && Math.min(tree.growth.patchedTo, bytes.length + 1);
    Object.assign(data, bytesData(bytes), { patchedTo });
  } else if (outcome !== FAILED) {
    const rest = input.hasBegun ? [...input.bytes] : [];
    const levels = levelsOf(engine).map((level) => levelData(level, level === engine ? rest.length : 0));
    const isKept = (level: Level): boolean => level.steps.some((step) => step.isKept);
    const last = levels.findIndex(isKept);
    Object.assign(data, { levels, nextMatch: output.nextMatch }, rest.length > 0 && { rest });
    // Texts inside a text that is kept are read with it.
    for (const level of last < 0 ? [] : levels.slice(last + 1)) Object.assign(level, { steps: [], hasFailed: false });
  }
  return shortened(data, textData);
}

const errorData = ({ kind, expected, offset, line, column, path }: TextError): Of<typeof error> => ({
  kind,
  expected,
  offset,
  line,
  column,
  path,
});

const keyOf = (refusal: unknown): string =>
  refusal === undefined ? "" : /"__proto__"/.test((refusal as Error).message) ? "__proto__" : "prototype";

function bytesData(bytes: Uint8Array): Partial<TextData> {
  const end = bytes.length - openTail(bytes);
  try {
    return { text: decodeAll(bytes.subarray(0, end)), ...(end < bytes.length && { rest: [...bytes.subarray(end)] }) };
  } catch {
    return { rest: [...bytes] };
  }
}

const bytesOf = ({ text, rest }: TextData): Uint8Array => joined(encode(text), Uint8Array.from(rest));

function levelData(level: ReportingEngine, waiting: number): Level {
  const offset = level.base + waiting;
  const hasFailed = level.state === CLOSED;
  const column = hasFailed ? 0 : Math.max(0, offset - level.lineStart);
  const own = { steps: stepsTo(level), lines: level.lines, column, length: countedLength(level, offset), hasFailed };
  return shortened(own, levelForm) as Level;
}

/** Returns the number of bytes of the open token that count, if they are limited. */
function countedLength(engine: ReportingEngine, offset: number): number {
  const [most, quote] = limitOf(engine);
  if (most === Infinity) return 0;
  if (isBetweenTokens(engine)) return offset === engine.blankEnd ? offset - engine.blankStart : 0;
  return offset - Math.max(0, engine.limit - most - quote);
}

const isBetweenTokens = ({ state }: ReportingEngine): boolean => state <= AFTER || state === DONE;

function limitOf(engine: ReportingEngine): readonly [most: number, quote: number] {
  const { state, limits } = engine;
  if (state === KEY_STRING) return [limits.key, 1];
  if (state === STRING) return [limits.string, 1];
  if (state === NUMBER) return [limits.number, 0];
  return [isBetweenTokens(engine) ? limits.blank : Infinity, 0];
}

/**
 * Returns true if the kept text ends with a number that has ended before a byte that is not kept: a byte that was left to the
 * caller, or the bad byte. In the latter case it may also be a digit of a key.
 */
function hasEndedNumber(text: Text, outcome: number): boolean {
  const { engine, input, settings } = text;
  const { state, tree } = engine;
  const isInLeaf = state === STRING || state === NUMBER || state === LITERAL;
  // A comment may end with a digit too; and a lenient parser keeps the bad byte.
  const isDone = outcome === OPEN && state === DONE && (input.translator?.step ?? STRICT) === STRICT;
  const hasFailed = outcome === FAILED && tree !== undefined && !isInLeaf && settings.lenient === undefined;
  if (!isWhole(text) || (!isDone && !hasFailed)) return false;
  const last = savedBytes(input, undefined).at(-1)!;
  return last >= 48 && last <= 57;
}

// Reading.

/** Brings a text that is new to a saved state. */
export function restoreText(text: Text, data: TextData): void {
  const { input, settings, output } = text;
  const { engine } = input;
  const { outcome, error, patchedTo } = data;
  unless((outcome === FAILED) === (error !== undefined));
  const isLenient = settings.lenient !== undefined;
  const bytes = bytesOf(data);
  // The text was read before, so a byte order mark in front of it is a part of it.
  const { readsMark } = input;
  input.readsMark = true;
  if (isWhole(text)) {
    unless(data.levels.length === 0);
    const readAll = (part: Uint8Array): void => {
      // A lenient parser keeps the byte at which it failed.
      if (error === undefined || !isLenient) replay(text, part);
      else if (text.isOpen) text.read(part);
    };
    readAll(bytes.subarray(0, patchedTo));
    if (patchedTo !== undefined && patchedTo <= bytes.length) beginGrowth(engine, patchedTo);
    if (patchedTo !== undefined) readAll(bytes.subarray(patchedTo));
    unless(!text.isOpen || input.offset === bytes.length);
  } else if (error === undefined) restoreLevels(text, data);
  if (data.endsNumber) endNumber(text, outcome);
  input.readsMark = readsMark;
  input.hasBegun ||= engine.base > 0;
  if (error !== undefined) {
    // It held a byte until the text ended, and has failed at that.
    if (isLenient && text.isOpen && error.offset < input.offset) text.end();
    const own = text.stoppedBy;
    const isAtEnd = !isWhole(text) || error.offset === bytes.length;
    unless(own === undefined ? isAtEnd : own.offset === error.offset);
    text.fail(new TextError(error.kind, error.expected, error));
  } else if (outcome === FINISHED) {
    text.end();
    unless(!text.hasFailed && !text.isOpen);
  }
  restoreRest(text, data);
  if (patchedTo !== undefined && patchedTo > bytes.length) beginGrowth(engine, Infinity);
  output.events = [];
}

/** Reads a text that has been read before. */
function replay(text: Text, chunk: string | Uint8Array): void {
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
  unless(isWhole(text));
  if (outcome !== FAILED) {
    unless(engine.state === NUMBER && engine.depth === 0 && mayEnd(engine.part));
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

function restoreLevels(text: Text, { levels, rest, nextMatch }: TextData): void {
  const { engine, output, input } = text;
  let outer: ReportingEngine | undefined;
  let level: ReportingEngine | undefined = engine;
  let isKept = false;
  for (const { steps, hasFailed } of levels) {
    unless(level !== undefined && (isKept || level.state !== CLOSED));
    if (isKept) unless(steps.length === 0);
    else if (outer === undefined) {
      isKept = readSteps(level, steps, (piece) => replay(text, piece));
      replay(text, Uint8Array.from(rest));
    } else {
      const around = outer;
      isKept = readSteps(level, steps, (piece) => around.readInside(piece));
      unless(level.state !== CLOSED);
      // As the document has failed at a byte that no text begins with.
      if (hasFailed) around.readInside("x");
    }
    [outer, level] = [level, level.inner];
  }
  unless(level === undefined && levels.length > 0);
  unless(isKept ? nextMatch === output.nextMatch : nextMatch >= output.nextMatch);
  output.nextMatch = nextMatch;
  levelsOf(engine).forEach((each, depth) => {
    setLimits(each, engine.options.limits);
    if (each.state !== CLOSED) restoreCounters(each, each === engine ? input.offset : each.base, levels[depth]!);
  });
}

function restoreCounters(level: ReportingEngine, offset: number, { lines, column, length }: Level): void {
  unless(column <= offset && length <= offset);
  level.lines = lines;
  level.lineStart = offset - column;
  const [most, quote] = limitOf(level);
  const isBetween = isBetweenTokens(level);
  const isLimited = most !== Infinity;
  // A token has at least one byte.
  unless(isBetween ? isLimited || length === 0 : isLimited === length > 0);
  unless(length <= most + quote && offset <= level.options.limits.total);
  // The rest of a limit never grows.
  level.limit = isBetween ? Infinity : Math.min(level.limit, offset - length + quote + most);
  const start = level.blankEnd === offset ? Math.min(level.blankStart, offset - length) : offset - length;
  // White space that ends a number begins here.
  level.blankStart = isBetween ? start : offset;
  level.blankEnd = offset;
  unless(lines <= level.lineStart && (lines > 0 || level.lineStart === 0));
  unless(newestStart(level) < offset);
  // An array without elements has no index.
  unless(level.state !== FIRST || level.top!.index === -1);
}

/** Restores what no text leads to: half a surrogate pair, and a refused key. */
function restoreRest(text: Text, { half, mark, refused, hidden }: TextData): void {
  const { input, output, engine } = text;
  const { tree } = engine;
  if (half !== 0) {
    unless(half >= 0xd800 && text.isOpen);
    replay(text, String.fromCharCode(half));
    unless(openHalf(input) !== "");
  }
  if (mark !== 0) {
    unless(!input.readsMark && engine.base === 0 && input.bytes.length === 0);
    input.bytes = MARK.slice(0, mark);
    input.hasBegun = false;
  }
  const refusal = (key: string): JsonSpigotError => {
    unless(key === "__proto__" || key === "prototype");
    return prototypeKey(key);
  };
  if (refused !== "") output.refusal = refusal(refused);
  if (hidden !== "") {
    unless(tree !== undefined);
    tree.refusal = refusal(hidden);
  }
}

/** Follows the changes of the document from here on. */
function beginGrowth(engine: ReportingEngine, patchedTo: number): void {
  unless(engine.tree !== undefined);
  engine.tree.growth = new Growth(engine, patchedTo);
}
