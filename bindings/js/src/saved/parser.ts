// A saved parser: what is in its state, and how another one is led to where it was.
//
// A state has nothing of the parser's own: it is a text, which is read once more through the same parser, and the counters
// that this can't lead to. So any bytes give a parser that some text leads to, or an error.

import type { Automaton } from "../automaton.js";
import type { DeviationReport } from "../events.js";
import { prototypeKey } from "../values.js";
import { Engine } from "../engine.js";
import { Fault } from "../fault.js";
import { CLOSED, DONE, FIRST, KEY_STRING, LITERAL, NO_ESCAPE, NUMBER, STRING, VALUE, WORDS as LITERALS } from "../states.js";
import { TextError } from "../text-error.js";
import { Growth } from "../growth.js";
import {
  BARE_KEY,
  BARE_KEYS,
  BLOCK_COMMENT,
  BLOCK_COMMENT_STAR,
  BYTE_ORDER_MARK,
  COMMENTS,
  isOfName,
  LINE_COMMENT,
  LONE_LOW,
  LONE_SURROGATES,
  MOST_LISTED,
  NON_FINITE,
  NONE_OR_NAN,
  PYTHON_LITERALS,
  SINGLE_QUOTES,
  SLASH,
  STRICT,
  WORD,
  WORDS,
  type Lenient,
} from "../lenient.js";
import type { Input } from "../input.js";
import type { Text } from "../text.js";
import { DEVIATIONS, type Limits, type Settings } from "../options.js";
import { spelling } from "../pattern.js";
import { encode, joined, openTail, utf8Length } from "../utf8.js";
import { unless, type Reader, type Writer } from "./bytes.js";
import { Digest } from "./digest.js";
import { PARSER, type Owner } from "./envelope.js";
import { aheadOf, leadToOpen, leadToShown, levelsOf, type Jump, type Lead } from "./lead.js";

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
  "total-limit",
  "snapshot-limit",
  "out-of-order",
  "not-retained",
  "invalid-path",
  "foreign-revision",
  "finished",
  "data",
  "pending",
  "panicked",
  "private-key",
];

const RETAIN = ["all", "matches", "nothing"];

// How outcomes are written, and whether what follows is all of the text, or another text with jumps.
const OPEN = 0;
const FINISHED = 1;
const FAILED = 2;
const PLAIN = 0;
const JUMPING = 1;

// What a jump sets.
const OFFSET = 1;
const MATCH = 2;
const INDEX = 4;
const KEPT = 8;
const LEVEL = 16;

/** What the options are known by. */
export function choicesOf(settings: Settings): Digest {
  const { limits, retain, rejectsDuplicates, snapshots, provisional, lenient, accept } = settings;
  const small =
    RETAIN.indexOf(retain) |
    (rejectsDuplicates ? 4 : 0) |
    ((snapshots ? (provisional ? 2 : 1) : 0) << 3) |
    (accept && lenient !== 0 ? 32 : 0) |
    (lenient << 8);
  const { depth, key, string, number, total } = limits;
  return [depth, key, string, number, total, small].reduce((digest, choice) => digest.add(choice), new Digest());
}

/** What patterns are known by. */
export function digestOf({ patterns }: Automaton): Digest {
  return new Digest().addText(patterns.map((pattern) => `${spelling(pattern)}\n`).join(""));
}

export function ownerOf({ automaton, settings }: Text, kind = PARSER): Owner {
  return { kind, patterns: digestOf(automaton), choices: choicesOf(settings) };
}

/** What only this package keeps of a parser; `undefined` if that is nothing. */
export function noteOf({ input, output }: Text): unknown {
  const { tree } = input.engine;
  const isMark = input.half === "" && input.waiting > 0;
  const held = isInComment(input) ? input.engine.raw?.held : undefined;
  const note = {
    half: input.half === "" ? undefined : input.half.charCodeAt(0),
    mark: isMark ? [...input.bytes] : undefined,
    held: typeof held === "string" && held !== "" ? held.charCodeAt(0) : undefined,
    refused: keyOf(output.refusal),
    hidden: keyOf(tree?.refusal),
    growth: tree?.growth?.save(input.engine),
  };
  return Object.values(note).some((part) => part !== undefined) ? note : undefined;
}

/** Returns true if characters are read that a raw pattern alone holds until they are whole. */
function isInComment({ translator }: Input): boolean {
  return [LINE_COMMENT, BLOCK_COMMENT, BLOCK_COMMENT_STAR].includes(translator?.step ?? STRICT);
}

function holdsRaw(input: Input): boolean {
  return input.engine.raw !== undefined && isInComment(input);
}

/** The bytes of such a character, if it was cut between them. */
function heldBytes({ engine }: Input): Uint8Array {
  const held = engine.raw!.held;
  return typeof held === "string" ? new Uint8Array(0) : held;
}

function keyOf(refusal: unknown): string | undefined {
  return refusal === undefined ? undefined : /"__proto__"/.test((refusal as Error).message) ? "__proto__" : "prototype";
}

/** Takes up what {@link noteOf} has noted. */
export function takeNote(text: Text, note: unknown): void {
  const { half, mark, held, refused, hidden, growth } = (note ?? {}) as Record<string, unknown>;
  const { input, output } = text;
  const { engine } = input;
  if (half !== undefined) {
    unless(typeof half === "number" && half >= 0xd800 && half <= 0xdbff && engine.takesCharacters && input.bytes.length === 0);
    input.half = String.fromCharCode(half as number);
  }
  if (mark !== undefined) {
    unless(Array.isArray(mark) && !input.readsMark && engine.base === 0 && ["239", "239,187"].includes(mark.join()));
    input.bytes = Uint8Array.from(mark as number[]);
    input.hasBegun = false;
  }
  if (held !== undefined) {
    unless(typeof held === "number" && held >= 0xd800 && held <= 0xdbff && holdsRaw(input) && engine.raw!.held.length === 0);
    engine.raw!.held = String.fromCharCode(held as number);
  }
  const refusal = (key: unknown): unknown => {
    unless(key === "__proto__" || key === "prototype");
    return prototypeKey(key as string);
  };
  if (refused !== undefined) output.refusal = refusal(refused);
  const { tree } = engine;
  if (hidden !== undefined) {
    unless(tree !== undefined);
    tree!.refusal = refusal(hidden) as typeof tree extends undefined ? never : NonNullable<typeof tree>["refusal"];
  }
  if (growth !== undefined) {
    unless(tree !== undefined);
    tree!.growth = Growth.restored(engine, growth);
  }
}

// Writing.

export function saveText(text: Text, out: Writer): void {
  const { input, settings } = text;
  const { engine, translator } = input;
  const outcome = text.isOpen ? OPEN : text.hasFailed ? FAILED : FINISHED;
  const keepsAll = settings.retain === "all";
  const hasDeviated = (translator?.count ?? 0) > 0;
  const isPlain = keepsAll && !hasDeviated;
  let lead: Lead | undefined;
  if (!isPlain) lead = outcome === OPEN ? leadToOpen(text) : leadToShown(text);
  const endsNumber = lead ? lead.endsNumber : hasEndedNumber(text, outcome);
  const isApart = keepsAll && !isPlain && text.error !== undefined;
  out.byte((outcome << 2) | ((isPlain ? PLAIN : JUMPING) << 1) | (endsNumber ? 1 : 0));
  if (translator) {
    saveDeviations(translator, out);
    if (lead) {
      out.flag(translator.isAwake);
      if (outcome === OPEN) for (const byte of placeOf(input)) out.byte(byte);
    }
  }
  if (outcome === FAILED) saveError(text.stoppedBy!, out);
  if (lead === undefined) {
    const kept = encode(engine.kept!.whole());
    // What was undecided when the text failed is part of it if the error is behind it.
    const isHeld = outcome === OPEN || (outcome === FAILED && text.stoppedBy!.offset > kept.length);
    const held = encode((isHeld && translator?.undecided) || "");
    const waits = engine.strayBytes ?? (input.half === "" && input.waiting > 0 ? new Uint8Array(0) : input.bytes);
    out.bytes(joined(joined(kept, held), waits));
    return;
  }
  if (isApart) out.text(engine.isFrozen ? engine.frozenText : engine.kept!.whole());
  saveLead(lead, out);
  if (outcome !== FAILED) saveCounters(text, out);
  // Nothing of a comment is in the text that leads here.
  if (outcome === OPEN && holdsRaw(input)) out.bytes(heldBytes(input));
}

/** Returns true if the text, all of which is kept, ends with a number that has ended. */
function hasEndedNumber(text: Text, outcome: number): boolean {
  const { engine } = text;
  const { tree } = engine;
  const isInLeaf = engine.state === STRING || engine.state === NUMBER || engine.state === LITERAL;
  const hasEnded = (outcome === OPEN && engine.state === DONE) || (outcome === FAILED && tree !== undefined && !isInLeaf);
  return hasEnded && !engine.strayBytes?.length && !text.input.translator?.undecided && /\d$/.test(engine.kept!.slice(engine.kept!.end - 1, engine.kept!.end));
}

function saveLead(lead: Lead, out: Writer): void {
  out.bytes(joined(encode(lead.text), lead.bytes));
  out.number(lead.jumps.length);
  let at = 0;
  for (const { place, offset, nextMatch, nextIndex, isKept } of lead.jumps) {
    // Places are in bytes there.
    out.number(utf8Length(lead.text, at, place));
    at = place;
    const sets =
      (offset ? OFFSET : 0) | (nextMatch === undefined ? 0 : MATCH) | (nextIndex === undefined ? 0 : INDEX) | (isKept ? KEPT : 0);
    out.number((offset?.[0] ?? 0) * LEVEL + sets);
    for (const number of [offset?.[1], nextMatch, nextIndex]) if (number !== undefined) out.number(number);
  }
}

function saveCounters(text: Text, out: Writer): void {
  const { input, output } = text;
  out.number(output.nextMatch);
  for (const level of levelsOf(input.engine)) {
    if (isFailedInside(level, input.engine)) continue;
    const isDocument = level === input.engine;
    const offset = isDocument ? input.offset - (input.half === "" ? input.waiting : 0) : level.base;
    out.number(level.lines);
    out.number(Math.max(0, offset - level.lineStart));
    out.number(tokenLength(level, offset));
  }
}

function isFailedInside(level: Engine, document: Engine): boolean {
  return level !== document && level.state === CLOSED;
}

/** How many bytes have come of the open key, string or number, if that is limited. */
function tokenLength(engine: Engine, offset: number): number {
  const [most, quote] = limitOf(engine);
  return most === Infinity ? 0 : offset - Math.max(0, engine.limit - most - quote);
}

function limitOf(engine: Engine): readonly [most: number, quote: number] {
  const { state } = engine;
  if (state === KEY_STRING) return [engine.limits.key, 1];
  if (state === STRING) return [engine.limits.string, 1];
  return [state === NUMBER ? engine.limits.number : Infinity, 0];
}

export function saveError(error: TextError, out: Writer): void {
  out.byte(Math.max(0, ERROR_KINDS.indexOf(error.kind)));
  for (const number of [error.offset, error.line, error.column]) out.number(number);
  // No path is spelt so.
  out.text(error.path ?? "");
  out.text(error.expected);
}

function saveDeviations(translator: Lenient, out: Writer): void {
  out.number(translator.count);
  if (translator.count === 0) return;
  for (const { kind, offset, line, column } of translator.list) {
    out.byte(DEVIATIONS.indexOf(kind));
    for (const number of [offset, line, column]) out.number(number);
  }
  out.number(translator.newest);
  if (translator.first) saveError(translator.first, out);
}

/** The steps of a translator, by the byte that stands for them. */
const STEPS = [
  [STRICT, 0],
  [SLASH, 0],
  [LINE_COMMENT, 0],
  [BLOCK_COMMENT, 0],
  [BLOCK_COMMENT_STAR, 0],
  [NONE_OR_NAN, 0],
  [BARE_KEY, 0],
  // A byte order mark, which waits in front of the engine here: one byte of it, or two.
  [-1, 1],
  [-1, 2],
  [LONE_LOW, 1],
  [LONE_LOW, 2],
  [WORD, 0],
] as const;
const SINGLE_QUOTED = 0x80;

function placeOf({ translator, bytes, hasBegun }: Input): readonly [number, number, number] {
  const { step, missing, isSingleQuoted, word, matched } = translator!;
  const mark = hasBegun ? 0 : bytes.length;
  const at = STEPS.findIndex(([known, count]) =>
    mark > 0 ? known === -1 && count === mark : known === step && (step !== LONE_LOW || count === missing),
  );
  return [at | (isSingleQuoted ? SINGLE_QUOTED : 0), step === WORD ? word : 0, step === WORD ? matched : 0];
}

// Reading.

/** Reads what {@link saveText} wrote into a text that is new. */
export function restoreText(text: Text, reader: Reader): void {
  const { input, settings } = text;
  const { engine, translator } = input;
  const first = reader.byte();
  const outcome = first >> 2;
  const form = (first >> 1) & 1;
  const endsNumber = (first & 1) !== 0;
  unless(outcome <= FAILED);
  let count = 0;
  let place: readonly number[] | undefined;
  const isJumping = form === JUMPING;
  if (translator) {
    count = restoreDeviations(translator, reader);
    engine.isRewritten = count > 0;
    if (isJumping) {
      translator.isAwake = reader.flag();
      unless(translator.isAwake || count === 0);
    }
    if (isJumping && outcome === OPEN) place = [reader.byte(), reader.byte(), reader.byte()];
  }
  const error = outcome === FAILED ? restoreError(reader) : undefined;
  const keepsAll = settings.retain === "all";
  unless(isJumping ? !keepsAll || count > 0 : keepsAll && count === 0);
  const verdict = translator?.first;
  const isApart = isJumping && keepsAll && (verdict !== undefined || outcome === FAILED);
  const apart = isApart ? reader.bytes() : undefined;
  const bytes = reader.bytes();
  if (verdict !== undefined || isApart) engine.isFrozen = true;
  // What is read here was read before, so a byte order mark in front of it is a part of it.
  const { readsMark } = input;
  input.readsMark = true;
  if (!isJumping) {
    replay(text, bytes);
    unless(input.offset === bytes.length);
    if (endsNumber) endNumber(text);
  } else {
    replayJumping(text, bytes, reader, endsNumber);
  }
  input.readsMark = readsMark;
  input.hasBegun ||= engine.base > 0;
  if (translator) {
    unless(translator.count === count);
    if (place) restorePlace(text, place);
  }
  if (isJumping && outcome !== FAILED) restoreCounters(text, reader);
  if (isJumping && outcome === OPEN && holdsRaw(input)) {
    const held = reader.bytes();
    unless(openTail(held) === held.length);
    if (held.length > 0) engine.raw!.held = held.slice();
  }
  if (outcome === FINISHED) {
    text.end();
    unless(!text.hasFailed && !text.isOpen);
  } else if (outcome === FAILED) {
    unless(isJumping || error!.offset === bytes.length);
    text.fail(error!);
  }
  if (apart) {
    unless(outcome === FAILED || apart.length <= input.offset);
    engine.isFrozen = true;
    engine.frozenText = new TextDecoder().decode(apart);
  }
  text.output.events = [];
}

/** Reads a text that has been read before. */
function replay(text: Text, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  const { input } = text;
  try {
    unless(input.feed(bytes) === bytes.length);
  } catch (thrown) {
    unless(!(thrown instanceof Fault));
    throw thrown;
  }
}

/** The number at the end of the text has ended, and what ended it was not kept. */
function endNumber(text: Text): void {
  const { engine } = text;
  if (engine.state !== NUMBER && engine.state !== LITERAL) return;
  const { base } = engine;
  replayUnkept(text);
  engine.base = base;
  unless(engine.state !== NUMBER && engine.state !== LITERAL);
}

function replayUnkept(text: Text): void {
  const { kept } = text.engine;
  const end = kept?.end ?? 0;
  replay(text, encode(" "));
  kept?.truncate(end);
}

const NO_LIMITS = { key: Infinity, string: Infinity, number: Infinity, total: Infinity };

function replayJumping(text: Text, bytes: Uint8Array, reader: Reader, endsNumber: boolean): void {
  const jumps = restoreJumps(reader, bytes.length);
  const { engine, translator } = text.input;
  const limits = engine.options.limits;
  // What is within the limits was so before; and not each text here is the shortest.
  const unlimited = { ...NO_LIMITS, depth: limits.depth };
  engine.limits = unlimited;
  if (!engine.tree) engine.innerLimits = unlimited;
  const hasBlank = endsNumber && bytes[bytes.length - 1] === 32;
  unless(endsNumber === hasBlank);
  const end = bytes.length - (hasBlank ? 1 : 0);
  // It is strict JSON: nothing in it deviates.
  const allowed = translator?.allowed;
  if (translator) translator.allowed = 0;
  let from = 0;
  for (const jump of jumps) {
    if (jump.place > end) break;
    replay(text, bytes.subarray(from, jump.place));
    from = jump.place;
    jumpTo(text, jump, limits);
  }
  replay(text, bytes.subarray(from, end));
  if (hasBlank) replayUnkept(text);
  for (const jump of jumps) if (jump.place > end) jumpTo(text, jump, limits);
  if (translator) translator.allowed = allowed!;
  for (const level of levelsOf(engine)) {
    level.limits = limits;
    level.innerLimits = limits;
  }
}

function restoreJumps(reader: Reader, length: number): Jump[] {
  const jumps: Jump[] = [];
  let place = 0;
  for (let left = reader.count(); left > 0; left--) {
    place += reader.atMost(length - place);
    const sets = reader.place();
    const level = Math.floor(sets / LEVEL);
    const number = (flag: number): number | undefined => (sets % LEVEL & flag ? reader.place() : undefined);
    const offset = number(OFFSET);
    const nextMatch = number(MATCH);
    const nextIndex = number(INDEX);
    jumps.push({ place, offset: offset === undefined ? undefined : [level, offset], nextMatch, nextIndex, isKept: (sets & KEPT) !== 0 });
  }
  return jumps;
}

function jumpTo(text: Text, { offset, nextMatch, nextIndex, isKept }: Jump, limits: Required<Limits>): void {
  const { input, output } = text;
  const levels = levelsOf(input.engine);
  const innermost = levels[levels.length - 1]!;
  if (offset !== undefined) {
    const level = levels[offset[0]];
    unless(level !== undefined && level.state !== CLOSED && input.bytes.length === 0 && !areKept(levels, offset[0], input.translator));
    unless(newestStart(level!) < offset[1]);
    unless(level!.escape === NO_ESCAPE && level!.state !== NUMBER && level!.state !== LITERAL);
    level!.base = offset[1];
  }
  if (nextMatch !== undefined) {
    unless(nextMatch >= output.nextMatch);
    output.nextMatch = nextMatch;
  }
  if (nextIndex !== undefined) {
    const { top } = innermost;
    unless(top?.isArray === true && top.index + 1 <= nextIndex);
    top!.index = nextIndex - 1;
  }
  if (isKept) innermost.innerLimits = limits;
}

/** Returns true if the text of a level, or of one around it, is kept for an open match: then nothing of it is left out. */
function areKept(levels: readonly Engine[], level: number, translator: Lenient | undefined): boolean {
  const isKept = (engine: Engine): boolean => engine.keepsValues && !engine.isFrozen && newestStart(engine) >= 0;
  return levels.slice(0, level + 1).some((engine, at) => isKept(engine) && !(at === 0 && translator?.isAwake));
}

/** Where the newest selected value begins that is open in a text; -1 if none is. */
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
    const token = reader.atMost(offset);
    level.lines = lines;
    level.lineStart = offset - column;
    const [most, quote] = limitOf(level);
    unless(token > 0 === (most !== Infinity));
    level.limit = most === Infinity ? Infinity : offset - token + quote + most;
    const { total } = level.options.limits;
    unless(offset <= total && offset <= level.limit);
    unless(lines <= level.lineStart && (lines > 0 || level.lineStart === 0));
    unless(newestStart(level) < offset);
  }
}

export function restoreError(reader: Reader): TextError {
  const kind = reader.choice(ERROR_KINDS);
  const offset = reader.place();
  const line = reader.place();
  const column = reader.place();
  const path = reader.text();
  return new TextError(kind, reader.text(), offset, line, column, path === "" ? null : path);
}

function restoreDeviations(translator: Lenient, reader: Reader): number {
  const count = reader.place();
  if (count === 0) return 0;
  const list: DeviationReport[] = [];
  let newest = 0;
  for (let left = Math.min(count, MOST_LISTED); left > 0; left--) {
    const at = reader.byte();
    unless(at < DEVIATIONS.length && translator.allows(at));
    const offset = reader.place();
    const line = reader.place();
    unless(offset >= newest);
    newest = offset;
    list.push({ kind: DEVIATIONS[at]!, offset, line, column: reader.place() });
  }
  translator.newest = reader.place();
  unless(translator.newest >= newest);
  if (!translator.accepts) {
    translator.first = restoreError(reader);
    unless(list[0]!.offset === translator.first.offset);
  }
  translator.count = count;
  translator.list = list;
  translator.isAwake = true;
  return count;
}

/** Continues where a translator was, in front of an engine that has come there. */
function restorePlace(text: Text, [byte, word, matched]: readonly number[]): void {
  const { input } = text;
  const { engine } = input;
  const translator = input.translator!;
  const known = STEPS[byte! & ~SINGLE_QUOTED];
  unless(known !== undefined && translator.step === STRICT);
  const [step, number] = known!;
  const isSingleQuoted = (byte! & SINGLE_QUOTED) !== 0;
  unless(!isSingleQuoted || (translator.allows(SINGLE_QUOTES) && engine.isInString));
  unless(translator.isAwake || (step === STRICT && !isSingleQuoted));
  if (step === -1) {
    // The engine has read nothing: the bytes wait.
    unless(translator.allows(BYTE_ORDER_MARK) && engine.state === VALUE && engine.depth === 0 && engine.base === number);
    engine.base = 0;
    input.bytes = Uint8Array.of(0xef, 0xbb).subarray(0, number);
    input.hasBegun = false;
    return;
  }
  translator.step = step;
  translator.isSingleQuoted = isSingleQuoted;
  translator.missing = number;
  translator.word = word!;
  translator.matched = matched!;
  const read = step === LONE_LOW ? 6 - number : step === SLASH || step === NONE_OR_NAN ? 1 : 0;
  translator.at = engine.base - read;
  unless(translator.at >= 0 && isPossible(translator, engine));
  engine.base += aheadOf(translator);
  engine.readsBytes = false;
}

function isPossible(translator: Lenient, engine: Engine): boolean {
  const { state } = engine;
  switch (translator.step) {
    case SLASH:
    case LINE_COMMENT:
    case BLOCK_COMMENT:
    case BLOCK_COMMENT_STAR:
      return translator.allows(COMMENTS) && !engine.isInString && state !== NUMBER && state !== LITERAL && state !== CLOSED;
    case NONE_OR_NAN:
      return (state === VALUE || state === FIRST) && (translator.allows(PYTHON_LITERALS) || translator.allows(NON_FINITE));
    case WORD: {
      const word = WORDS[translator.word];
      const kind = translator.word <= 2 ? PYTHON_LITERALS : NON_FINITE;
      const { matched } = translator;
      const hasMatched = word !== undefined && translator.allows(kind) && matched >= 1 && matched < word[0].length;
      return hasMatched && state === LITERAL && engine.matched === 1 && word[1] === LITERALS[engine.word];
    }
    case BARE_KEY: {
      const isName = [...engine.buffer].every((unit, at) => isOfName(unit.charCodeAt(0)) && (at > 0 || !/\d/.test(unit)));
      return translator.allows(BARE_KEYS) && state === KEY_STRING && engine.escape === NO_ESCAPE && isName;
    }
    case LONE_LOW:
      return translator.allows(LONE_SURROGATES) && engine.isInString && engine.escape === NO_ESCAPE && translator.at > 0;
    default:
      return true;
  }
}

