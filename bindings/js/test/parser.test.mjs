// The parser: events do not depend on the cut, errors have their places, parsers can be reset, cloned and disposed of.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";

import fc from "fast-check";

import { JsonSpigotError, lenient, Parser, PatternError } from "../dist/index.js";
import { cut, joined, sizes, text } from "./texts.mjs";

const bytes = (whole) => new TextEncoder().encode(whole);
const PATTERNS = ["$", "$.*", "..a", "[*]", "..id", "..[0]"];
const OPTIONS = { snapshots: true, limits: { depth: 1000 } };

function run(chunks, patterns = PATTERNS, options = OPTIONS) {
  const parser = new Parser(patterns, options);
  const events = chunks.flatMap((chunk) => parser.feed(chunk)).concat(parser.finish());
  const told = { events: joined(events), snapshot: parser.snapshot(), value: parser.value(), bytes: parser.status.bytes };
  parser.dispose();
  return told;
}

describe("any cut", () => {
  test("of a string reports the events of the whole", () => {
    fc.assert(fc.property(text, sizes, (whole, list) => assert.deepEqual(run(cut(whole, list)), run([whole]))), { numRuns: 300 });
  });
  test("of bytes reports the events of the whole string", () => {
    fc.assert(fc.property(text, sizes, (whole, list) => assert.deepEqual(run(cut(bytes(whole), list)), run([whole]))), { numRuns: 300 });
  });
  test("gives JSON.parse's value", () => {
    const check = (whole, list) => {
      const told = run(cut(whole, list));
      assert.deepEqual(told.value, JSON.parse(whole));
      assert.deepEqual(told.snapshot, JSON.parse(whole));
      const root = told.events.find((event) => event.kind === "end" && event.pattern === 0);
      assert.deepEqual(root.value, JSON.parse(whole));
      const parser = new Parser([]);
      for (const chunk of cut(bytes(whole), list)) parser.feed(chunk);
      parser.finish();
      assert.deepEqual(parser.value(), JSON.parse(whole));
    };
    fc.assert(fc.property(text, sizes, check), { numRuns: 300 });
  });
  test("holds for the text of strings and ends alike", () => {
    const check = (whole, list) => {
      const { events } = run(cut(whole, list));
      const deltas = new Map(events.filter((event) => event.kind === "delta").map((event) => [event.matchId, event.text]));
      for (const end of events) {
        if (end.kind === "end" && end.type === "string") assert.equal(end.value, deltas.get(end.matchId) ?? "");
      }
    };
    fc.assert(fc.property(text, sizes, check));
  });
});

describe("surrogate pairs", () => {
  test("are held back at a chunk's end", () => {
    const parser = new Parser("$", { snapshots: true });
    assert.deepEqual(parser.feed('"a\ud83d').map((event) => event.text), [undefined, "a"]);
    assert.equal(parser.snapshot(), "a");
    assert.deepEqual(parser.feed(""), []);
    assert.deepEqual(parser.feed("\ude00").map((event) => event.text), ["😀"]);
    parser.feed('"');
    parser.finish();
    assert.equal(parser.value(), "a😀");
  });
  const HALVES = [
    // The chunks, and the offset of the half in UTF-8.
    [['"\ud83dx"'], 1],
    [['"é\ude00"'], 3],
    [['"a\ud83d', 'b"'], 2],
    [['"a\ud83d', "\ud83d\ude00"], 2],
    [['"a', "\ude00"], 2],
    [['"a\ud83d', bytes('"')], 2],
    [[`"${"é".repeat(50)}\ud83d${"é".repeat(50)}"`], 101],
    [["\ud83d", "{}"], 0],
    [["{}\ude00"], 2],
  ];
  test("without their other half are errors at their place, never replacements", () => {
    for (const [chunks, offset] of HALVES) {
      const parser = new Parser("$", { snapshots: true });
      const told = [];
      assert.throws(
        () => chunks.forEach((chunk) => told.push(...parser.feed(chunk))),
        (error) => error instanceof JsonSpigotError && error.offset === offset && told.push(...error.events) >= 0,
        JSON.stringify(chunks),
      );
      assert.ok(!JSON.stringify([told, parser.snapshot()]).includes("\ufffd"));
    }
  });
  test("at the end of the input are half a character, of which two bytes are known", () => {
    for (const high of ["\ud800", "\ud83d", "\udbff"]) {
      const parser = new Parser("$", { snapshots: true });
      const told = parser.feed(`"a${high}`);
      assert.throws(() => parser.finish(), { name: "JsonSpigotError", kind: "incomplete", offset: 4 });
      assert.deepEqual([told.at(-1).text, parser.snapshot()], ["a", "a"]);
      for (const low of ["\udc00", "\udfff"]) {
        const inBytes = new Parser("$", { snapshots: true });
        inBytes.feed(bytes(`"a${high}${low}`).subarray(0, 4));
        assert.throws(() => inBytes.finish(), { kind: "incomplete", offset: 4 });
      }
    }
    // Where no character can be, it is an error like any other.
    for (const [text, kind, offset] of [["\ud83d", "unexpected-byte", 0], ["{}\ud83d", "trailing-bytes", 2], ['{"a":1\ud83d', "unexpected-byte", 6]]) {
      assert.throws(() => new Parser().feed(text), { kind, offset });
    }
  });
  test("anywhere in generated texts", () => {
    const half = fc.constantFrom("\ud83d", "\ude00");
    const check = (before, unit, after, list) => {
      fc.pre((before + unit + after).isWellFormed() === false && before.isWellFormed());
      const whole = JSON.stringify(before).slice(0, -1) + unit + JSON.stringify(after).slice(1);
      fc.pre(/^[\ude00\ud83d]$/.test(unit) && !/^[\udc00-\udfff]/.test(after));
      const parser = new Parser("$");
      const at = bytes(JSON.stringify(before).slice(0, -1)).length;
      assert.throws(() => cut(whole, list).forEach((chunk) => parser.feed(chunk)), { offset: at, kind: "lone-surrogate" });
    };
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), half, fc.string({ unit: "grapheme" }), sizes, check));
  });
});

describe("errors", () => {
  test("have a kind, a place and the events before them", () => {
    const parser = new Parser(["items[*].name", "items[0].n"]);
    const chunk = '{"items":[{"n":1,"name":"ab\n';
    let thrown;
    try {
      parser.feed(chunk);
    } catch (error) {
      thrown = error;
    }
    assert.ok(thrown instanceof JsonSpigotError && thrown instanceof Error);
    const { kind, code, offset, line, column, path, events } = thrown;
    assert.deepEqual({ kind, code, offset, line, column, path }, {
      kind: "control-character", code: "ERR_JSONSPIGOT_CONTROL_CHARACTER", offset: 27, line: 1, column: 28, path: "items[0].name",
    });
    assert.deepEqual(events.map((event) => `${event.kind} ${event.path}`), [
      "begin items[0].n", "end items[0].n", "begin items[0].name", "delta items[0].name",
    ]);
    assert.equal(events[3].text, "ab");
  });
  test("are thrown again by later calls, without their events", () => {
    const parser = new Parser("$", { snapshots: true });
    assert.throws(() => parser.feed("[1,x"), { kind: "unexpected-byte", offset: 3 });
    for (const again of [() => parser.feed("1]"), () => parser.feed(""), () => parser.finish(), () => parser.value()]) {
      assert.throws(again, (error) => error.kind === "unexpected-byte" && error.offset === 3 && error.events.length === 0);
    }
    assert.equal(parser.status.error.offset, 3);
    assert.deepEqual(parser.snapshot(), [1]);
  });
  test("do not depend on the cut, nor do the events before them", () => {
    const fault = fc.constantFrom("x", "]", "}", ",", ":", '"', "\\", "\u0000", "-", "[", "{");
    const run = (chunks) => {
      const parser = new Parser(PATTERNS, { limits: { depth: 1000 } });
      const events = [];
      try {
        for (const chunk of chunks) events.push(...parser.feed(chunk));
        events.push(...parser.finish());
      } catch (error) {
        events.push(...error.events);
        return { events: joined(events), kind: error.kind, offset: error.offset, line: error.line, column: error.column, path: error.path };
      }
      return { events: joined(events) };
    };
    fc.assert(fc.property(text, fc.nat(), fault, sizes, (whole, place, unit, list) => {
      const at = place % (whole.length + 1);
      const broken = whole.slice(0, at) + unit + whole.slice(at);
      fc.pre(broken.isWellFormed());
      assert.deepEqual(run(cut(broken, list)), run([broken]));
      assert.deepEqual(run(cut(bytes(broken), list)), run([broken]));
    }), { numRuns: 300 });
  });
  test("a text that stops early is incomplete at every unit", () => {
    fc.assert(fc.property(text, sizes, (whole, list) => {
      // A number at the root may end at any digit.
      fc.pre(/["\]}]$/.test(whole.trimEnd()));
      const stop = whole.trimEnd().length;
      for (let end = 0; end < stop; end += 1 + (stop >> 5)) {
        const parser = new Parser(PATTERNS, OPTIONS);
        for (const chunk of cut(whole.slice(0, end), list)) parser.feed(chunk);
        assert.throws(() => parser.finish(), { kind: "incomplete" }, whole.slice(0, end));
        parser.dispose();
      }
    }));
    const emoji = '{"😀": ["a😀b", "😀"]}';
    for (let end = 0; end < emoji.length; end++) {
      const parser = new Parser(PATTERNS, OPTIONS);
      parser.feed(emoji.slice(0, end));
      assert.throws(() => parser.finish(), { kind: "incomplete" }, emoji.slice(0, end));
    }
  });
  test("only an unfinished text is incomplete", () => {
    const parser = new Parser();
    parser.feed('{"a":[');
    assert.throws(() => parser.value(), JsonSpigotError);
    assert.throws(() => parser.finish(), { kind: "incomplete", offset: 6 });
    assert.throws(() => new Parser().finish(), { kind: "incomplete", offset: 0 });
  });
  test("errors of patterns have the pattern, the column and a reason", () => {
    assert.throws(() => new Parser(["a", "b[", "c"]), (error) => {
      assert.ok(error instanceof PatternError && error instanceof JsonSpigotError && error.name === "PatternError");
      assert.equal(error.pattern, "b[");
      assert.equal(error.index, 1);
      assert.equal(error.column, 3);
      assert.ok(error.reason.length > 0 && error.message.includes(error.reason));
      return true;
    });
    assert.throws(() => new Parser([1]), { kind: "invalid-option" });
    // An invalid pattern is refused again, and does not affect valid ones.
    assert.throws(() => new Parser("b["), PatternError);
    assert.equal(new Parser("b").feed('{"b":1}').length, 2);
  });
  test("bad options are refused by name", () => {
    const bad = [
      { snapshot: true }, { numbers: "float" }, { prototypeKeys: "no" }, { retain: true }, { duplicateKeys: "first" }, { lenient: "all" },
      { lenient: ["commas"] }, { limits: { depth: -1 } }, { limits: { depth: 1.5 } }, { limits: { keys: 1 } }, { limits: { total: NaN } },
    ];
    for (const options of bad) assert.throws(() => new Parser([], options), { code: "ERR_JSONSPIGOT_INVALID_OPTION" }, JSON.stringify(options));
    for (const names of ["all", ["commas"], undefined, 1]) assert.throws(() => lenient(names), { kind: "invalid-option", message: /comments/ });
    assert.throws(() => new Parser([], { lenient: ["comments"] }), { message: /pass lenient\(\["comments"\]\)/ });
    assert.throws(() => new Parser().snapshot(), { kind: "invalid-option" });
    assert.throws(() => new Parser([], { snapshots: true }).stateOf("a[*]"), { kind: "invalid-path" });
  });
  test("a chunk of another type is a TypeError, and changes nothing", () => {
    const parser = new Parser();
    for (const chunk of [undefined, null, 1, {}, [1], new ArrayBuffer(2)]) assert.throws(() => parser.feed(chunk), TypeError);
    parser.feed("[1]");
    parser.finish();
    assert.deepEqual(parser.value(), [1]);
  });
});

describe("a parser's life", () => {
  test("a clone is independent at any place", () => {
    fc.assert(fc.property(text, fc.nat(), sizes, (whole, place, list) => {
      const at = place % (whole.length + 1);
      const parser = new Parser(PATTERNS, OPTIONS);
      const before = parser.feed(whole.slice(0, at));
      const shown = structuredClone(parser.snapshot());
      const clone = parser.clone();
      const after = cut(whole.slice(at), list).flatMap((chunk) => clone.feed(chunk)).concat(clone.finish());
      assert.deepEqual(clone.value(), JSON.parse(whole));
      assert.deepEqual(parser.snapshot(), shown);
      assert.deepEqual(joined([...before, ...after]), run([whole]).events);
      clone.dispose();
      parser.feed(whole.slice(at));
      parser.finish();
      assert.deepEqual(parser.snapshot(), JSON.parse(whole));
      parser.dispose();
    }));
  });
  test("reset starts over from any state", () => {
    const parser = new Parser(PATTERNS, OPTIONS);
    const wild = fc.oneof(text.map((whole) => whole.slice(0, whole.length >> 1)), fc.constantFrom("[1,", '{"a":"\ud83d', "x", "[1]", ""));
    fc.assert(fc.property(wild, text, (first, whole) => {
      try {
        parser.feed(first);
        parser.snapshot();
        parser.finish();
      } catch (error) {
        assert.ok(error instanceof JsonSpigotError);
      }
      parser.reset();
      assert.equal(parser.snapshot(), undefined);
      const events = parser.feed(whole).concat(parser.finish());
      assert.deepEqual(joined(events), run([whole]).events);
      assert.deepEqual(parser.value(), JSON.parse(whole));
      parser.reset();
    }));
  });
  test("dispose may be repeated, and every later call is an error", () => {
    const parser = new Parser("$", { snapshots: true });
    parser.feed("[");
    const other = new Parser("$");
    parser.dispose();
    parser.dispose();
    const calls = [
      () => parser.feed("1"), () => parser.finish(), () => parser.value(), () => parser.snapshot(), () => parser.patch(), () => parser.clone(),
      () => parser.reset(), () => parser.status, () => parser.stateOf("a"),
    ];
    for (const call of calls) assert.throws(call, { code: "ERR_JSONSPIGOT_DISPOSED" }, String(call));
    // Its number may be given again; the second dispose must not take it away.
    const next = new Parser("$");
    parser.dispose();
    assert.equal(next.feed("[1]").length, 2);
    assert.equal(other.feed("[1]").length, 2);
    if (Symbol.dispose) {
      next[Symbol.dispose]();
      assert.throws(() => next.feed(""), { kind: "disposed" });
    }
  });
  test("many parsers at once keep their texts apart", () => {
    fc.assert(fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), sizes, (texts, list) => {
      const parsers = texts.map(() => new Parser(PATTERNS, OPTIONS));
      const chunks = texts.map((whole) => cut(whole, list));
      const events = texts.map(() => []);
      for (let turn = 0; turn < Math.max(...chunks.map((each) => each.length)); turn++) {
        parsers.forEach((parser, index) => events[index].push(...parser.feed(chunks[index][turn] ?? "")));
      }
      parsers.forEach((parser, index) => {
        events[index].push(...parser.finish());
        assert.deepEqual(joined(events[index]), run([texts[index]]).events);
        assert.deepEqual(parser.value(), JSON.parse(texts[index]));
        parser.dispose();
      });
    }), { numRuns: 50 });
  });
  test("a chunk that is just as long as the room for it is not cut", () => {
    // The input grows to a chunk's length, and what is longer in UTF-8 may fill it to the last byte.
    for (const length of [5_001, 50_001, 500_001]) {
      const parser = new Parser("$");
      parser.feed(JSON.stringify("é".repeat(length)));
      parser.finish();
      assert.equal(parser.value().length, length);
      parser.dispose();
    }
  });
  test("a large chunk does not affect other parsers", () => {
    const long = "é😀x".repeat(300_000);
    const parser = new Parser("text", { snapshots: true });
    const small = new Parser("text");
    small.feed('{"text":"a');
    const events = parser.feed(`{"text":"${long}`);
    assert.equal(events[1].text, long);
    assert.equal(small.feed("b")[0].text, "b");
    parser.feed('"}');
    parser.finish();
    assert.equal(parser.snapshot().text, long);
    parser.dispose();
  });
});

test("numbers as bigint and as they are spelt", () => {
  const whole = '{"a":12345678901234567890,"b":-9007199254740993,"c":1.5,"d":1e30,"e":[9007199254740991,-0],"f":1E2}';
  const expected = {
    bigint: { a: 12345678901234567890n, b: -9007199254740993n, c: 1.5, d: 1e30, e: [9007199254740991, -0], f: 100 },
    string: { a: "12345678901234567890", b: "-9007199254740993", c: "1.5", d: "1e30", e: ["9007199254740991", "-0"], f: "1E2" },
    number: JSON.parse(whole),
  };
  for (const [numbers, value] of Object.entries(expected)) {
    const parser = new Parser(["$", "a"], { numbers, snapshots: true });
    const events = parser.feed(whole).concat(parser.finish());
    assert.deepEqual(parser.snapshot(), value);
    assert.deepEqual(parser.value(), value);
    assert.deepEqual(events.find((event) => event.kind === "end" && event.pattern === 0).value, value);
    assert.equal(events.find((event) => event.kind === "end" && event.path === "a").value, value.a);
    const plain = new Parser([], { numbers });
    plain.feed(whole);
    plain.finish();
    assert.deepEqual(plain.value(), value);
  }
});

describe("__proto__", () => {
  const whole = '{"a":{"__proto__":{"x":1},"y":[{"\\u005f_proto__":"s"}]},"__proto__":"text","constructor":{"prototype":[1]}}';
  const plain = JSON.parse(whole);
  const run = (prototypeKeys, snapshots) => {
    const parser = new Parser("$", { prototypeKeys, snapshots });
    const looks = [];
    for (const unit of whole) {
      parser.feed(unit);
      if (snapshots) looks.push(parser.snapshot());
    }
    parser.finish();
    return { value: parser.value(), looks };
  };
  test("is kept as an own property", () => {
    for (const snapshots of [true, false]) {
      const { value, looks } = run("keep", snapshots);
      assert.equal(JSON.stringify(value), JSON.stringify(plain));
      for (const object of [value, value.a, ...looks.filter(Boolean)]) assert.equal(Object.getPrototypeOf(object), Object.prototype);
      assert.ok(Object.hasOwn(value.a, "__proto__"));
    }
    assert.equal({}.x, undefined);
  });
  test("is dropped", () => {
    const expected = { a: { y: [{}] }, constructor: { prototype: [1] } };
    for (const snapshots of [true, false]) {
      const { value, looks } = run("drop", snapshots);
      assert.deepEqual(value, expected);
      for (const look of looks.filter(Boolean)) assert.ok(!JSON.stringify(look).includes("__proto__"));
    }
  });
  test("is refused", () => {
    for (const snapshots of [true, false]) assert.throws(() => run("reject", snapshots), { kind: "prototype-key" });
    for (const refused of ['{"__proto__":1}', '[{"constructor":{"prototype":1}}]', '{"\\u005F\\u005fproto__":null}']) {
      const parser = new Parser([], { prototypeKeys: "reject" });
      parser.feed(refused);
      parser.finish();
      assert.throws(() => parser.value(), { kind: "prototype-key" }, refused);
    }
    for (const taken of ['{"prototype":1}', '{"constructor":1}', '["__proto__"]', '{"constructor":[{"prototype":1}]}', '{"a":"\\"__proto__\\":"}']) {
      const parser = new Parser([], { prototypeKeys: "reject", snapshots: true });
      parser.feed(taken);
      parser.finish();
      assert.deepEqual(parser.value(), JSON.parse(taken));
    }
  });
});
