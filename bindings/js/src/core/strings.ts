// Reading in a string or a key: runs of characters, and escapes, which a chunk's end may cut anywhere.

import type { Engine } from "./engine.js";
import { checkLimit, failTotal, tooLong } from "./limits.js";
import { UNESCAPES } from "./patterns/path.js";
import { DIGITS, LETTER, PAIR_BACKSLASH, PAIR_U, STRING } from "./states.js";
import { breakOf, encodeAt, utf8Length, within } from "./utf8.js";
import { BACKSLASH, QUOTE } from "./units.js";

/** Plain characters. The expression pays for all but the shortest runs: a loop asks of each unit how its string is stored. */
const PLAIN = /[ !#-[\]-\x7f]*/y;
const SHORT = 3;

/** Reads in the open string, up to an escape or the quote that ends it. */
export function readCharacters(engine: Engine, s: string, from: number): number {
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
  if (engine.base + i + engine.extra + extra > engine.limit) exceed(engine, s, from);
  if (i > from) {
    if (engine.isWanted) engine.add(from === 0 && i === n ? s : s.slice(from, i), engine.base + from + engine.extra);
    engine.extra += extra;
  }
  if (i === n) return i;
  if (c !== QUOTE) return interrupted(engine, s, c, i);
  if (engine.state === STRING) engine.endString(i + 1);
  else engine.endKey(i);
  return i + 1;
}

/** Reads a unit in a string that is neither a plain character nor the string's end. */
function interrupted(engine: Engine, s: string, c: number, i: number): number {
  if (c === BACKSLASH) {
    checkLimit(engine, i);
    engine.escape = LETTER;
    engine.escapeStart = engine.base + i + engine.extra;
    return i + 1;
  }
  if (c < 32) failControl(engine, i);
  const n = s.length;
  if (engine.chunk.mayBeCut && (engine.chunk.wasBytes ? breakOf(c) > 0 && i + breakOf(c) >= n : c < 0xdc00 && i + 1 === n)) {
    // The beginning of a character that the next chunk may complete.
    engine.chunk.unread = n - i;
    engine.extra -= n - i;
    return n;
  }
  stray(engine, s, i);
}

/** Fails for half a surrogate pair, or a unit that stands for a byte that is not UTF-8. */
function stray(engine: Engine, s: string, i: number): never {
  const c = s.charCodeAt(i);
  if (c < 0xdc00 || !engine.chunk.wasBytes) engine.fail("lone-surrogate", i, "both halves of a surrogate pair");
  const at = engine.base + i + engine.extra;
  const offset = at + breakOf(c);
  const most = Math.min(engine.limit, engine.limits.total);
  engine.chunk.strayBytes = Uint8Array.from(s.slice(i, i + Math.min(breakOf(c), most - at)), (unit) => unit.charCodeAt(0) & 0xff);
  if (offset >= engine.limits.total && engine.limits.total <= engine.limit) failTotal(engine, i);
  if (offset > engine.limit) tooLong(engine, i, engine.limit);
  engine.fail("invalid-utf8", i, "UTF-8", offset);
}

/** Reports the characters up to the limit, and fails. */
function exceed(engine: Engine, s: string, from: number): never {
  const at = engine.base + from + engine.extra;
  const i = from + within(s.slice(from), engine.limit - at, engine.chunk.wasBytes);
  if (i > from && engine.isWanted) engine.add(s.slice(from, i), at);
  engine.chunk.strayBytes = encodeAt(s, i).subarray(0, engine.limit - at - utf8Length(s, from, i, engine.chunk.wasBytes));
  tooLong(engine, i, engine.limit);
}

/** Reads in an escape, up to the end of the character. */
export function readEscape(engine: Engine, s: string, from: number): number {
  for (let i = from; i < s.length; i++) {
    const c = s.charCodeAt(i);
    const { escape } = engine;
    const isLetter = escape === LETTER;
    if (escape >= DIGITS) {
      if (readDigit(engine, c, i)) return i + 1;
    } else if (escape === PAIR_BACKSLASH) {
      if (c < 32) failControl(engine, i);
      if (c !== BACKSLASH) failPair(engine, i);
      checkLimit(engine, i);
      engine.escape = PAIR_U;
    } else if (c === 117) {
      checkLimit(engine, i);
      engine.escape = DIGITS + 3;
      engine.code = 0;
    } else {
      const character = c === QUOTE ? '"' : UNESCAPES[s[i]!];
      if (character === undefined)
        engine.fail("invalid-escape", i, isLetter ? 'one of `"\\/bfnrtu` after the backslash' : "`u` after the backslash");
      if (!isLetter) failPair(engine, i);
      checkLimit(engine, i);
      engine.endEscape(character);
      return i + 1;
    }
  }
  return s.length;
}

/** Reads one of the four digits of an escape. Returns true if the character has ended. */
function readDigit(engine: Engine, c: number, i: number): boolean {
  const digit = hexDigit(c);
  if (digit < 0) engine.fail("invalid-escape", i, "four hexadecimal digits");
  const code = (engine.code << 4) | digit;
  // A surrogate shows in its first two digits: `D8` to `DB` is a high one, `DC` to `DF` a low one.
  const missing = engine.escape - DIGITS;
  const isLow = missing === 2 && code >= 0xdc && code <= 0xdf;
  if (engine.high === 0) {
    if (isLow) engine.fail("lone-surrogate", i, "a high surrogate before a low one");
  } else if (missing === 3 ? code !== 0xd : missing === 2 && !isLow) {
    failPair(engine, i);
  }
  checkLimit(engine, i);
  engine.code = code;
  if (missing > 0) {
    engine.escape--;
  } else if (engine.high === 0 && code >= 0xd800 && code <= 0xdbff) {
    engine.high = code;
    engine.escape = PAIR_BACKSLASH;
  } else {
    engine.endEscape(engine.high === 0 ? String.fromCharCode(code) : String.fromCharCode(engine.high, code));
    return true;
  }
  return false;
}

function failControl(engine: Engine, i: number): never {
  engine.fail("control-character", i, "an escape instead of a raw control character");
}

function failPair(engine: Engine, i: number): never {
  engine.fail("lone-surrogate", i, "a low surrogate after a high one");
}

export function hexDigit(c: number): number {
  if (c >= 48 && c <= 57) return c - 48;
  const letter = c | 32;
  return letter >= 97 && letter <= 102 && c < 128 ? letter - 87 : -1;
}
