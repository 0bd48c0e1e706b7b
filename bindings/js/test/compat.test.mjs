// The drop-ins show at every prefix what the originals show.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { parsePartialJson } from "ai";
import { getPartialJsonObjectFieldState, getPartialJsonObjectMeta, parsePartialJsonObject } from "assistant-stream/utils";
import fc from "fast-check";

import { fieldState, PartialJsonObjectParser, PartialJsonParser } from "../dist/compat/index.js";
import { JsonSpigotError, Parser } from "../dist/index.js";

// Inputs after what consumers repair, and what their own tests are about. The originals' results are expected up to the first
// unit that no JSON text has there.
const CUTS = [
  "", " ", "\n\t", "nul", "true", "false ", "null", "nulll", "tru,", "fx", "t", "-", "-0", "0", "00", "01", "12", "12.", "12.5", "12.5e",
  "12.5e1", "12.5e-", "12.5e-1", "1 ", "1 2", "1,", "--1", "+1", ".5", "-a", "1.a", "1e", "1ee5", '"', '"a', '"a"', '"a" ', '"a"b',
  '"a\\', '"a\\n', '"a\\"b', '"a\\u', '"a\\u0', '"a\\u00', '"a\\u00e', '"a\\u00e9', '"a\\u00e9b"', "[", "[ ", "[-", "[ -", "[-]",
  "[1", "[12.", "[1 ", "[1,", "[1, ", "[1,]", "[1,,2]", "[,1]", "[1 2]", "[1x", "[1 x", "[1]x", "[1}", "[1},2]", "[tru", "[true",
  "[true ", "[true x", "[truex", "[true,]", "[true}", "[null,nul", "[[", "[[1", "[[1]", "[[1],", "[[1],[2", "[]]", "[{}", "[{},{",
  '["a', '["a"', '["a",', '["a","b', '["a"x', '["a" "b"]', "{", "{ ", "{}", "{}}", '{"', '{"a', '{"a"', '{"a" ', '{"a":', '{"a": ',
  '{"a":1', '{"a":1,', '{"a":1,}', '{"a":1,"b', '{"a":1,"b"', '{"a":1,"b":', '{"a":1,"b":2', '{"a":1 "b":2}', '{"a":-', '{"a":-}',
  '{"a":1.', '{"a":1.5e', '{"a":1.5e-', '{"a":tr', '{"a":true', '{"a":true,"b":fal', '{"a":null}', '{"a":nul}', '{"a":nope', '{"a":"',
  '{"a":"x', '{"a":"x"', '{"a":"x",', '{"a":"x"y', '{"a":[', '{"a":[1', '{"a":[1,2', '{"a":[1,2]', '{"a":[1,2],"b":{"c":"d',
  '{"a":{', '{"a":{"b":', '{"a":{"b":{"c":[{"d":"e', '{"a":[{"b":1},{"b":2', '{"a":[{"b":"x"},{"b":"y"}],"c":[[1,2],[3', "{a:1", "{a:1}",
  "{'a':1}", '{"a":1} x', '{"a":1}\n', '{"a":1}{"b":2}', '[1] // x', '// x\n[1]', "```json\n{}\n```", 'Sure: {"a":1}', '{"a":"x\ny"}',
  '{"a":"x\u0001', '"\\x"', '"\\d', '"C:\\new\\file"', '"C:\\dir"', '"\\u12', '"\\u12x', '"\\u12x34"', '"\\u12"', '{"a":"\\u12', '{"a":"\\u12"}',
  '{"a":"\\u12"},"b":"cdef"', '{"\\u0061":1', '{"\\u006', '{"a\\', '{"":1', '{"":{"":[', '{"a\\x":-', '{"a\\x":t', '{"a\nb":-', '{"a":1,"a":2',
  '{"a":{"x":1},"a":{', '{"a":{"x":1},"a":[', '{"a":None}', '{"a":NaN', '{"a":Infinity', '{"a":undefined}', "[1e999", "[-1e999", "[-0", "[-0.0",
  "[123456789012345678901234567890", '{"a":1;"b":2}', '{"a"=1}', '{"a" "b":1}', '{"x":"y" z,"k":-', '{"x":"y" z', "[-,-", "[-,-1", "\ufeff", "\ufeff{}",
  '\ufeff{"a":[1', '[1,\ufeff2]', "\u00a0[1]", "[1\u00a0]", "]", "}", ",", ":", "][", "[]{}", "é", '"é€😀"', '{"é":"😀é', '["\u2028', "[[[[[[[[1", "{}  {",
];

const PROTOTYPES = [
  '{"__proto__":{"x":1}}', '{"a":{"__proto__":1},"b":2}', '[{"\\u005f_proto__":1}]', '{"__proto__":1,"__proto__x":2}', '{"a":"__proto__"}',
  '{"a":"\\"__proto__\\":"}', '{"constructor":{"prototype":1}}', '{"constructor":{"x":{"prototype":1}}}', '{"constructor":1}', '{"constructor":null}',
  '{"constructor":[{"prototype":1}]}', '{"prototype":{"constructor":1}}', '{"c":{"constructor":{"a":1,"prototype":{"x":[1]}}},"d":1}',
  '{"__proto__":-1}', '{"__proto__": x', '{"__proto__":1 x',
  '{"a":1 x, "__proto__":1', '[1,{"__proto__":[]}]]',
];

// Valid texts that the AI SDK shows wrongly (one is JSON for JavaScript alone).
const SURROGATES = ['"\ud83d', '{"a":"x\ud83d', '"\\ud83d', '"\\ud83d\\', '"\\ud83d\\u', '"\\ud83d\\ude0', '{"a":["\\ud83d\\ude'];

const key = fc.constantFrom("a", "b", "", "ask_slots", "é", "😀", "k\\", "\n", "constructor");
const string = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", " ", '"', "\\", "\n", "\u0001", "é", "€", "😀", "/", "{", "}", ",") }),
  fc.constantFrom("true", "12", "[1,2]"),
);
const { value: document } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, tie("leaf"), tie("array"), tie("object")),
  leaf: fc.oneof(string, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
  array: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((members) => ({ members })),
}));

/** Spells a document as text in one of many ways. Repeated keys stay. */
function spell(value, style) {
  const space = () => [" ", "\n", "", ""][style.next() % 4];
  if (Array.isArray(value)) return `[${space()}${value.map((each) => spell(each, style) + space()).join(`,${space()}`)}]`;
  if (value?.members) {
    const members = value.members.map(([name, each]) => `${spell(name, style)}${space()}:${space()}${spell(each, style)}`);
    return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`;
  }
  const text = JSON.stringify(value);
  if (typeof value === "number" && style.next() % 3 === 0) return text.replace(/e\+?/, "E");
  if (typeof value !== "string" || style.next() % 3 > 0) return text;
  return text.replace(/[^"\\\x00-\x1f]|\\u.{4}|\\./gs, (part) =>
    part.length > 1 ? part : `\\u${part.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const text = fc.tuple(document, fc.array(fc.nat(11), { minLength: 1, maxLength: 20 })).map(([value, choices]) => {
  let at = 0;
  return spell(value, { next: () => choices[at++ % choices.length] });
});

/** A text with a fault in it. */
const broken = fc
  .tuple(text, fc.nat(), fc.constantFrom("x", "]", "}", ",", ":", '"', "\\", "1", "-", "t", " ", "\n", "[", "{", "+", "é", "\u0001", ""))
  .map(([whole, at, fault]) => whole.slice(0, at % (whole.length + 1)) + fault + whole.slice((at % (whole.length + 1)) + (at % 2)));

/** The AI SDK's result where its known faults don't count: an exponent's plus sign is left out, half a pair too. */
const withoutFaults = (prefix) =>
  prefix
    .replace(/"(?:[^"\\]|\\.)*(?:"|$)|([eE])\+/gs, (part, exponent) => exponent ?? part)
    .replace(/(?:[\ud800-\udbff]|\\u[dD][89abAB][\da-fA-F]{2}(?:\\(?:u[\da-fA-F]{0,3})?)?)$/, "");

/** Where the AI SDK takes the quote inside a key for its end. */
const HAS_QUOTE_IN_KEY = /\\"[^"]*"\s*:/s;

/** Returns the number of units before the first one that no JSON text has there. */
function lengthOfJson(whole) {
  const parser = new Parser([], { limits: { depth: Infinity } });
  try {
    for (let end = 0; end < whole.length; end++) parser.feed(whole[end]);
  } catch (error) {
    assert.ok(error instanceof JsonSpigotError);
    return new TextDecoder().decode(new TextEncoder().encode(whole).subarray(0, error.offset)).length;
  }
  return whole.length;
}

async function checkAiSdk(whole) {
  const parser = new PartialJsonParser();
  const length = lengthOfJson(whole);
  for (let end = 1; end <= whole.length; end++) {
    const prefix = whole.slice(0, end);
    const ours = parser.push(whole[end - 1]);
    const theirs = end > length ? { value: undefined, state: "failed-parse" } : await parsePartialJson(prefix);
    try {
      assert.deepEqual(ours, theirs);
    } catch (error) {
      const mended = withoutFaults(prefix);
      if (mended === prefix) {
        error.message = `${JSON.stringify(prefix)}: ${error.message}`;
        throw error;
      }
      // A number whose plus sign is left out may be whole a unit earlier.
      assert.deepEqual(ours.value, (await parsePartialJson(mended)).value, JSON.stringify(prefix));
    }
  }
  parser.dispose();
}

function assistantUi(prefix) {
  const value = parsePartialJsonObject(prefix);
  if (value === undefined) return undefined;
  const { state, partialPath } = getPartialJsonObjectMeta(value);
  for (const symbol of Object.getOwnPropertySymbols(value)) delete value[symbol];
  return { value, state, partialPath };
}

const FIELDS = [[], ["a"], ["b"], ["a", "b"], ["a", 0], ["a", 0, "b"], [0], [1], ["1"], [""], ["missing", "x"], ["a", "missing"], ["ask_slots", 1]];

function checkAssistantUi(whole) {
  const parser = new PartialJsonObjectParser();
  assert.deepEqual(parser.current, assistantUi(""));
  // A byte order mark in front is not part of the text.
  const mark = whole.startsWith("\ufeff") ? 1 : 0;
  const length = mark + lengthOfJson(whole.slice(mark));
  for (let end = 1; end <= whole.length; end++) {
    let prefix = whole.slice(0, end);
    const ours = parser.push(whole[end - 1]);
    let theirs = end > length ? undefined : assistantUi(prefix);
    try {
      assert.deepEqual(ours, theirs);
    } catch {
      prefix = prefix.replace(/(?:[\ud800-\udbff]|\\u[dD][89abAB][\da-fA-F]{2}(?:\\(?:u[\da-fA-F]{0,3})?)?)$/, "");
      theirs = assistantUi(prefix);
    }
    assert.deepEqual(ours, theirs, JSON.stringify(prefix));
    if (!ours) continue;
    const original = parsePartialJsonObject(prefix);
    for (const field of FIELDS) {
      assert.equal(fieldState(ours, field), getPartialJsonObjectFieldState(original, field), `${JSON.stringify(prefix)} ${field}`);
    }
  }
  parser.dispose();
}

describe("AI SDK", () => {
  test("before the first push", async () => {
    assert.deepEqual(new PartialJsonParser().current, await parsePartialJson(undefined));
    assert.deepEqual(new PartialJsonParser().push(""), await parsePartialJson(""));
  });
  test("every prefix of the tables", async () => {
    for (const whole of [...CUTS, ...PROTOTYPES]) await checkAiSdk(whole);
  });
  test("every prefix of documents", async () => {
    await fc.assert(fc.asyncProperty(text, async (whole) => {
      fc.pre(!HAS_QUOTE_IN_KEY.test(whole));
      await checkAiSdk(whole);
    }), { numRuns: 300 });
  });
  test("every prefix of texts with a fault in them", async () => {
    await fc.assert(fc.asyncProperty(broken, async (whole) => {
      // A fault may make a key of any string.
      fc.pre(!whole.includes('\\"'));
      await checkAiSdk(whole);
    }), { numRuns: 600 });
  });
  test("the drop-in follows RFC 8259 where the original does not", async () => {
    const show = (whole) => new PartialJsonParser().push(whole);
    const cases = [
      // At the plus sign of a member's exponent it still shows 1.
      ['{"a":1E+5', { a: 1e5 }, { a: 1 }],
      ['{"a":1e+5,"b":', { a: 1e5 }, { a: 1 }],
      // Half a surrogate pair is not a character.
      ['"a\ud83d', "a", "a\ud83d"],
      ['"a\\ud83d', "a", "a\ud83d"],
      ['{"a":["\\ud83d\\ude0', { a: [""] }, { a: ["\ud83d"] }],
      // A quote in a key does not end it.
      ['{"a\\":":1', { 'a":': 1 }, undefined],
      ['{"a\\":t":[1', { 'a":t': [1] }, undefined],
    ];
    for (const [prefix, right, wrong] of cases) {
      assert.deepEqual(show(prefix), { value: right, state: "repaired-parse" }, prefix);
      assert.deepEqual((await parsePartialJson(prefix)).value, wrong, prefix);
    }
    for (const prefix of SURROGATES) assert.doesNotMatch(JSON.stringify(show(prefix).value), /\\ud83d/);
    // The other half completes it, in whatever chunk it comes.
    const parser = new PartialJsonParser();
    parser.push('"\ud83d');
    assert.deepEqual(parser.push('\ude00"'), { value: "😀", state: "successful-parse" });
  });
  test("a key that could reach a prototype counts, also of a value that is repeated", () => {
    for (const whole of ['{"constructor":{"prototype":1},"constructor":2}', '{"a":{"__proto__":1},"a":2,"b":3}']) {
      assert.deepEqual(new PartialJsonParser().push(whole), { value: undefined, state: "failed-parse" }, whole);
      assert.equal(new PartialJsonObjectParser().push(whole), undefined, whole);
    }
  });
  test("half a pair that no other half follows is not JSON", () => {
    for (const whole of ['"a\\ud83dx"', '{"a":"\\ude00","b":[1,2]}', '["\ud83dx",12]']) {
      assert.deepEqual(new PartialJsonParser().push(whole), { value: undefined, state: "failed-parse" }, whole);
    }
  });
});

describe("assistant-ui", () => {
  test("every prefix of the tables", () => {
    for (const whole of [...CUTS, ...PROTOTYPES]) checkAssistantUi(whole);
  });
  test("every prefix of documents", () => {
    fc.assert(fc.property(text, (whole) => checkAssistantUi(whole)), { numRuns: 300 });
  });
  test("every prefix of texts with a fault in them", () => {
    fc.assert(fc.property(broken, (whole) => checkAssistantUi(whole)), { numRuns: 600 });
  });
  test("half a surrogate pair is not shown", () => {
    const show = (whole) => new PartialJsonObjectParser().push(whole);
    assert.deepEqual(show('["a\ud83d'), { value: ["a"], state: "partial", partialPath: ["0"] });
    assert.deepEqual(show('["a\\ud83d\\ude0'), { value: ["a"], state: "partial", partialPath: ["0"] });
  });
});

for (const [name, Drop] of [["PartialJsonParser", PartialJsonParser], ["PartialJsonObjectParser", PartialJsonObjectParser]]) {
  describe(name, () => {
    test("results do not depend on the cut", () => {
      const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
      fc.assert(fc.property(fc.oneof(text, broken), cuts, (whole, sizes) => {
        const units = new Drop();
        const chunks = new Drop();
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const chunk = whole.slice(at, (at += sizes[turn % sizes.length]));
          for (const unit of chunk.split("")) units.push(unit);
          assert.deepEqual(chunks.push(chunk), units.current);
        }
        units.dispose();
        chunks.dispose();
      }));
    });

    test("returned values never change, and unchanged parts are the same objects", () => {
      const parser = new Drop();
      const first = parser.push('{"a":{"x":[1]},"b":"y');
      const copy = structuredClone(first);
      const second = parser.push("z");
      assert.equal(second.value.a, first.value.a);
      assert.notEqual(second.value, first.value);
      assert.deepEqual(first, copy);
      assert.equal(parser.push("\\"), second);
      assert.equal(parser.push(""), second);
    });

    test("clone is independent, reset starts over, dispose may be repeated", () => {
      for (const start of ['{"a":[1,"x', '{"a":[1,"x"]} ]', '{"a":[1,"\\ud83dx']) {
        const parser = new Drop();
        parser.push(start);
        const before = structuredClone(parser.current);
        const clone = parser.clone();
        clone.push('y"]');
        assert.deepEqual(parser.current, before);
        const other = new Drop();
        other.push(start);
        assert.deepEqual(clone.current, other.push('y"]'));
        parser.reset();
        assert.deepEqual(parser.current, new Drop().current);
        assert.deepEqual(parser.push('{"b":2}'), new Drop().push('{"b":2}'));
        parser.dispose();
        parser.dispose();
        assert.throws(() => parser.push("x"), { code: "ERR_JSONSPIGOT_DISPOSED" });
      }
    });
  });
}
