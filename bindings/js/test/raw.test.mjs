// Raw deltas: the JSON text of values as it comes. The vectors and `differential.test.mjs` hold what is reported of any text
// against the Rust library; here is what they can't ask.

import assert from "node:assert/strict";
import { test } from "node:test";

import { deltas, Documents, lenient as tolerating, Parser, PatternError, rawDeltas, restoreParser, saveParser } from "./all.mjs";

/** Returns the deltas of the first pattern, with brackets around those of each chunk. */
function told(pattern, chunks, options = { retain: "nothing" }) {
  const parser = new Parser(pattern, options);
  return chunks.map((chunk) => parser.feed(chunk).filter(({ kind }) => kind === "delta").map(({ text }) => `[${text}]`).join("")).join();
}

/** Returns all deltas, up to the error if there is one. */
function joinedDeltas(parser, chunks) {
  let all = "";
  const add = (events) => events.forEach(({ kind, text }) => (all += kind === "delta" ? text : ""));
  try {
    for (const chunk of chunks) add(parser.feed(chunk));
  } catch ({ events }) {
    add(events);
  }
  return all;
}

const bytes = (...list) => Uint8Array.from(list);

test("they are reported with the chunk that brings them", () => {
  assert.equal(told("raw:a", ['{"a": {"b', '" ', ":tr", "ue}  ", ',"c"']), '[{"b],[" ],[:tr],[ue}],');
  assert.equal(told("raw:a", ['{"a": 1', "2", " ", "}"]), "[1],[2],,");
  assert.equal(told("raw:a", ['{"a": "x\\u0', '0e9"}']), '["x\\u0],[0e9"]');
  assert.equal(told("raw:a | $", ['{"a": "[1, \\u00', "22x\\", '\\n\\"', "]"]), '[[1, ],["x],[\\n"],[]]');
});

test("an empty chunk of the other type inside a character changes nothing", () => {
  for (const chunks of [
    [bytes(0x22, 0xc3), "", bytes(0xa9, 0x22)],
    ['"\ud83c', bytes(), '\udf89"'],
    ['"\ud83c', "", '\udf89"'],
    [bytes(0x22, 0xf0), bytes(), bytes(0x9f, 0x8e), "", bytes(0x89, 0x22)],
  ]) {
    for (const options of [{}, { lenient: tolerating(["comments"]) }]) {
      const parser = new Parser("raw:$", options);
      const all = joinedDeltas(parser, chunks);
      parser.finish();
      assert.equal(all, parser.valueText());
    }
  }
});

test("characters are never cut, in strings and in bytes, in JSON and in comments", () => {
  assert.equal(told("raw:a", ['{"a": ["\ud83d', '\ude00", 1]']), '[["],[😀", 1]]');
  assert.equal(told("raw:a", ['{"a": ["', bytes(0xf0, 0x9f), bytes(0x98, 0x80), '", 1]']), '[["],,[😀],[", 1]]');
  const lenient = { lenient: tolerating(["comments"]) };
  assert.equal(told("raw:$", ["[1 /*\ud83d", "\ude00*/]"], lenient), "[[1 /*],[😀*/]]");
  assert.equal(told("raw:$", ["[1 /*", bytes(0xf0, 0x9f), bytes(0x98, 0x80), "*/]"], lenient), "[[1 /*],,[😀],[*/]]");
  assert.equal(told("raw:$", ["[1 /*", bytes(0xff), "*/]"], lenient), "[[1 /*],[\x1a],[*/]]");
});

test("text that may be a deviation is held back until it is decided", () => {
  assert.equal(told("raw:$", ["[1,/", "/ c\n", "N", "one]"], { lenient: tolerating(["comments", "python-literals"]) }), "[[1,],[// c\n],,[None]]");
});

test("a byte order mark is no part of it", () => {
  assert.equal(told("raw:$", [bytes(0xef, 0xbb), bytes(0xbf, 0x5b), "1]"]), ",[[],[1]]");
});

test("offsets are those of the text", () => {
  const parser = new Parser("raw:*");
  const all = [...parser.feed('["é", '), ...parser.feed('"é😀'), ...parser.feed('x"')];
  assert.deepEqual(all.filter(({ kind }) => kind === "delta").map(({ offset, text }) => [offset, text]), [[1, '"é"'], [7, '"é😀'], [14, 'x"']]);
});

test("a clone and a restored parser continue like their original", () => {
  const parser = new Parser("raw:a", { lenient: tolerating(["comments"]) });
  parser.feed('{"a": [1, /* \ud83d');
  const [clone, restored] = [parser.clone(), restoreParser("raw:a", saveParser(parser), { lenient: tolerating(["comments"]) })];
  const end = parser.feed("\ude00 */ 2]");
  assert.deepEqual(end.map(({ kind, text }) => [kind, text]), [["delta", "😀 */ 2]"], ["end", undefined]]);
  assert.deepEqual([clone.feed("\ude00 */ 2]"), restored.feed("\ude00 */ 2]")], [end, end]);
  parser.reset();
  assert.equal(parser.feed('{"a": 1 }')[1].text, "1");
});

test("each document has its own", () => {
  const documents = new Documents("concatenated", "raw:a");
  const events = documents.feed('{"a": [1, "é"]} 12 {"a":  {"b": 2}}').filter(({ kind }) => kind === "delta");
  assert.deepEqual(events.map(({ document, text }) => [document, text]), [[0, '[1, "é"]'], [2, '{"b": 2}']]);
});

test("`rawDeltas` yields the text of any value, and `deltas` refuses raw patterns", async () => {
  let text = "";
  for await (const piece of rawDeltas(['{"call": {"city": "K\\u00', 'f6ln",  "days"', ": [1]}}"], "call")) text += piece;
  assert.equal(text, '{"city": "K\\u00f6ln",  "days": [1]}');
});

test("where they end in a failed text does not depend on the cut", () => {
  const ALPHABET = [0x1a, 0xe2, 0x82, 0xff, 0xf0, 0x9f, 0x22, 0x2a, 0x2f];
  const begins = [['["', ["control-characters"]], ["[/*", ["control-characters", "comments"]], ["[1", undefined]];
  for (const [begin, lenient] of begins) {
    for (let number = 0; number < ALPHABET.length ** 4; number++) {
      const text = [...new TextEncoder().encode(begin)];
      for (let rest = number, digit = 0; digit < 4; digit++, rest = Math.floor(rest / ALPHABET.length)) text.push(ALPHABET[rest % ALPHABET.length]);
      const options = { retain: "nothing", limits: { total: (number % 5) + 3 }, ...(lenient && { lenient: tolerating(lenient) }) };
      const joined = (chunks) => joinedDeltas(new Parser("raw:$", options), chunks);
      assert.equal(joined(text.map((byte) => bytes(byte))), joined([bytes(...text)]), JSON.stringify(text));
    }
  }
  const failed = (...chunks) => joinedDeltas(new Parser("raw:$"), chunks);
  assert.equal(failed('["a\x1a'), '["a');
  assert.equal(failed('["a', bytes(0xe2, 0x82), "x"), '["a');
  assert.equal(failed('["a\ud83d', "x"), '["a');
});

test("`raw:` stands before the whole pattern", () => {
  new Parser(["raw:a[*].b", "raw:$", "raw"]);
  for (const refused of ["raw:", "raw: a", "a | raw:b", "raw:raw:a", "row:a"]) assert.throws(() => new Parser(refused), PatternError, refused);
  assert.throws(() => new Parser("raw:a[-1]"), { column: 7 });
  const state = saveParser(new Parser("raw:a"));
  assert.throws(() => restoreParser("a", state), { kind: "other-patterns" });
});
