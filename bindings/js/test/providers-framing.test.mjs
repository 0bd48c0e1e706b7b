// Bodies become frames, the same at any cut. The tables are those of `framing/tests/it`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import fc from "fast-check";

import { isNew, readFraming, writeFraming } from "../dist/providers/framing-state.js";
import { taken, together } from "../dist/providers/state.js";
import { Framing } from "../dist/providers/framing.js";
import { readVectors } from "./replay.mjs";

/** The frames of these chunks: as they come, and the same if the state is saved and restored after each. */
function frames(limit, chunks) {
  const read = (after) => {
    const told = [];
    const begin = () =>
      new Framing(limit, (kind, text) => {
        told.push({ text, unreadable: `bad ${text}`, exception: `exception ${text}`, "too-long": "too long" }[kind]);
      });
    let framing = begin();
    for (const chunk of chunks) {
      framing.feed(chunk);
      framing = after(framing, begin);
    }
    framing.finish();
    return told;
  };
  const told = read((framing) => framing);
  assert.deepEqual(read(savedAndRestored), told, "saved and restored");
  return told;
}

function savedAndRestored(framing, begin) {
  if (isNew(framing)) return framing;
  const save = (of) => together(new Uint8Array(0), (out) => writeFraming(out, of));
  const restored = begin();
  taken(save(framing)).read((added) => readFraming(added, restored));
  assert.deepEqual(save(restored), save(framing));
  return restored;
}

const encode = (text) => new TextEncoder().encode(text);

/** Checks the frames at every single and double cut, of bytes and of units, with a limit of 20. */
function check(input, wanted) {
  const forms = typeof input === "string" ? [encode(input), input] : [Uint8Array.from(input)];
  for (const form of forms) {
    for (let first = 0; first <= form.length; first++) {
      for (let second = first; second <= form.length; second++) {
        const chunks = [form.slice(0, first), form.slice(first, second), form.slice(second)];
        assert.deepEqual(frames(20, chunks), wanted, `${JSON.stringify(input)} cut at ${first} and ${second}`);
      }
    }
  }
}

/** Bytes from a text in which `\u00ff` and the like stand for bytes. */
const latin = (text) => Uint8Array.from(text, (unit) => unit.charCodeAt(0));

test("server-sent events with every line end", () => {
  for (const end of ["\n", "\r", "\r\n"]) {
    const input = [": hi", "event: x", 'data: {"a":1}', "", "", "data:{}", "id: 1", ""].join(end);
    check(input, ['{"a":1}', "{}"]);
    check(input + end, ['{"a":1}', "{}"]);
  }
  check("data: {}", ["{}"]);
});

test("lines before the first event belong to what follows", () => {
  check('npm warn x\n\n  at y: z\n{"a":1}\n{}\n', ["npm warn x", "at y: z", '{"a":1}', "{}"]);
  check('⚠ x\r\n{"a":1}\r\n', ["⚠ x", '{"a":1}']);
  check("\u001b[33mx, y, and z\n {}\n", ["\u001b[33mx, y, and z", "{}"]);
  check("[info] x\n{}\n", ["[info] x", "{}"]);
  check("dates: 1\nDate: 2\n{}\n", ["dates: 1", "Date: 2", "{}"]);
  check("HTTP/1.1 200 OK\r\nx: {y}\r\n\r\ndata: {}\n\n", ["{}"]);
  for (const first of [": x", "event: x", "id: 1", "retry: 5"]) check(`x\n${first}\n{}\n`, ["exception {}"]);
  const long = `${"x\n".repeat(10_000)}{}\n\ndata: 1\n\n`;
  assert.deepEqual(frames(20, [long.slice(0, 999), long.slice(999)]), ["exception {}", "1"]);
});

test("a byte order mark and blank lines may come first", () => {
  check("\ufeffdata: {}\n\n", ["{}"]);
  check("\n\r\n\ndata: {}\n\n", ["{}"]);
  check('\ufeff{"a":1}\n', ['{"a":1}']);
  check('\ufeff\r\n  {"a":1}\r\n', ['{"a":1}']);
  check(" data: {}\n\ndata: 1\n\n", ["1"]);
  check("", []);
  check("\ufeff \n", []);
});

test("data lines are joined and one space is dropped", () => {
  check('data: {\ndata:  "a":1\ndata\ndata:}\n\n', ['{\n "a":1\n\n}']);
  check("data: é😀\n\ndata: [DONE]\n\n", ["é😀", "[DONE]"]);
  check(":\n\n: ping\n\nretry: 5\n\nevent: x\n\n", []);
});

test("what is in no framing is nothing", () => {
  for (const input of ["", "[", "[ \n", "\ufeff[", "[1,2]", "[[{}]]", "[]", "[DONE]\n", "\0", "\0\0\n\n", "null", '"data: 1"\n\n']) {
    check(input, []);
  }
  check("[1] hello\ndata: {}\n\n", ["{}"]);
  check("[ [\n\ndata: {}\n\n", ["{}"]);
  check("\0 hello\ndata: {}\n\n", ["{}"]);
});

test("what is not UTF-8 is told with replacements and the rest goes on", () => {
  check(latin("data: a\xff\n\ndata: b\n\n"), ["bad a\ufffd", "b"]);
  check(latin("data: a\xe2\x82\n\ndata: \xef\xbf\xbd\n\n"), ["bad a\ufffd", "\ufffd"]);
  check(latin(": \xff\ndata: b\n\n"), ["b"]);
  check(latin("{\xff}\n{}\n"), ["bad {\ufffd}", "{}"]);
  // In a string half a surrogate pair is the same.
  assert.deepEqual(frames(99, ["data: a\ud83d\n\ndata: \ud83d", "\ude00\n\n"]), ["bad a\ufffd", "😀"]);
});

test("what is too long is left out once", () => {
  const [fits, long] = ["x".repeat(18), "x".repeat(19)];
  check(`data: ${fits}xx\n\ndata: ${long}xx\n\ndata: 1\n\n`, [`${fits}xx`, "too long", "1"]);
  check(`data: ${fits}\ndata: ${fits}\ndata: ${fits}\n\ndata: 1\n\n`, ["too long", "1"]);
  check(`{${fits}}\n{${long}}\n{}\n`, [`{${fits}}`, "too long", "{}"]);
  check(`{${long}${long}${long}`, ["too long"]);
});

test("JSON texts by line, over several lines, and cut", () => {
  check('{"a":1}\n\n \r\n{"é":2}\r\n[DONE]\n{}', ['{"a":1}', '{"é":2}', "[DONE]", "{}"]);
  check("{}\nnoise\ndata: x\n\0\n", ["{}", "noise", "data: x", "\0"]);
  check("{} \r\n[1,2]\n\n[]\n[1\n", ["{}", "[1,2]", "[]", "bad [1"]);
  check('{\n "a": [\n 1 ]\n}\n{}\n', ['{\n "a": [\n 1 ]\n}', "{}"]);
  check('\ufeff\n{\r\n\r\n"é":\r\n2}\r\n{}', ['{\r\n\r\n"é":\r\n2}', "{}"]);
  check("{}\n[\n[1]\n,2]\n{}\n", ["{}", "[\n[1]\n,2]", "{}"]);
  check('{"a": "x\n{}\n', ['{"a": "x', "{}"]);
  check("{} {}\n{}{\n", ["{} {}", "{}{"]);
  check('{\n"a\n": 1}\n', ["bad {", '"a', '": 1}']);
  check('{"a":1,\n"b":2\n{\n"b":\n2}\n', ['bad {"a":1,', '"b":2', '{\n"b":\n2}']);
  check('{}\n{\n"a":\n "b', ["{}", "bad {", '"a":', '"b']);
  check('{}\n{"a":', ["{}", '{"a":']);
  check("{\n", ["bad {"]);
  check("{", ["{"]);
});

test("each element of an array of objects is an event, once it closes", () => {
  check('[{"a":1},\n{"b":2}\n]\n', ['{"a":1}', '{"b":2}']);
  check('[{\n"a": [1]\n}\n,\r\n{"é":2}]', ['{\n"a": [1]\n}', '{"é":2}']);
  check("\ufeff [ \n{}{} , {}]\n[{}]{}\n", ["{}", "{}", "{}", "{}", "{}"]);
  check('[{},1,"x",null,[{}],12\n, 3]', ["{}", "1", '"x"', "null", "[{}]", "12", "3"]);
  check("{}\n[\n{},\n{}]\n{}", ["{}", "{}", "{}", "{}"]);
  check('[{},\n{"a":', ["{}", 'bad {"a":']);
  check("[{},12", ["{}", "bad 12"]);
  check("[{},\n", ["{}", "bad ["]);
  const told = [];
  const framing = new Framing(99, (_, text) => told.push(text));
  for (const [piece, wanted] of [['[{"a":', 0], ["{}}", 1], [",\n{", 1], ["}", 2], ["]", 2], ["{}", 2], ["\n", 3]]) {
    framing.feed(piece);
    assert.equal(told.length, wanted, piece);
  }
});

/** Amazon's messages out of the vectors. */
function messages() {
  const vectors = readVectors(readFileSync(new URL("../../../vectors/providers.jsonl", import.meta.url), "utf8"));
  const { header } = vectors.find(({ header }) => header.vector === "bedrock, Amazon's binary event stream, whole");
  return Uint8Array.from(atob(header.chunks[0]), (unit) => unit.charCodeAt(0));
}

test("Amazon's messages at every cut, and damaged in every byte", () => {
  const bytes = messages();
  const whole = frames(1000, [bytes]);
  assert.ok(whole.length >= 4 && whole.every((frame) => frame.startsWith("{")), whole.join("\n"));
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(frames(1000, [bytes.subarray(0, cut), bytes.subarray(cut)]), whole, `cut at ${cut}`);
    if (cut === bytes.length) break;
    const damaged = bytes.slice();
    damaged[cut] ^= 0x20;
    const told = frames(1000, [damaged]);
    // No event is made of what is damaged, and none is lost without a word.
    const sound = told.filter((frame) => frame.startsWith("{"));
    assert.ok(told.length === sound.length || told.some((frame) => frame.startsWith("bad ")), `byte ${cut}`);
    assert.ok(sound.length < whole.length && sound.every((frame) => whole.includes(frame)), `byte ${cut}`);
  }
});

test("only JSON's white space is left out around a text", () => {
  check("{}\ufeff\n{}\u00a0\r\n \u2028\n", ["{}\ufeff", "{}\u00a0", "\u2028"]);
});

test("bytes that are not UTF-8 mark the frame that they are in, not one before it", () => {
  check(latin("{\n[{\xff"), ["bad {", "bad [{\ufffd"]);
});

test("any bytes at any cuts give the same frames", () => {
  const piece = fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "\n", "\r", " ", "data: ", "a", "é", "😀", "\ufeff", "\xff", "\0");
  const bytes = fc.array(piece, { maxLength: 40 }).map((pieces) => {
    return Uint8Array.from(pieces.flatMap((one) => (one === "\xff" ? [255] : [...encode(one)])));
  });
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(60), { maxLength: 6 }), (input, cuts) => {
      const places = [0, ...cuts.map((cut) => cut % (input.length + 1)).sort((a, b) => a - b), input.length];
      const chunks = places.slice(1).map((end, index) => input.subarray(places[index], end));
      assert.deepEqual(frames(20, chunks), frames(20, [input]));
    }),
    { numRuns: 2000 },
  );
});
