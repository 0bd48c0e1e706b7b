// Where things are, in the notations of others; and what a text is taken for that is no JSON.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Documents, Envelope, Parser, pathOf, ToolCalls } from "../dist/index.js";

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

test("every event of a match has segments, whoever reports it", () => {
  const calls = new ToolCalls("$..*");
  calls.start(0);
  const all = [
    new Parser(["$..*", "raw:$..*", "a[0] | b"], { lenient: "model-output" }).feed('{"a": ["{", "x",], "b": {"c": 1}}'),
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
      const restored = Parser.restore([], parser.save());
      // Offsets count from the byte after it.
      assert.throws(() => restored.feed(bytes.subarray(cut)), { kind: "unexpected-byte", offset: 2, column: 3 }, `cut at ${cut}`);
    }
  });
  test("is an error if that is asked for, and in strings", () => {
    const strict = new Parser([], { strictByteOrderMark: true });
    assert.throws(() => strict.feed(bytes), { kind: "unexpected-byte", offset: 0, message: /byte order mark/ });
    assert.throws(() => new Parser().feed("\ufeff[1]"), { kind: "unexpected-byte", offset: 0, message: /byte order mark/ });
  });
  test("that is only begun is no text", () => {
    const parser = new Parser();
    parser.feed(bytes.subarray(0, 2));
    assert.throws(() => parser.finish(), { kind: "unexpected-byte", offset: 0 });
  });
});

test("an error says what a text is that is no JSON", () => {
  assert.throws(() => new Parser().feed("<html>"), /may be HTML or XML/);
  assert.throws(() => new Parser().feed('data: {"a":1}'), /server-sent events, which `jsonspigot\/providers` reads/);
  assert.throws(() => new Parser().feed("[d"), (error) => !/server-sent/.test(error.message));
});

describe("snapshots are frozen", () => {
  const isDeeplyFrozen = (value) =>
    typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));
  const text = '{"a":[{"b":"x"},[1]],"c":{"d":null}}';
  for (const freeze of [true, false]) {
    test(`with freeze: ${freeze}`, () => {
      const parser = new Parser([], { snapshots: true, freeze });
      const all = [...text].map((unit) => (parser.feed(unit), parser.snapshot()));
      assert.ok(all.every((snapshot) => typeof snapshot !== "object" || isDeeplyFrozen(snapshot) === freeze));
      assert.deepEqual(all.at(-1), JSON.parse(text));
    });
  }
  test("unless they are live", () => {
    const parser = new Parser([], { snapshots: "live", freeze: true });
    parser.feed(text);
    assert.ok(!Object.isFrozen(parser.snapshot()));
  });
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
