// Numbers and literals, which are reported whole.

import type { Engine } from "./engine.js";
import { NO_MATCHES } from "./frame.js";
import { tooLong } from "./limits.js";
import { AFTER, DONE, E, EXPONENT, FRACTION, INTEGER, LITERAL, mayEnd, MINUS, NUMBER, POINT, SIGN, WORDS, ZERO } from "./states.js";
import { makeNumber } from "./values.js";

const WORD_VALUES: readonly (boolean | null)[] = [true, false, null];

export function beginNumber(engine: Engine, c: number, i: number): void {
  const offset = engine.base + i + engine.extra;
  engine.limit = offset + engine.limits.number;
  if (engine.limit === offset) tooLong(engine, i, offset);
  const node = engine.enter();
  engine.node = node;
  engine.open = node.selected.length === 0 ? NO_MATCHES : engine.begin("number", node, offset);
  engine.leafStart = i + engine.keptShift;
  engine.isWanted = engine.tree !== undefined || engine.open.length > 0;
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
  endNumber(engine, i);
  return i;
}

export function endNumber(engine: Engine, i: number): void {
  engine.state = engine.depth === 0 ? DONE : AFTER;
  if (!engine.isWanted) return;
  const { token } = engine;
  const value = makeNumber(token, engine.options.numbers);
  if (engine.tree !== undefined) engine.tree.putAtom(engine, value, token);
  if (engine.open.length > 0) {
    engine.end(engine.open, engine.base + i + engine.extra, value, engine.options.spelling ? token : undefined);
    engine.open = NO_MATCHES;
  }
}

export function beginLiteral(engine: Engine, word: number, i: number): void {
  const node = engine.enter();
  engine.node = node;
  engine.open =
    node.selected.length === 0 ? NO_MATCHES : engine.begin(word === 2 ? "null" : "boolean", node, engine.base + i + engine.extra);
  engine.leafStart = i + engine.keptShift;
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
  if (engine.matched < word.length) return i;
  engine.state = engine.depth === 0 ? DONE : AFTER;
  const value = WORD_VALUES[engine.word]!;
  if (engine.tree !== undefined) engine.tree.putAtom(engine, value, word);
  if (engine.open.length > 0) {
    // A match that began with the `-` of `-Infinity` was reported as a number.
    const type = value === null ? "null" : "boolean";
    engine.end(engine.open, engine.base + i + engine.extra, value, engine.options.spelling ? word : undefined, type);
    engine.open = NO_MATCHES;
  }
  return i;
}
