// The engine: one JSON text, in chunks that may be cut anywhere, as events. It is all that a parser of deltas needs; the
// tree of a snapshot, the translator of nearly-JSON and saved state are added from outside, so that programs which do not
// use them do not contain them.
//
// If you work here, this is the one idea to know: *nothing looks ahead of the chunk*. Whatever can span an edge is a state,
// and {@link Engine.run} reads on in it. The chunk's own string is what is read, unit by unit where grammar is checked and
// in runs inside strings; nothing is copied or encoded. Offsets count bytes: a unit at `i` of the text that is read is
// `base + i + extra`, where `extra` is what its characters beyond ASCII have had in bytes beyond their units.
//
// Errors are thrown as {@link Fault}s, which cost no stack trace, as a translator may catch many. Whoever feeds makes an
// error of one that remains.

import type { Event, ValueType } from "./events.js";
import { matchEvent } from "./match-event.js";
import { makeNumber, type Json, type Making } from "./values.js";
import type { Automaton, Place } from "./automaton.js";
import { errorOf } from "./text-error.js";
import type { Keeping } from "./keeping.js";
import type { Kept } from "./kept.js";
import { append, INSIDE, spell, type Segment } from "./path.js";
import type { Limits } from "./options.js";
import type { RawDeltas } from "./raw.js";
import type { Tree } from "./tree.js";
import { breakOf, encodeAt, utf8Length, within } from "./utf8.js";

// What the next unit is part of.
export const VALUE = 0;
/** After `[`: a value, or the end. */
export const FIRST = 1;
/** After `{`: a key, or the end. */
export const FIRST_KEY = 2;
export const KEY = 3;
export const COLON = 4;
export const AFTER = 5;
export const STRING = 6;
export const KEY_STRING = 7;
export const NUMBER = 8;
export const LITERAL = 9;
export const DONE = 10;
/** Nothing is read any more. */
export const CLOSED = 11;

// What the last unit of a number was.
export const MINUS = 1;
export const ZERO = 2;
export const INTEGER = 3;
export const POINT = 4;
export const FRACTION = 5;
export const E = 6;
export const SIGN = 7;
export const EXPONENT = 8;

// What is open of an escape; from `DIGITS` on, how many of its digits are missing.
export const NO_ESCAPE = 0;
export const LETTER = 1;
export const PAIR_BACKSLASH = 2;
export const PAIR_U = 3;
export const DIGITS = 4;

const QUOTE = 34;
const BACKSLASH = 92;

/** What each state expects, but for those in which it depends on more. */
const EXPECTED: readonly (string | undefined)[] = [
  "a value",
  "a value or `]`",
  "a key or `}`",
  "a key",
  "`:`",
  undefined,
  "the rest of a string",
  "the rest of a string",
  "the rest of a number, or what follows it",
  undefined,
  "nothing but white space after the value",
  "a value",
];

export const WORDS: readonly string[] = ["true", "false", "null"];
const WORD_VALUES: readonly (boolean | null)[] = [true, false, null];

/** Plain characters. The expression pays for all but the shortest runs: a loop asks of each unit how its string is stored. */
const PLAIN = /[ !#-[\]-\x7f]*/y;
const SHORT = 3;

const UNESCAPES: readonly (string | undefined)[] = /* @__PURE__ */ (() => {
  const table: (string | undefined)[] = new Array<undefined>(128).fill(undefined);
  for (const [letter, character] of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"]) {
    table[letter!.charCodeAt(0)] = character;
  }
  return table;
})();

/** What is wrong, on its way up: line, column and path are added where it becomes an error. */
export class Fault {
  constructor(
    readonly kind: string,
    readonly offset: number,
    /** What follows the kind in the message. */
    readonly expected: string,
    /** Where in the text that is read. */
    readonly at: number,
  ) {}
}

/** A value that a pattern selects, and that is open. */
export interface Match {
  readonly id: number;
  readonly pattern: number;
  readonly path: string;
  readonly type: ValueType;
  readonly offset: number;
  /** True if its deltas are of the value's text as it came. */
  readonly isRaw: boolean;
}

const NO_MATCHES: Match[] = [];

/** An open container. Frames are used again. */
export class Frame {
  isArray: boolean;
  /** The newest member's key, if keys are followed here. */
  key = "";
  /** The newest element's. */
  index = -1;
  /** Its path, once somebody has asked for one inside it. */
  path = "";
  place: Place;
  /** True if a pattern may select something inside. */
  isLive = false;
  matches: Match[] = NO_MATCHES;
  /** Where in the kept text it begins. */
  start = 0;
  /** What of it is shown, and in which look it was made or copied. */
  box: Json[] | { [key: string]: Json } | undefined = undefined;
  look = 0;
  /** Its keys, where a second equal one is refused. */
  keys: Set<string> | undefined = undefined;

  constructor(isArray: boolean, place: Place) {
    this.isArray = isArray;
    this.place = place;
  }
}

/** What all texts of a parser share: those inside strings report to where the document does. */
export interface Output {
  events: Event[];
  nextMatch: number;
  /** What a value that must not be made is refused with. */
  refusal: unknown;
  /** What is done with kept text; whoever retains nothing needs none. */
  readonly keeping: Keeping | undefined;
  /** What reports values as they come; whoever reads no raw patterns needs none. */
  readonly beginRaw: (() => RawDeltas) | undefined;
}

export interface EngineOptions extends Making {
  readonly limits: Required<Limits>;
  readonly rejectsDuplicates: boolean;
  readonly retain: "all" | "matches" | "nothing";
  readonly spelling: boolean;
}

export class Engine {
  readonly options: EngineOptions;
  readonly automaton: Automaton;
  readonly output: Output;
  /** What is shown of the document, if anybody may ask. */
  tree: Tree | undefined = undefined;
  /** The path of the string that this text is in, with the pipe after it; empty for the document. */
  readonly outer: string;
  readonly entry: Place;
  /** The values that are reported as they come, if a pattern is raw. */
  raw: RawDeltas | undefined;

  state = VALUE;
  /** They may be others while a state is read. */
  limits: Required<Limits>;
  /** Those of texts that begin inside strings. */
  innerLimits: Required<Limits>;
  readonly rejectsDuplicates: boolean;

  stack: Frame[] = [];
  depth = 0;
  top: Frame | undefined = undefined;

  /** The leaf that is open, or that was last. */
  place: Place;
  open: Match[] = NO_MATCHES;
  leafStart = 0;
  /** True if anybody wants the decoded text of the open string or number. */
  isWanted = false;
  /** The text inside the open string, if that is read. */
  inner: Engine | undefined = undefined;

  /** Decoded text of the open string or key that has not been reported, and where it begins. */
  buffer = "";
  bufferStart = 0;
  /** All decoded text of the open string, if somebody asks for it. */
  text = "";
  isTextKept = false;
  escape = NO_ESCAPE;
  code = 0;
  high = 0;
  escapeStart = 0;
  /** The offset of the first byte that would be one too many in the open token. */
  limit = Infinity;

  part = 0;
  token = "";
  word = 0;
  matched = 0;

  /** True if the text that is read was bytes. */
  readsBytes = false;
  /** True if the text may end with the beginning of a character: half a pair, or some bytes of a sequence. */
  mayBeCut = false;
  /** How many units at the end of the text are the beginning of a character, and wait. */
  unread = 0;
  /** The beginning of the sequence of bytes at whose end the text has failed. */
  strayBytes: Uint8Array | undefined = undefined;
  base = 0;
  extra = 0;
  lines = 0;
  lineStart = 0;

  /** The text that is kept, and what is to be added to an index in the text that is read for its place there. */
  kept: Kept | undefined;
  keptShift = 0;
  /** True if text is no longer kept, so that no value is made of it. */
  isFrozen = false;

  /** All that was kept until then, if all is. */
  frozenText = "";
  /** True if strings and containers have values. */
  readonly keepsValues: boolean;
  /** True if nothing is kept but the text of matches. */
  readonly keepsMatches: boolean;
  reading = "";
  /** True if the kept text is not the text that came. */
  isRewritten = false;

  /** True if what a run adds to a string waits to be flushed: a translator reads a chunk in several runs. */
  holdsText = false;
  /** The deltas of the open string that a translator's chunk has had so far: what follows is added to them. */
  held: { text: string }[] | undefined = undefined;
  /** True if bytes after the root are left unread. */
  stopsAtRoot = false;

  constructor(automaton: Automaton, options: EngineOptions, output: Output, outer = "", entry = automaton.root) {
    this.automaton = automaton;
    this.options = options;
    this.output = output;
    this.outer = outer;
    this.entry = entry;
    this.raw = automaton.readsRaw ? output.beginRaw!() : undefined;
    this.place = automaton.nowhere;
    this.keepsValues = options.retain !== "nothing";
    this.keepsMatches = options.retain === "matches";
    this.kept = this.keepsValues ? output.keeping!.begin() : undefined;
    this.limits = this.innerLimits = options.limits;
    this.rejectsDuplicates = options.rejectsDuplicates;
  }

  /** Begins a new text, keeping what was allocated. */
  reset(): void {
    this.state = VALUE;
    for (const frame of this.stack) release(frame);
    this.depth = 0;
    this.top = undefined;
    this.place = this.automaton.nowhere;
    this.open = NO_MATCHES;
    this.isWanted = false;
    this.inner = undefined;
    this.buffer = this.text = this.token = "";
    this.escape = NO_ESCAPE;
    this.high = 0;
    this.base = this.extra = this.lines = this.lineStart = 0;
    this.kept?.clear();
    this.raw?.clear();
    this.strayBytes = undefined;
    this.isFrozen = false;
    this.frozenText = "";
    this.isRewritten = false;
    this.holdsText = false;
    this.held = undefined;
    this.tree?.reset();
  }

  get isInString(): boolean {
    return this.state === STRING || this.state === KEY_STRING;
  }

  /** Returns true if a sequence of bytes that is not yet whole may go on here, and half a surrogate pair. */
  get takesCharacters(): boolean {
    return (this.state === STRING || this.state === KEY_STRING) && this.escape === NO_ESCAPE;
  }

  /** Reads a text, all of it unless it stops at the root's end; returns how far. After a fault, {@link keepTo} is called. */
  feed(text: string): number {
    const { kept, keepsValues } = this;
    this.reading = text;
    if (keepsValues) {
      if (this.keepsMatches) this.output.keeping!.release(this);
      this.keptShift = kept!.open(text, 0);
    }
    const end = this.run(text, 0);
    if (kept !== undefined) this.keepTo(end);
    this.base += end + this.extra;
    this.extra = 0;
    return end;
  }

  /** Of the text that was read last, what comes before this place is kept. */
  keepTo(end: number): void {
    const { kept, reading } = this;
    this.reading = "";
    if (this.keepsValues) kept!.commit(end);
    else if (kept !== undefined) kept.push(end === reading.length ? reading : reading.slice(0, end));
  }

  /** The end of input: ends a number at the root. */
  finish(): void {
    if (this.state === NUMBER && this.depth === 0 && mayEnd(this.part)) {
      this.keptShift = this.kept?.end ?? 0;
      this.endNumber(0);
    }
    if (this.state !== DONE) throw new Fault("incomplete", this.base, this.expected(), 0);
  }

  /** What would have to come next, for messages. */
  expected(): string {
    const { state } = this;
    if (state === AFTER) return `expected \`,\` or \`${this.top!.isArray ? "]" : "}"}\``;
    return `expected ${state === LITERAL ? `\`${WORDS[this.word]!}\`` : EXPECTED[state]!}`;
  }

  /** The offset of a unit of the text that is read. */
  at(i: number): number {
    return this.base + i + this.extra;
  }

  /** Everything that a text says, from a place in it to its end; returns how far it was read. */
  run(s: string, from: number): number {
    const n = s.length;
    let i = from;
    while (i < n) {
      const { state } = this;
      if (state >= STRING && state <= LITERAL) {
        if (state <= KEY_STRING) i = this.escape === NO_ESCAPE ? this.characters(s, i) : this.escaped(s, i);
        else i = state === NUMBER ? this.number(s, i) : this.literal(s, i);
        continue;
      }
      if (state === DONE && this.stopsAtRoot) return i;
      const c = s.charCodeAt(i++);
      if (c <= 32 && (c === 32 || c === 10 || c === 13 || c === 9)) {
        if (c === 10) this.newLine(i);
        continue;
      }
      if (state <= FIRST) this.value(s, c, i - 1);
      else if (state === AFTER) {
        const { isArray } = this.top!;
        if (c === 44) this.state = isArray ? VALUE : KEY;
        else if (c === (isArray ? 93 : 125)) this.pop(i);
        else this.unexpected(s, i - 1);
      } else if (state <= KEY) {
        if (c === QUOTE) this.beginKey(i - 1);
        else if (c === 125 && state === FIRST_KEY) this.pop(i);
        else this.unexpected(s, i - 1);
      } else if (state === COLON && c === 58) this.state = VALUE;
      else this.unexpected(s, i - 1);
    }
    if (this.buffer !== "" && this.state === STRING && !this.holdsText) this.flush();
    return i;
  }

  /** The unit with which a value begins. */
  value(s: string, c: number, i: number): void {
    if (c === QUOTE) this.beginString(i);
    else if (c === 123 || c === 91) this.push(c === 91, i);
    else if (c === 45 || (c >= 48 && c <= 57)) this.beginNumber(c, i);
    else if (c === 93 && this.state === FIRST) this.pop(i + 1);
    else {
      const word = c === 116 ? 0 : c === 102 ? 1 : c === 110 ? 2 : -1;
      if (word < 0) this.unexpected(s, i);
      this.beginLiteral(word, i);
    }
  }

  newLine(after: number): void {
    this.lines += 1;
    this.lineStart = this.base + after + this.extra;
  }

  fail(kind: string, i: number, expected: string, offset = this.base + i + this.extra): never {
    // What came before the first bad byte is reported.
    if (this.buffer !== "" && this.state === STRING && !this.holdsText) this.flush();
    throw new Fault(kind, offset, expected, i);
  }

  unexpected(s: string, i: number): never {
    const c = s.charCodeAt(i);
    if (this.state === DONE) this.fail("trailing-bytes", i, this.expected());
    this.fail("unexpected-byte", i, this.depth === 0 ? this.expected() + insteadOfText(c) : this.expected());
  }

  // Values.

  /** The place of the value that begins. */
  enter(): Place {
    const { top } = this;
    if (top === undefined) return this.entry;
    if (top.isArray) {
      top.index++;
      return top.isLive ? top.place.element(top.index) : this.automaton.nowhere;
    }
    return top.isLive ? top.place.member(top.key) : this.automaton.nowhere;
  }

  /** The path of the value that begins, or whose leaf is open. */
  path(): string {
    const { depth, stack } = this;
    if (depth === 0) return `${this.outer}$`;
    let at = depth - 1;
    while (at > 0 && stack[at]!.path === "") at--;
    let path = at === 0 ? this.outer : stack[at]!.path;
    for (; at < depth; at++) {
      const frame = stack[at]!;
      frame.path = path;
      path = append(path, frame.isArray ? frame.index : frame.key);
    }
    return path;
  }

  /** Reports a value that begins to the patterns that select it. */
  begin(type: ValueType, place: Place, offset: number): Match[] {
    const { selected } = place;
    if (selected.length === 0) return NO_MATCHES;
    const { output, raw } = this;
    const path = this.path();
    const matches: Match[] = [];
    for (const pattern of selected) {
      const id = output.nextMatch++;
      const isRaw = raw !== undefined && this.automaton.patterns[pattern]!.isRaw;
      const match = { id, pattern, path, type, offset, isRaw };
      matches.push(match);
      const event = matchEvent("begin", match, offset);
      event.type = type;
      output.events.push(event);
    }
    if (raw !== undefined) raw.begin(matches, output);
    return matches;
  }

  end(matches: readonly Match[], offset: number, value: Json | undefined, raw: string | undefined, type = matches[0]!.type): void {
    if (this.raw !== undefined) this.raw.end(matches, offset, this.output);
    const { events } = this.output;
    for (const match of matches) {
      const event = matchEvent("end", match, offset);
      event.type = type;
      event.value = value;
      if (raw !== undefined) event.raw = raw;
      events.push(event);
    }
  }

  push(isArray: boolean, i: number): void {
    const offset = this.base + i + this.extra;
    if (this.depth >= this.limits.depth) this.fail("depth-limit", i, "expected no deeper nesting than allowed");
    const place = this.enter();
    const matches = place.selected.length === 0 ? NO_MATCHES : this.begin(isArray ? "array" : "object", place, offset);
    let frame = this.stack[this.depth];
    if (frame === undefined) frame = this.stack[this.depth] = new Frame(isArray, place);
    frame.isArray = isArray;
    frame.index = -1;
    frame.key = frame.path = "";
    frame.place = place;
    frame.isLive = isArray ? place.entersArray : place.entersObject;
    frame.matches = matches;
    frame.start = i + this.keptShift;
    if (this.tree !== undefined) this.tree.beginContainer(this, frame);
    if (this.rejectsDuplicates && !isArray) frame.keys = new Set();
    this.depth++;
    this.top = frame;
    this.state = isArray ? FIRST : FIRST_KEY;
  }

  /** Ends the innermost container, whose bracket is before this unit. */
  pop(i: number): void {
    const frame = this.top!;
    this.depth--;
    if (frame.matches.length > 0) {
      const ended = this.keepsValues && !this.isFrozen ? this.output.keeping!.ended(this, frame, i + this.keptShift) : undefined;
      this.end(frame.matches, this.base + i + this.extra, ended?.value, ended?.raw);
      frame.matches = NO_MATCHES;
    }
    frame.box = undefined;
    if (this.depth === 0) {
      this.top = undefined;
      this.state = DONE;
    } else {
      this.top = this.stack[this.depth - 1];
      this.state = AFTER;
    }
  }

  // Strings and keys.

  beginKey(i: number): void {
    const { tree } = this;
    this.state = KEY_STRING;
    this.buffer = "";
    this.isWanted = tree !== undefined || this.top!.isLive || this.rejectsDuplicates;
    this.limit = this.base + i + this.extra + 1 + this.limits.key;
  }

  beginString(i: number): void {
    const offset = this.base + i + this.extra;
    const place = this.enter();
    this.place = place;
    this.open = place.selected.length === 0 ? NO_MATCHES : this.begin("string", place, offset);
    this.leafStart = i + this.keptShift;
    this.state = STRING;
    this.text = "";
    this.isWanted = this.open.length > 0;
    this.isTextKept = this.isWanted && this.keepsValues;
    if (this.tree !== undefined) {
      this.isWanted = this.isTextKept = true;
      this.tree.putString(this, "");
    }
    if (place.through.length > 0) this.beginInside(place);
    this.limit = offset + 1 + this.limits.string;
  }

  /** Reads in the open string, up to an escape or the quote that ends it. */
  characters(s: string, from: number): number {
    const n = s.length;
    let i = from;
    let extra = 0;
    let c = 0;
    reading: for (;;) {
      if (n - i > SHORT) {
        PLAIN.lastIndex = i;
        PLAIN.test(s);
        i = PLAIN.lastIndex;
      }
      for (; i < n; i++) {
        c = s.charCodeAt(i);
        if (c < 128) {
          if (c === QUOTE || c === BACKSLASH || c < 32) break reading;
          continue;
        }
        if (c < 0x800) {
          extra++;
        } else if (c < 0xd800 || c > 0xdfff) {
          extra += 2;
        } else {
          // Each half of a pair is two of its four bytes.
          const next = i + 1 < n ? s.charCodeAt(i + 1) : 0;
          // Half a pair, or a byte that is not UTF-8.
          if (c > 0xdbff || next < 0xdc00 || next > 0xdfff) break reading;
          extra += 2;
          i++;
        }
        if (n - i > SHORT && s.charCodeAt(i + 1) < 128) break;
      }
      if (i === n) break;
      i++;
    }
    if (this.base + i + this.extra + extra > this.limit) this.exceed(s, from);
    if (i > from) {
      if (this.isWanted) this.add(from === 0 && i === n ? s : s.slice(from, i), this.base + from + this.extra);
      this.extra += extra;
    }
    if (i === n) return i;
    if (c !== QUOTE) return this.interrupted(s, c, i);
    if (this.state === STRING) this.endString(i + 1);
    else this.endKey(i);
    return i + 1;
  }

  /** What stands in a string and is neither a character nor its end. */
  interrupted(s: string, c: number, i: number): number {
    if (c === BACKSLASH) {
      this.checkLimit(i);
      this.escape = LETTER;
      this.escapeStart = this.base + i + this.extra;
      return i + 1;
    }
    if (c < 32) this.failControl(i);
    const n = s.length;
    if (this.mayBeCut && (this.readsBytes ? breakOf(c) > 0 && i + breakOf(c) >= n : c < 0xdc00 && i + 1 === n)) {
      // The beginning of a character, which may go on.
      this.unread = n - i;
      this.extra -= n - i;
      return n;
    }
    this.stray(s, i);
  }

  add(text: string, offset: number): void {
    if (this.buffer === "") {
      this.bufferStart = offset;
      this.buffer = text;
    } else {
      this.buffer += text;
    }
  }

  /** Half a surrogate pair, or what stands for a byte that is not UTF-8. */
  stray(s: string, i: number): never {
    const c = s.charCodeAt(i);
    if (c < 0xdc00 || !this.readsBytes) this.fail("lone-surrogate", i, "expected both halves of a surrogate pair");
    const at = this.base + i + this.extra;
    const offset = at + breakOf(c);
    const most = Math.min(this.limit, this.limits.total);
    this.strayBytes = Uint8Array.from(s.slice(i, i + Math.min(breakOf(c), most - at)), (unit) => unit.charCodeAt(0) & 0xff);
    if (offset >= this.limits.total && this.limits.total <= this.limit) this.failTotal(i);
    if (offset > this.limit) this.tooLong(i, this.limit);
    this.fail("invalid-utf8", i, "expected UTF-8", offset);
  }


  /** A run goes beyond the limit: the characters before that are reported. */
  exceed(s: string, from: number): never {
    const at = this.base + from + this.extra;
    const i = from + within(s.slice(from), this.limit - at, this.readsBytes);
    if (i > from && this.isWanted) this.add(s.slice(from, i), at);
    this.strayBytes = encodeAt(s, i).subarray(0, this.limit - at - utf8Length(s, from, i, this.readsBytes));
    this.tooLong(i, this.limit);
  }

  /** Bytes wait for the rest of their sequence, and are within the limits so far. */
  checkWaiting(bytes: Uint8Array): void {
    const end = this.base + bytes.length;
    if (end <= this.limit && end <= this.limits.total) return;
    this.strayBytes = bytes.subarray(0, Math.min(this.limit, this.limits.total) - this.base);
    if (this.limits.total <= this.limit) this.failTotal();
    this.tooLong(0, this.limit);
  }

  checkLimit(i: number): void {
    if (this.base + i + this.extra >= this.limit) this.tooLong(i, this.base + i + this.extra);
  }

  tooLong(i: number, offset: number): never {
    const what = this.state === KEY_STRING ? "key" : this.state === STRING ? "string" : "number";
    this.fail(`${what}-limit`, i, `expected no longer ${what} than allowed`, offset);
  }

  /** Reads in an escape, up to the end of the character. */
  escaped(s: string, from: number): number {
    for (let i = from; i < s.length; i++) {
      const c = s.charCodeAt(i);
      const { escape } = this;
      const isLetter = escape === LETTER;
      if (escape >= DIGITS) {
        if (this.digit(c, i)) return i + 1;
      } else if (escape === PAIR_BACKSLASH) {
        if (c < 32) this.failControl(i);
        if (c !== BACKSLASH) this.failPair(i);
        this.checkLimit(i);
        this.escape = PAIR_U;
      } else if (c === 117) {
        this.checkLimit(i);
        this.escape = DIGITS + 3;
        this.code = 0;
      } else {
        const character = UNESCAPES[c];
        if (character === undefined) this.fail("invalid-escape", i, isLetter ? 'expected one of `"\\/bfnrtu` after the backslash' : "expected `u` after the backslash");
        if (!isLetter) this.failPair(i);
        this.checkLimit(i);
        this.endEscape(character);
        return i + 1;
      }
    }
    return s.length;
  }

  /** One of the four digits of an escape; returns true if the character has ended. */
  digit(c: number, i: number): boolean {
    const digit = hexDigit(c);
    if (digit < 0) this.fail("invalid-escape", i, "expected four hexadecimal digits");
    const code = (this.code << 4) | digit;
    // A surrogate shows in its first two digits: `D8` to `DB` is a high one, `DC` to `DF` a low one.
    const missing = this.escape - DIGITS;
    const isLow = missing === 2 && code >= 0xdc && code <= 0xdf;
    if (this.high === 0) {
      if (isLow) this.fail("lone-surrogate", i, "expected a high surrogate before a low one");
    } else if (missing === 3 ? code !== 0xd : missing === 2 && !isLow) {
      this.failPair(i);
    }
    this.checkLimit(i);
    this.code = code;
    if (missing > 0) {
      this.escape--;
    } else if (this.high === 0 && code >= 0xd800 && code <= 0xdbff) {
      this.high = code;
      this.escape = PAIR_BACKSLASH;
    } else {
      this.endEscape(this.high === 0 ? String.fromCharCode(code) : String.fromCharCode(this.high, code));
      return true;
    }
    return false;
  }

  failControl(i: number): never {
    this.fail("control-character", i, "expected an escape instead of a raw control character");
  }

  failPair(i: number): never {
    this.fail("lone-surrogate", i, "expected a low surrogate after a high one");
  }

  endEscape(character: string): void {
    this.escape = NO_ESCAPE;
    this.high = 0;
    if (this.isWanted) this.add(character, this.escapeStart);
  }

  endKey(i: number): void {
    const frame = this.top!;
    if (this.isWanted) {
      const { buffer } = this;
      this.buffer = "";
      if (frame.keys !== undefined) {
        if (frame.keys.has(buffer)) this.fail("duplicate-key", i, "expected each key once in an object");
        frame.keys.add(buffer);
      }
      frame.key = buffer;
    }
    this.state = COLON;
  }

  /** What has waited to be flushed is. */
  release(): void {
    this.holdsText = false;
    if (this.buffer !== "" && this.state === STRING) this.flush();
    this.held = undefined;
  }

  /** Reports what the chunk has added to the open string. */
  flush(): void {
    const text = this.buffer;
    const { open } = this;
    this.buffer = "";
    if (this.held !== undefined) {
      for (const delta of this.held) delta.text += text;
    } else {
      for (let at = 0; at < open.length; at++) {
        const match = open[at]!;
        if (match.isRaw) continue;
        const delta = matchEvent("delta", match, this.bufferStart);
        delta.text = text;
        this.output.events.push(delta);
        if (this.holdsText) (this.held ??= []).push(delta);
      }
    }
    if (this.isTextKept) this.text += text;
    if (this.tree !== undefined) this.tree.putString(this, text);
    if (this.inner !== undefined) this.readInside(text);
  }

  endString(i: number): void {
    if (this.buffer !== "") this.flush();
    this.held = undefined;
    this.state = this.depth === 0 ? DONE : AFTER;
    if (this.inner !== undefined) this.endInside();
    const { open } = this;
    if (open.length > 0) {
      const isKnown = this.keepsValues && !this.isFrozen;
      const raw = isKnown && this.options.spelling ? this.kept!.slice(this.leafStart, i + this.keptShift) : undefined;
      this.end(open, this.base + i + this.extra, isKnown ? this.text : undefined, raw);
      this.open = NO_MATCHES;
    }
    this.text = "";
  }

  // Numbers and literals.

  beginNumber(c: number, i: number): void {
    const offset = this.base + i + this.extra;
    this.limit = offset + this.limits.number;
    if (this.limit === offset) this.tooLong(i, offset);
    const place = this.enter();
    this.place = place;
    this.open = place.selected.length === 0 ? NO_MATCHES : this.begin("number", place, offset);
    this.leafStart = i + this.keptShift;
    this.isWanted = this.tree !== undefined || this.open.length > 0;
    this.part = c === 45 ? MINUS : c === 48 ? ZERO : INTEGER;
    this.token = String.fromCharCode(c);
    this.state = NUMBER;
  }

  number(s: string, from: number): number {
    const n = s.length;
    let i = from;
    let part = this.part;
    let isBad = false;
    for (; i < n; i++) {
      const c = s.charCodeAt(i);
      if (c >= 48 && c <= 57) {
        if (part === INTEGER || part === FRACTION || part === EXPONENT) continue;
        if (part === MINUS) part = c === 48 ? ZERO : INTEGER;
        else if (part === POINT) part = FRACTION;
        else if (part === ZERO) {
          isBad = true;
          break;
        } else part = EXPONENT;
      } else if (c === 46 && (part === INTEGER || part === ZERO)) part = POINT;
      else if ((c === 101 || c === 69) && (part === INTEGER || part === ZERO || part === FRACTION)) part = E;
      else if ((c === 43 || c === 45) && part === E) part = SIGN;
      else break;
    }
    if (this.base + i + this.extra > this.limit) {
      const at = this.limit - this.base - this.extra;
      if (this.isWanted) this.token += s.slice(from, at);
      this.tooLong(at, this.limit);
    }
    this.part = part;
    if (this.isWanted) this.token += s.slice(from, i);
    if (i === n) return i;
    if (isBad) this.fail("invalid-number", i, "expected no digit after a leading zero");
    if (!mayEnd(part)) this.fail("invalid-number", i, "expected a digit");
    this.endNumber(i);
    return i;
  }

  endNumber(i: number): void {
    this.state = this.depth === 0 ? DONE : AFTER;
    if (!this.isWanted) return;
    const { token } = this;
    const value = makeNumber(token, this.options.numbers);
    if (this.tree !== undefined) this.tree.putAtom(this, value, token);
    if (this.open.length > 0) {
      this.end(this.open, this.base + i + this.extra, value, this.options.spelling ? token : undefined);
      this.open = NO_MATCHES;
    }
  }

  beginLiteral(word: number, i: number): void {
    const place = this.enter();
    this.place = place;
    this.open =
      place.selected.length === 0 ? NO_MATCHES : this.begin(word === 2 ? "null" : "boolean", place, this.base + i + this.extra);
    this.leafStart = i + this.keptShift;
    this.word = word;
    this.matched = 1;
    this.state = LITERAL;
  }

  literal(s: string, from: number): number {
    const word = WORDS[this.word]!;
    const n = s.length;
    let i = from;
    for (; i < n && this.matched < word.length; i++, this.matched++) {
      if (s.charCodeAt(i) !== word.charCodeAt(this.matched)) this.fail("invalid-literal", i, `expected \`${word}\``);
    }
    if (this.matched < word.length) return i;
    this.state = this.depth === 0 ? DONE : AFTER;
    const value = WORD_VALUES[this.word]!;
    if (this.tree !== undefined) this.tree.putAtom(this, value, word);
    if (this.open.length > 0) {
      // What began as `-Infinity` may have been a number, and is none.
      const type = value === null ? "null" : "boolean";
      this.end(this.open, this.base + i + this.extra, value, this.options.spelling ? word : undefined, type);
      this.open = NO_MATCHES;
    }
    return i;
  }

  // Texts in strings.

  beginInside(place: Place): void {
    const { innerLimits } = this;
    this.inner = this.within(append(this.path(), INSIDE), place.inside());
    this.inner.limits = this.inner.innerLimits = innerLimits;
    this.inner.isFrozen = this.isFrozen;
    this.isWanted = true;
  }

  /** The engine of the text inside a string. */
  within(path: string, entry: Place): Engine {
    const { automaton, options, output } = this;
    return new Engine(automaton, { ...options, retain: options.retain === "nothing" ? "nothing" : "matches" }, output, path, entry);
  }

  /** Reads on in the text inside the open string. */
  readInside(text: string): void {
    const { inner } = this;
    if (inner!.state === CLOSED) return;
    const raw = inner!.raw;
    if (raw !== undefined) raw.beginPiece(text, inner!.base);
    try {
      const room = inner!.limits.total - inner!.base;
      const end = within(text, room);
      inner!.feed(end === text.length ? text : text.slice(0, end));
      if (end < text.length) inner!.exceedTotal(text, end);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      inner!.keepTo(thrown.at);
      if (raw !== undefined) raw.endPiece(this.output, thrown.offset);
      this.failInside(thrown);
    }
    if (raw !== undefined) raw.endPiece(this.output);
  }

  /** The string ends: so does the text in it. */
  endInside(): void {
    const { inner } = this;
    if (inner!.state !== CLOSED) {
      try {
        inner!.finish();
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown;
        this.failInside(thrown);
      }
    }
    this.inner = undefined;
  }

  /** Nothing more is reported of the text inside the open string. */
  failInside(fault: Fault): void {
    const inner = this.inner!;
    const error = errorOf(fault, inner, inner.knownPath(hasLeaf(inner, fault.kind)));
    const path = this.path();
    for (const pattern of this.place.through) {
      const event = matchEvent("inner-error", { id: this.output.nextMatch++, pattern, path }, fault.offset);
      event.error = error;
      this.output.events.push(event);
    }
    inner.state = CLOSED;
    inner.inner = undefined;
  }

  // Where an error is.

  /** The path of the innermost open value; `null` if nobody knows it. */
  errorPath(fault: Fault): string | null {
    return this.knownPath(hasLeaf(this, fault.kind)) ?? this.output.keeping?.pathOfFault(this, fault) ?? null;
  }

  /** Without the text: from what is followed. */
  knownPath(isInLeaf: boolean): string | null {
    const { depth, state } = this;
    if (this.tree !== undefined) return this.spellTo(state === STRING || state === NUMBER || state === LITERAL ? depth : depth - 1);
    if (this.inner !== undefined || this.open.length > 0) return this.spellTo(depth);
    if (depth === 0) return "$";
    if (isInLeaf) return null;
    if (depth === 1) return "$";
    const top = this.top!;
    const areKnown = this.stack.slice(0, depth - 1).every((frame) => frame.isLive);
    return areKnown && (top.isLive || top.matches.length > 0) ? this.spellTo(depth - 1) : null;
  }

  segmentsTo(depth: number): Segment[] {
    return this.stack.slice(0, Math.max(0, depth)).map((frame) => (frame.isArray ? frame.index : frame.key));
  }

  spellTo(depth: number): string {
    return spell(this.segmentsTo(depth));
  }

  // The limit on the total, which is checked before a byte is looked at.

  /** The text goes beyond the limit on the total with the character at this place. */
  exceedTotal(text: string, at: number): never {
    // Its first bytes may be within the limit.
    if (this.base < this.limits.total && !this.takesCharacters) this.feed(text.slice(at, at + 1));
    if (this.takesCharacters) this.checkWaiting(encodeAt(text, at));
    this.failTotal();
  }

  failTotal(i = 0): never {
    this.fail("total-limit", i, "expected no more bytes than allowed", this.limits.total);
  }
}

/** An independent copy, whose document reports to `output`. */
export function cloneEngine(engine: Engine, output: Output): Engine {
  const { automaton, options, outer, entry, inner, stack, depth } = engine;
  const clone = Object.assign(new Engine(automaton, options, output, outer, entry), engine, { output });
  clone.kept = engine.kept?.clone();
  clone.raw = engine.raw?.clone();
  clone.inner = inner && cloneEngine(inner, output);
  // Frames beyond the open ones are spare, and stay with their owner.
  clone.stack = stack
    .slice(0, depth)
    .map((frame) => Object.assign(new Frame(frame.isArray, frame.place), frame, { keys: frame.keys && new Set(frame.keys) }));
  clone.top = clone.stack[depth - 1];
  clone.tree = engine.tree?.clone(engine, clone);
  return clone;
}

function release(frame: Frame): void {
  frame.box = undefined;
  frame.keys = undefined;
  frame.matches = NO_MATCHES;
}

/** Returns true if the innermost open value is a leaf, as far as the kind of error says so. */
function hasLeaf({ state }: Engine, kind: string): boolean {
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
      return state === STRING || state === NUMBER || state === LITERAL;
  }
}

export function mayEnd(part: number): boolean {
  return part === INTEGER || part === ZERO || part === FRACTION || part === EXPONENT;
}

export function hexDigit(c: number): number {
  if (c >= 48 && c <= 57) return c - 48;
  const letter = c | 32;
  return letter >= 97 && letter <= 102 && c < 128 ? letter - 87 : -1;
}

/** What a text that is no JSON may be, by its first unit. */
function insteadOfText(first: number): string {
  if (first === 0xfeff) return ", and this may be a byte order mark";
  if (first === 60) return ", and this may be HTML or XML";
  if (first === 100) return ", and this may be `data:`, a line of server-sent events, which `jsonspigot/providers` reads";
  return "";
}
