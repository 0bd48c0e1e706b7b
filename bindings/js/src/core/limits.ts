// The limits on a text and its tokens, in bytes. With a limit of N, N is allowed, and N + 1 is an error at the byte that
// exceeds it, for every cut; only the total is checked before a byte is looked at.

import type { Engine } from "./engine.js";
import { KEY_STRING, STRING } from "./states.js";
import { encodeAt } from "./utf8.js";

export function checkLimit(engine: Engine, i: number): void {
  if (engine.base + i + engine.extra >= engine.limit) tooLong(engine, i, engine.base + i + engine.extra);
}

export function tooLong(engine: Engine, i: number, offset: number): never {
  const what = engine.state === KEY_STRING ? "key" : engine.state === STRING ? "string" : "number";
  engine.fail(`${what}-limit`, i, `no longer ${what} than allowed`, offset);
}

/** Counts a unit of white space between tokens. Fails if there are too many in a row. */
export function countBlank(engine: Engine, i: number): void {
  const offset = engine.at(i);
  if (offset !== engine.blankEnd) engine.blankStart = offset;
  if (offset - engine.blankStart >= engine.limits.blank) engine.fail("blank-limit", i, "no more white space than allowed");
  engine.blankEnd = offset + 1;
}

/** Fails if the bytes that wait for the rest of their sequence exceed a limit. */
export function checkWaiting(engine: Engine, bytes: Uint8Array): void {
  const end = engine.base + bytes.length;
  if (end <= engine.limit && end <= engine.limits.total) return;
  engine.chunk.strayBytes = bytes.subarray(0, Math.min(engine.limit, engine.limits.total) - engine.base);
  if (engine.limits.total <= engine.limit) failTotal(engine);
  tooLong(engine, 0, engine.limit);
}

/** Fails, as the text exceeds the limit on the total with the character at this unit. */
export function exceedTotal(engine: Engine, text: string, at: number): never {
  // Its first bytes may be within the limit.
  if (engine.base < engine.limits.total && !engine.takesCharacters) engine.feed(text.slice(at, at + 1));
  if (engine.takesCharacters) checkWaiting(engine, encodeAt(text, at));
  failTotal(engine);
}

export function failTotal(engine: Engine, i = 0): never {
  engine.fail("total-limit", i, "no more bytes than allowed", engine.limits.total);
}
