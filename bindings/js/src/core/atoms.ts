// Numbers and literals, which are reported whole.

import type { Engine } from "./engine.js";
import { tooLong } from "./limits.js";
import { E, EXPONENT, FRACTION, INTEGER, LITERAL, mayEnd, MINUS, NUMBER, POINT, SIGN, WORDS, ZERO } from "./states.js";

export function beginNumber(engine: Engine, c: number, i: number): void {
  const offset = engine.base + i + engine.extra;
  engine.limit = offset + engine.limits.number;
  if (engine.limit === offset) tooLong(engine, i, offset);
  engine.beginAtom("number", i);
  engine.part = c === 45 ? MINUS : c === 48 ? ZERO : INTEGER;
  engine.token = String.fromCharCode(c);
  engine.state = NUMBER;
}

export function readNumber(engine: Engine, s: string, from: number): number {
  const n = s.length;
  let i = from;
  let part = engine.part;
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
  if (engine.base + i + engine.extra > engine.limit) {
    const at = engine.limit - engine.base - engine.extra;
    if (engine.isWanted) engine.token += s.slice(from, at);
    tooLong(engine, at, engine.limit);
  }
  engine.part = part;
  if (engine.isWanted) engine.token += s.slice(from, i);
  if (i === n) return i;
  if (isBad) engine.fail("invalid-number", i, "no digit after a leading zero");
  if (!mayEnd(part)) engine.fail("invalid-number", i, "a digit");
  engine.endAtom(i, engine.token);
  return i;
}

export function beginLiteral(engine: Engine, word: number, i: number): void {
  engine.beginAtom(word === 2 ? "null" : "boolean", i);
  engine.word = word;
  engine.matched = 1;
  engine.state = LITERAL;
}

export function readLiteral(engine: Engine, s: string, from: number): number {
  const word = WORDS[engine.word]!;
  const n = s.length;
  let i = from;
  for (; i < n && engine.matched < word.length; i++, engine.matched++) {
    if (s.charCodeAt(i) !== word.charCodeAt(engine.matched)) engine.fail("invalid-literal", i, `\`${word}\``);
  }
  if (engine.matched === word.length) engine.endAtom(i, word);
  return i;
}
