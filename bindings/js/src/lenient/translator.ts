// Leniency: a translator of nearly-JSON, which drives the strict engine past named deviations.
//
// The engine reads the input until it stops at a unit that JSON does not have there. If that begins a deviation that is
// tolerated, the translator acts, and then the engine continues:
//
// - it *puts* strict JSON instead of other text, each unit with the offset of the text that it replaces;
// - it *takes back* the little that it let pass before it knew better: an open escape, a comma, a minus;
// - it *leaves out* what stands for nothing, or *holds* what is not decided yet (`/`, the `N` of `None` and `NaN`).
//
// So the engine and the kept text see strict JSON only, and offsets, limits and lines are those of the input.

import type { DeviationReport } from "../core/events.js";
import type { ReportingEngine } from "../core/reporting.js";
import { checkLimit } from "../core/limits.js";
import { errorOf, Fault, type TextError, wanted } from "../core/text-error.js";
import {
  AFTER,
  DIGITS,
  FIRST,
  FIRST_KEY,
  KEY,
  LETTER,
  LITERAL,
  MINUS,
  NO_ESCAPE,
  NUMBER,
  PAIR_BACKSLASH,
  PAIR_U,
  DONE,
  VALUE,
} from "../core/states.js";
import { hexDigit } from "../core/strings.js";
import { DEVIATIONS, type Deviation } from "./deviations.js";
import { BACKSLASH, isDigit, QUOTE } from "../core/units.js";
import { utf8Length } from "../core/utf8.js";

// The token that the next unit is part of.
/** A token that the engine reads, or stops at. */
export const STRICT = 0;
/** A possible comment, after its slash. */
export const SLASH = 1;
export const LINE_COMMENT = 2;
export const BLOCK_COMMENT = 3;
/** A block comment, after an asterisk. */
export const BLOCK_COMMENT_STAR = 4;
/** `None` or `NaN`, after the `N`. */
export const NONE_OR_NAN = 5;
export const BARE_KEY = 6;
/** A low surrogate without a high one before it, of which one or two digits are missing. */
export const LONE_LOW = 7;
/** One of {@link WORDS}. */
export const WORD = 8;

/** Words that are not JSON's, and the literals that they stand for. */
export const WORDS: readonly (readonly [spelling: string, text: string])[] = [
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["NaN", "null"],
  ["Infinity", "null"],
  ["-Infinity", "null"],
];
const INFINITY = 4;
const MINUS_INFINITY = 5;

/** The replacement of a character that can't be decoded. */
const REPLACEMENT = "\\ufffd";

/** How many deviations are listed. */
export const MOST_LISTED = 100;

const APOSTROPHE = 39;

export function isOfName(c: number): boolean {
  return isDigit(c) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95 || c === 36;
}

/** Freezes the kept text, of which no value is made any more. */
function freeze(engine: ReportingEngine): void {
  engine.isFrozen = true;
  if (engine.inner) freeze(engine.inner);
}

export class Lenient {
  readonly allowed: number;
  readonly accepts: boolean;
  count = 0;
  list: DeviationReport[] = [];
  /** Where the newest is, listed or not. */
  newest = 0;
  /** The first as an error: the verdict on the text, unless deviations are accepted. */
  first: TextError | undefined = undefined;

  step = STRICT;
  /** The offset of what is undecided, or of a lone surrogate's escape. */
  at = 0;
  missing = 0;
  word = 0;
  matched = 0;
  /** True if the string that was opened last has single quotes. */
  isSingleQuoted = false;
  readonly #engine: ReportingEngine;
  #text = "";

  constructor(engine: ReportingEngine, allowed: number, accepts: boolean) {
    this.#engine = engine;
    this.allowed = allowed;
    this.accepts = accepts;
  }

  reset(): void {
    this.count = this.newest = 0;
    this.list = [];
    this.first = undefined;
    this.isSingleQuoted = false;
    this.step = STRICT;
  }

  allows(kind: Deviation): boolean {
    return (this.allowed & (1 << DEVIATIONS.indexOf(kind))) !== 0;
  }

  /** Returns true if the text may end here if the engine's may. */
  get mayEnd(): boolean {
    return this.step === STRICT || this.step === LINE_COMMENT;
  }

  /** Returns the unit that is held until the next one decides its meaning. */
  get undecided(): string {
    return this.step === SLASH ? "/" : this.step === NONE_OR_NAN ? "N" : "";
  }

  /** Reads a text. Returns how far it was read. */
  feed(text: string): number {
    const engine = this.#engine;
    this.#text = text;
    if (engine.keepsMatches) engine.output.keeping!.dropUnneeded(engine);
    try {
      let end = 0;
      while (end < text.length && !(engine.stopsAtRoot && engine.state === DONE && this.step === STRICT)) end = this.#next(end);
      engine.base += end + engine.extra;
      engine.extra = 0;
      return end;
    } finally {
      this.#text = "";
    }
  }

  /** Throws the error of a strict parser for a unit that is not decided. */
  throwUndecided(): void {
    if (this.undecided !== "") throw this.#unexpectedAt(this.at);
  }

  finish(): void {
    const engine = this.#engine;
    this.throwUndecided();
    const expected =
      this.step === WORD
        ? `expected \`${WORDS[this.word]![0].replace("-", "")}\``
        : this.step === BARE_KEY
          ? "expected the rest of a key"
          : this.step === BLOCK_COMMENT || this.step === BLOCK_COMMENT_STAR
            ? "expected the end of a comment"
            : undefined;
    if (expected !== undefined) throw new Fault("incomplete", engine.base, expected, 0);
    engine.finish();
  }

  #next(i: number): number {
    switch (this.step) {
      case STRICT:
        return this.isSingleQuoted && this.#engine.isInString ? this.#singleQuotes(i) : this.#raw(i);
      case SLASH:
        return this.#slash(i);
      case LINE_COMMENT:
        return this.#lineComment(i);
      case NONE_OR_NAN:
        return this.#noneOrNan(i);
      case WORD:
        return this.#readWord(i);
      case BARE_KEY:
        return this.#bareKey(i);
      case LONE_LOW:
        return this.#loneLow(i);
      default:
        return this.#blockComment(i);
    }
  }

  // Driving the engine.

  /** Lets the engine read the input, or its beginning, from a unit on, and passes the deviation at which it stops. */
  #raw(from: number, text = this.#text): number {
    const engine = this.#engine;
    const { kept } = engine;
    if (kept !== undefined) engine.keptShift = kept.open(text, from);
    try {
      const end = engine.run(text, from);
      kept?.commit(end);
      return end;
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      kept?.commit(thrown.at);
      return this.#deviate(thrown);
    }
  }

  /** Reads what strict JSON has in the place of what is at an offset; no limit counts it. */
  #put(text: string, offset: number): void {
    const engine = this.#engine;
    const { base, extra, kept, isInString, limit } = engine;
    engine.base = offset;
    engine.extra = 0;
    if (isInString) engine.limit = Infinity;
    if (kept !== undefined) engine.keptShift = kept.open(text, 0);
    try {
      engine.run(text, 0);
      kept?.commit(text.length);
    } catch (thrown) {
      kept?.commit(0);
      throw thrown;
    } finally {
      engine.base = base;
      engine.extra = extra;
      if (isInString) engine.limit = limit;
    }
  }

  #takeBack(count: number): void {
    const { kept } = this.#engine;
    kept?.truncate(kept.end - count);
  }

  // Deviations.

  /** Reports a fault if it is a deviation that is tolerated; throws it otherwise. */
  #pass(kind: Deviation, fault: Fault): void {
    if (!this.allows(kind)) throw fault;
    const engine = this.#engine;
    const line = engine.lines + 1;
    const column = Math.max(0, fault.offset - engine.lineStart) + 1;
    if (this.count === 0 && !this.accepts) {
      this.first = errorOf(fault, engine);
      // So no string or container that ends later has a text. Those that have ended in a text inside a string have one.
      if (engine.inner !== undefined && engine.buffer !== "") engine.flush();
      freeze(engine);
    }
    engine.isRewritten = true;
    // The unit that broke an escape is read again, and may also be wrong by itself.
    if (this.count > 0 && this.newest === fault.offset) return;
    this.newest = fault.offset;
    this.count += 1;
    if (this.list.length < MOST_LISTED) this.list.push({ kind, offset: fault.offset, line, column });
  }

  /** Passes the unit at which the engine stopped. Returns where it continues. */
  #deviate(fault: Fault): number {
    const i = fault.at;
    const c = this.#text.charCodeAt(i);
    switch (fault.kind) {
      case "control-character":
        return this.#inString("control-characters", fault, c);
      case "invalid-escape":
        return this.#inString("bad-escapes", fault, c);
      case "lone-surrogate":
        // Half a pair in a chunk is no text at all.
        if (this.#engine.escape === NO_ESCAPE) throw fault;
        return this.#inString("lone-surrogates", fault, c);
      case "invalid-number":
        return this.#badNumber(fault, c);
      case "unexpected-byte":
      case "trailing-bytes":
        return this.#unexpected(fault, c);
      default:
        throw fault;
    }
  }

  /** Passes a unit between tokens. */
  #unexpected(fault: Fault, c: number): number {
    const { state } = this.#engine;
    const i = fault.at;
    if (c === 47) return this.#hold("comments", SLASH, fault);
    if (c === 35) {
      this.#pass("comments", fault);
      this.step = LINE_COMMENT;
      return i + 1;
    }
    if (c === 0xfeff && state === VALUE && fault.offset === 0) {
      this.#pass("byte-order-mark", new Fault(fault.kind, fault.offset, `expected ${wanted(this.#engine)}`, i));
      this.#engine.extra += 2;
      return i + 1;
    }
    const isArray = this.#engine.top?.isArray === true;
    if ((c === 93 && state === VALUE && isArray) || (c === 125 && state === KEY)) return this.#trailingComma(fault);
    const beginsValue = state === VALUE || state === FIRST;
    const beginsKey = state === FIRST_KEY || state === KEY;
    if (c === APOSTROPHE && (beginsValue || beginsKey)) {
      this.#pass("single-quotes", fault);
      this.#put('"', fault.offset);
      this.isSingleQuoted = true;
      return i + 1;
    }
    if (beginsValue) return this.#beginWord(fault, c);
    if (beginsKey) return this.#beginBareKey(fault, c);
    throw fault;
  }

  /** Holds a unit until the next one decides if it begins a deviation. */
  #hold(kind: Deviation, step: number, fault: Fault): number {
    if (!this.allows(kind)) throw fault;
    this.at = fault.offset;
    this.step = step;
    return fault.at + 1;
  }

  /** Resolves the held unit to a deviation, or to the strict error. */
  #decide(kind: Deviation | undefined): void {
    const fault = this.#unexpectedAt(this.at);
    if (kind === undefined) throw fault;
    this.#pass(kind, fault);
  }

  #unexpectedAt(offset: number): Fault {
    const engine = this.#engine;
    return new Fault(engine.state === DONE ? "trailing-bytes" : "unexpected-byte", offset, `expected ${wanted(engine)}`, 0);
  }

  // Between tokens.

  /** Removes a trailing comma before a bracket, which is read again. */
  #trailingComma(fault: Fault): number {
    const engine = this.#engine;
    this.#pass("trailing-commas", fault);
    engine.state = AFTER;
    const { kept } = engine;
    if (kept !== undefined && kept.end > 0) {
      let comma = kept.end - 1;
      while (comma > 0 && /[ \t\n\r]/.test(kept.slice(comma, comma + 1))) comma -= 1;
      const space = kept.slice(comma + 1, kept.end);
      if (kept.slice(comma, comma + 1) === ",") {
        kept.truncate(comma);
        kept.push(space);
      }
    }
    return fault.at;
  }

  /** Reads the unit after a slash. */
  #slash(i: number): number {
    const c = this.#text.charCodeAt(i);
    const step = c === 47 ? LINE_COMMENT : c === 42 ? BLOCK_COMMENT : undefined;
    this.#decide(step === undefined ? undefined : "comments");
    this.step = step!;
    return i + 1;
  }

  /** Reads up to the line feed, which is white space again. */
  #lineComment(i: number): number {
    const end = this.#text.indexOf("\n", i);
    if (end >= 0) this.step = STRICT;
    return this.#skip(i, end < 0 ? this.#text.length : end);
  }

  /** Reads up to the asterisk and slash that end the comment. Lines are counted, as in white space. */
  #blockComment(from: number): number {
    const text = this.#text;
    let isAfterStar = this.step === BLOCK_COMMENT_STAR;
    let i = from;
    for (; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (isAfterStar && c === 47) {
        this.step = STRICT;
        return this.#skip(from, i + 1);
      }
      isAfterStar = c === 42;
      if (c !== 10) continue;
      this.#skip(from, i + 1);
      from = i + 1;
      this.#engine.newLine(from);
    }
    this.step = isAfterStar ? BLOCK_COMMENT_STAR : BLOCK_COMMENT;
    return this.#skip(from, i);
  }

  /** Leaves out a part of the text. */
  #skip(from: number, to: number): number {
    const engine = this.#engine;
    engine.extra += utf8Length(this.#text, from, to, engine.chunk.wasBytes) - (to - from);
    return to;
  }

  // In strings.

  #inString(kind: Deviation, fault: Fault, c: number): number {
    const engine = this.#engine;
    if (engine.escape !== NO_ESCAPE) return this.#badEscape(kind, fault, c);
    this.#pass(kind, fault);
    checkLimit(engine, fault.at);
    this.#put(`\\u00${c.toString(16).padStart(2, "0")}`, fault.offset);
    return fault.at + 1;
  }

  /** Ends an escape before a unit that is not part of it. The unit is read again, unless the replacement includes it. */
  #badEscape(kind: Deviation, fault: Fault, c: number): number {
    const engine = this.#engine;
    const { escape, high } = engine;
    const i = fault.at;
    const at = fault.offset;
    const isQuote = c === APOSTROPHE && this.isSingleQuoted;
    if (isQuote && escape === LETTER) return this.#escapedQuote(i);
    if (isQuote && escape === PAIR_U) {
      this.#pass("lone-surrogates", new Fault("lone-surrogate", at, "expected a low surrogate after a high one", i));
      this.#replaceEscape(at - 7);
      this.#put("\\", at - 1);
      return this.#escapedQuote(i);
    }
    // A high surrogate is alone if anything is between it and a low one.
    if (high !== 0 && !this.allows("lone-surrogates")) throw fault;
    this.#pass(kind, fault);
    switch (escape) {
      case LETTER:
        if (c === APOSTROPHE) return this.#escapedQuote(i);
        this.#put("\\", at);
        return i;
      case PAIR_BACKSLASH:
        this.#replaceEscape(at - 6);
        return i;
      case PAIR_U:
        this.#replaceEscape(at - 7);
        this.#put("\\", at - 1);
        return i;
      default:
        return this.#badDigit(fault.kind !== "invalid-escape", fault);
    }
  }

  /** Passes a wrong digit of an escape, which may be the second half of a pair. */
  #badDigit(isHexDigit: boolean, fault: Fault): number {
    const engine = this.#engine;
    const i = fault.at;
    const digits = DIGITS + 3 - engine.escape;
    const escapeAt = fault.offset - 2 - digits;
    if (engine.high !== 0) {
      // The digit before the one that does not fit was read already.
      const { kept } = engine;
      const first = kept !== undefined && kept.slice(kept.end - 1, kept.end) === "D" ? "D" : "d";
      this.#replaceEscape(escapeAt - 6);
      if (!isHexDigit) {
        this.#put(REPLACEMENT, escapeAt);
        return i;
      }
      this.#put("\\u", escapeAt);
      if (digits > 0) this.#put(first, escapeAt + 2);
      return i;
    }
    if (!isHexDigit) {
      this.#replaceEscape(escapeAt);
      return i;
    }
    // A lone low surrogate: its escape is read to the end, and reported then.
    checkLimit(engine, i);
    this.#takeBackEscape();
    this.at = escapeAt;
    this.step = LONE_LOW;
    this.missing = 2;
    return i + 1;
  }

  /** Takes back the open escape. */
  #takeBackEscape(): void {
    const engine = this.#engine;
    const { escape, high } = engine;
    const length =
      escape === LETTER ? 1 : escape === PAIR_BACKSLASH ? 6 : escape === PAIR_U ? 7 : 2 + DIGITS + 3 - escape + (high === 0 ? 0 : 6);
    engine.escape = NO_ESCAPE;
    engine.high = 0;
    this.#takeBack(length);
  }

  /** Replaces the open escape with the character that stands for undecodable ones. */
  #replaceEscape(at: number): void {
    this.#takeBackEscape();
    this.#put(REPLACEMENT, at);
  }

  /** `\'`, after its backslash. */
  #escapedQuote(i: number): number {
    const engine = this.#engine;
    checkLimit(engine, i);
    this.#takeBackEscape();
    this.#put("'", engine.at(i) - 1);
    return i + 1;
  }

  /** Reads the last two digits of a low surrogate that is alone. */
  #loneLow(i: number): number {
    const engine = this.#engine;
    const isHexDigit = hexDigit(this.#text.charCodeAt(i)) >= 0;
    if (isHexDigit) checkLimit(engine, i);
    else this.#pass("bad-escapes", new Fault("invalid-escape", engine.at(i), "expected four hexadecimal digits", i));
    if (isHexDigit && this.missing > 1) {
      this.missing -= 1;
      return i + 1;
    }
    this.step = STRICT;
    this.#put(REPLACEMENT, this.at);
    return isHexDigit ? i + 1 : i;
  }

  /** Reads on in single quotes, where other quotes are plain. */
  #singleQuotes(i: number): number {
    const engine = this.#engine;
    const text = this.#text;
    if (engine.escape !== NO_ESCAPE) return this.#raw(i, text.slice(0, i + 1));
    let end = i;
    for (; end < text.length; end++) {
      const c = text.charCodeAt(end);
      if (c === APOSTROPHE || c === QUOTE || c === BACKSLASH) break;
    }
    if (end > i) return this.#raw(i, text.slice(0, end));
    const c = text.charCodeAt(i);
    if (c === BACKSLASH) return this.#raw(i, text.slice(0, i + 1));
    if (c === APOSTROPHE) {
      this.#put('"', engine.at(i));
      this.isSingleQuoted = false;
    } else {
      checkLimit(engine, i);
      this.#put('\\"', engine.at(i));
    }
    return i + 1;
  }

  // Words.

  /** Begins a word with a unit that begins no JSON value. */
  #beginWord(fault: Fault, c: number): number {
    if (c === 78) return this.#hold(this.allows("python-literals") ? "python-literals" : "non-finite", NONE_OR_NAN, fault);
    const word = c === 84 ? 0 : c === 70 ? 1 : c === 73 ? INFINITY : undefined;
    if (word === undefined) throw fault;
    this.#pass(word === INFINITY ? "non-finite" : "python-literals", fault);
    this.#begin(word, fault.offset);
    return fault.at + 1;
  }

  /** Reads the unit after an `N`. */
  #noneOrNan(i: number): number {
    const c = this.#text.charCodeAt(i);
    this.#decide(c === 111 ? "python-literals" : c === 97 ? "non-finite" : undefined);
    this.#begin(c === 111 ? 2 : 3, this.at);
    return i;
  }

  /** Begins a word, with the first letter of its literal. */
  #begin(word: number, at: number): void {
    this.#put(WORDS[word]![1][0]!, at);
    this.step = WORD;
    this.word = word;
    this.matched = 1;
  }

  /** Passes a bad unit of a number, which is only a deviation in `-Infinity`. */
  #badNumber(fault: Fault, c: number): number {
    const engine = this.#engine;
    if (engine.state !== NUMBER || engine.part !== MINUS || c !== 73) throw fault;
    this.#pass("non-finite", fault);
    engine.state = LITERAL;
    engine.word = 2;
    engine.matched = 1;
    this.#takeBack(1);
    engine.kept?.push("n");
    this.step = WORD;
    this.word = MINUS_INFINITY;
    this.matched = 2;
    return fault.at + 1;
  }

  #readWord(from: number): number {
    const text = this.#text;
    const engine = this.#engine;
    const [spelling, literal] = WORDS[this.word]!;
    let i = from;
    for (; i < text.length && this.matched < spelling.length; i++, this.matched++) {
      if (text.charCodeAt(i) === spelling.charCodeAt(this.matched)) continue;
      throw new Fault("invalid-literal", engine.at(i), `expected \`${spelling.replace("-", "")}\``, i);
    }
    if (this.matched < spelling.length) return i;
    this.step = STRICT;
    this.#put(literal.slice(1), engine.at(i) - literal.length + 1);
    return i;
  }

  /** Begins a bare key with a unit that begins no JSON key. */
  #beginBareKey(fault: Fault, c: number): number {
    if (!isOfName(c) || isDigit(c)) throw fault;
    this.#pass("bare-keys", fault);
    // It stands where it takes no room from the key.
    this.#put('"', fault.offset - 1);
    this.step = BARE_KEY;
    return fault.at;
  }

  /** Reads on in a key without quotes, which ends before the first unit that can't be part of it. */
  #bareKey(i: number): number {
    const text = this.#text;
    let end = i;
    while (end < text.length && isOfName(text.charCodeAt(end))) end += 1;
    this.#raw(i, text.slice(0, end));
    if (end < text.length) {
      this.#put('"', this.#engine.at(end));
      this.step = STRICT;
    }
    return end;
  }
}
