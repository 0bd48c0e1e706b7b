// Where things are, in the notations of others; and what a text is taken for that is no JSON.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  deltas, Documents, Envelope, events, EventStream, FieldReader, Parser, lenient, pathOf, PatternError, restoreParser, saveParser, snapshots, ToolCalls,
} from "./all.mjs";

test("a path is spelt as a pointer and as a normalized path", () => {
  const text = JSON.stringify({ "a/b~c": [{ "it's": "x", "": 1, "\n": '{"in":[true]}' }] });
  const parser = new Parser(["$..*", "$..* | $..*"]);
  const events = parser.feed(text).filter(({ kind }) => kind === "begin");
  const spelt = events.map((event) => [event.path, pathOf(event, "pointer"), pathOf(event, "normalized"), event.segments]);
  assert.deepEqual(spelt, [
    ["['a/b~c']", "/a~1b~0c", "$['a/b~c']", ["a/b~c"]],
    ["['a/b~c'][0]", "/a~1b~0c/0", "$['a/b~c'][0]", ["a/b~c", 0]],
    ["['a/b~c'][0]['it\\'s']", "/a~1b~0c/0/it's", "$['a/b~c'][0]['it\\'s']", ["a/b~c", 0, "it's"]],
    ["['a/b~c'][0]['']", "/a~1b~0c/0/", "$['a/b~c'][0]['']", ["a/b~c", 0, ""]],
    ["['a/b~c'][0]['\\n']", "/a~1b~0c/0/\n", "$['a/b~c'][0]['\\n']", ["a/b~c", 0, "\n"]],
    ["['a/b~c'][0]['\\n'] | in", "/a~1b~0c/0/\n", "$['a/b~c'][0]['\\n'] | $['in']", ["a/b~c", 0, "\n", null, "in"]],
    ["['a/b~c'][0]['\\n'] | in[0]", "/a~1b~0c/0/\n", "$['a/b~c'][0]['\\n'] | $['in'][0]", ["a/b~c", 0, "\n", null, "in", 0]],
  ]);
});

test("every event of a match has segments, in every class", () => {
  const calls = new ToolCalls("$..*");
  calls.start(0);
  const all = [
    new Parser(["$..*", "raw:$..*", "a[0] | b"], { lenient: lenient("model-output") }).feed('{"a": ["{", "x",], "b": {"c": 1}}'),
    new Documents("lines", "$..*").feed('{"a": ["x"]}\n'),
    calls.delta(0, '{"a": ["x"]}'),
    new Envelope("bare:object", "$..*").feed('{"a": ["x"]}'),
  ];
  for (const events of all) {
    const matches = events.filter(({ path }) => path !== undefined);
    assert.ok(matches.some(({ kind }) => kind === "delta") && matches.some(({ kind }) => kind === "end"));
    for (const event of matches) {
      assert.equal(event.segments.map((segment) => `/${segment}`).join(""), pathOf(event, "pointer"));
      assert.equal(Object.hasOwn(event, "segments"), false);
    }
  }
  assert.ok(all[0].some(({ kind }) => kind === "inner-error"));
});

describe("a byte order mark", () => {
  const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x5b, 0x31, 0x78);
  test("in front of bytes is skipped, however it is cut", () => {
    for (let cut = 0; cut < bytes.length; cut++) {
      const parser = new Parser();
      parser.feed(bytes.subarray(0, cut));
      const restored = restoreParser([], saveParser(parser));
      // Offsets count from the byte after it.
      assert.throws(() => restored.feed(bytes.subarray(cut)), { kind: "unexpected-byte", offset: 2, column: 3 }, `cut at ${cut}`);
    }
  });
  test("is an error if that is asked for, and in strings", () => {
    const strict = new Parser([], { strictByteOrderMark: true });
    assert.throws(() => strict.feed(bytes), { kind: "unexpected-byte", offset: 0, message: /byte order mark/ });
    assert.throws(() => new Parser().feed("\ufeff[1]"), { kind: "unexpected-byte", offset: 0, message: /byte order mark/ });
  });
  test("that is unfinished is not a text", () => {
    const parser = new Parser();
    parser.feed(bytes.subarray(0, 2));
    assert.throws(() => parser.finish(), { kind: "unexpected-byte", offset: 0 });
  });
});

test("an error names the likely format of a text that is not JSON, at any cut", () => {
  const message = (chunks) => {
    const parser = new Parser();
    try {
      for (const chunk of chunks) parser.feed(chunk);
    } catch (error) {
      return error.message;
    }
  };
  const wanted = "unexpected byte: expected a value";
  for (const [text, guess] of [
    ["<html>", " (is this HTML or XML?)"],
    ["```json\n{}", " (is this a code fence?)"],
    ["\n\ufeff{}", " (is this a byte order mark?)"],
    ...['data: {"a":1}', "event: message_start", ": ping", "id: 1", "retry: 10"].map((line) => [line, " (are these server-sent events? `jsonspigot/providers` reads them)"]),
    ["hello", ""],
  ]) {
    const offset = Math.max(0, text.indexOf("\ufeff"));
    const expected = `${wanted}${guess} at line ${offset > 0 ? 2 : 1} column 1 (byte ${offset}) in $`;
    const units = new TextEncoder().encode(text);
    for (const form of [text, units]) {
      for (let at = 0; at <= form.length; at++) assert.equal(message([form.slice(0, at), form.slice(at)]), expected, `${text} at ${at}`);
    }
  }
  assert.throws(() => new Parser().feed("[d"), (error) => !/server-sent/.test(error.message));
});

test("an error about white space after a number is not in the number", () => {
  for (const options of [{}, { retain: "matches" }, { snapshots: true }, { snapshots: true, retain: "nothing" }]) {
    for (const [blank, text] of [[0, '{"a":[12 ]}'], [1, '{"a":[1.5e3  ]}'], [0, '{"a":[true ]}'], [0, '{"a":["x" ]}']]) {
      for (const chunks of [[text], [...text]]) {
        const parser = new Parser("a", { ...options, limits: { blank } });
        assert.throws(() => chunks.forEach((chunk) => parser.feed(chunk)), { kind: "blank-limit", path: "a" });
      }
    }
  }
});

test("an error about depth names the limit", () => {
  assert.throws(() => new Parser().feed("[".repeat(128)), /^JsonSpigotError: depth limit: expected at most 127 open containers \(`limits.depth`\) at/);
});

test("lists of patterns are not confused with each other", () => {
  new Parser(["a", "b"]);
  for (const patterns of ["2\0a\0b", ["2\0a\0b"], ["a\0b"]]) assert.throws(() => new Parser(patterns), PatternError);
  for (const patterns of [["a", ["b"]], [["a"], "b"], [["a", "b"]], [null]]) assert.throws(() => new Parser(patterns), { kind: "invalid-option" });
});

test("values of any type for an option are refused by its name", () => {
  const cyclic = {};
  cyclic.self = cyclic;
  const bare = Object.create(null);
  for (const value of [cyclic, [cyclic], 1n, Symbol("a"), bare, () => 1, { toJSON: () => assert.fail("asked") }]) {
    for (const name of ["lenient", "retain", "duplicateKeys", "numbers", "prototypeKeys"]) {
      assert.throws(() => new Parser("a", { [name]: value }), { kind: "invalid-option", message: new RegExp(`^${name}: `) });
    }
    assert.throws(() => lenient(value), { kind: "invalid-option", message: /^lenient: / });
    assert.throws(() => new Documents(value), { kind: "invalid-option", message: /^framing: / });
    assert.throws(() => new Parser("a", { limits: { depth: value } }), { kind: "invalid-option", message: /^limits.depth / });
    assert.throws(() => new ToolCalls("a", { callLimits: { openCalls: value } }), { kind: "invalid-option" });
    assert.throws(() => new Envelope("bare", "a", { holdLimit: value }), { kind: "invalid-option" });
  }
});

test("options that are not an object are refused", async () => {
  for (const options of [null, 1, "snapshots"]) {
    const message = `options: ${JSON.stringify(options)} is not an object`;
    for (const make of [
      () => new Parser("a", options),
      () => new ToolCalls("a", options),
      () => new Envelope("bare", "a", options),
      () => new Documents("lines", "a", options),
      () => new FieldReader([], options),
      () => new EventStream("a", options).readable,
    ]) {
      assert.throws(make, { kind: "invalid-option", message });
    }
    for (const loop of [deltas([], "a", options), events([], "a", options), snapshots([], options)]) {
      await assert.rejects(loop.next(), { kind: "invalid-option", message });
    }
  }
});

describe("containers are frozen once they have ended", () => {
  const isDeeplyFrozen = (value) =>
    typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));
  const text = '{"a":[{"b":"x"},[1]],"c":{"d":null}}';
  for (const freeze of [true, false]) {
    test(`with freeze: ${freeze}`, () => {
      const parser = new Parser([], { snapshots: true, freeze });
      const all = [...text].map((unit) => (parser.feed(unit), parser.snapshot()));
      assert.deepEqual(all.at(-1), JSON.parse(text));
      assert.equal(isDeeplyFrozen(all.at(-1)), freeze);
      // Of an open document, all that has ended is.
      parser.reset();
      parser.feed(text.slice(0, -1));
      const open = parser.snapshot();
      assert.deepEqual([isDeeplyFrozen(open.a), isDeeplyFrozen(open.c), Object.isFrozen(open)], [freeze, freeze, false]);
    });
  }
  test("not by default", () => {
    const parser = new Parser([], { snapshots: true });
    parser.feed(text);
    assert.ok(!Object.isFrozen(parser.snapshot()));
  });
  test("unless they are live", () => {
    const parser = new Parser([], { snapshots: "live", freeze: true });
    parser.feed(text);
    assert.ok(!Object.isFrozen(parser.snapshot()));
  });
});

test("a lenient parser that keeps its text reads strings and bytes in turns in linear time", () => {
  const cost = (count) => {
    const parser = new Parser([], { lenient: lenient(["comments"]) });
    const [text, bytes] = ["1,", Uint8Array.from([32, 49, 44])];
    parser.feed("[");
    const start = process.cpuUsage();
    for (let at = 0; at < count; at++) parser.feed(at % 2 === 0 ? text : bytes);
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  cost(2_000);
  const [few, many] = [cost(5_000), cost(80_000)];
  assert.ok(many < few * 16 * 4, `${few} and ${many} microseconds`);
});

test("100,000 levels are read in linear time, with snapshots that stay too", () => {
  const time = (depth) => {
    const text = "[".repeat(depth);
    const start = process.cpuUsage();
    const parser = new Parser([], { retain: "nothing", limits: { depth: Infinity }, snapshots: true, freeze: false });
    for (let at = 0; at < depth; at += 10_000) parser.feed(text.slice(at, at + 10_000));
    assert.ok(parser.snapshot());
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  time(10_000);
  assert.ok(time(100_000) < 40 * time(10_000) + 300_000);
});
