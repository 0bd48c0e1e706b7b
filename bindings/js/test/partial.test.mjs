// The one-call form: the value so far after each piece, and the complete value only if all of its text has arrived.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Documents, FieldReader, lenient, Parser, partial, snapshots } from "./all.mjs";
import { cut, sizes, text } from "./texts.mjs";

const limits = { depth: 1000 };

describe("a value that grows with its text", () => {
  test("is what a parser's snapshot shows, at any cut", () => {
    fc.assert(fc.property(text, sizes, fc.boolean(), (whole, list, provisional) => {
      const growing = partial({ limits, provisional });
      const parser = new Parser([], { limits, provisional, snapshots: true });
      for (const piece of cut(whole, list)) {
        parser.feed(piece);
        assert.deepEqual(growing.push(piece), parser.snapshot());
      }
      assert.deepEqual(growing.value(), JSON.parse(whole));
      assert.deepEqual(growing.value(), growing.current);
    }), { numRuns: 60 });
  });

  test("is complete only if `JSON.parse` accepts its text", () => {
    fc.assert(fc.property(text, fc.nat(), (whole, at) => {
      const prefix = whole.slice(0, at % (whole.length + 1));
      const growing = partial({ limits });
      let expected;
      try {
        expected = JSON.parse(prefix);
      } catch {
        growing.push(prefix);
        assert.throws(() => growing.value(), { kind: "incomplete" });
        assert.throws(() => growing.value(), { kind: "incomplete" });
        return;
      }
      growing.push(prefix);
      assert.deepEqual(growing.value(), expected);
    }), { numRuns: 100 });
  });

  test("shares what has not changed, and never changes what was returned", () => {
    const growing = partial();
    assert.equal(growing.push(" "), undefined);
    const first = growing.push('{"done":[1],"city":"Os');
    const second = growing.push('lo","days":[3,1');
    assert.deepEqual([first, second], [{ done: [1], city: "Os" }, { done: [1], city: "Oslo", days: [3] }]);
    assert.equal(second.done, first.done);
    assert.equal(growing.push(""), second);
  });

  test("keeps its value at an error, which is thrown again", () => {
    const growing = partial();
    growing.push('{"a":"x"');
    for (let again = 0; again < 2; again++) {
      assert.throws(() => growing.push(again === 0 ? ',"b":[1,}' : " "), { kind: "unexpected-byte", offset: 16 });
      assert.deepEqual(growing.current, { a: "x", b: [1] });
      assert.throws(() => growing.value(), { kind: "unexpected-byte" });
    }
  });

  test("accepts no more text once its value was returned", () => {
    const growing = partial();
    growing.push("12");
    assert.equal(growing.value(), 12);
    assert.throws(() => growing.push("3"), { kind: "finished" });
    assert.equal(growing.value(), 12);
  });

  test("takes the options of a parser", () => {
    const growing = partial({ lenient: lenient("model-output"), accept: true, freeze: true, duplicateKeys: "reject" });
    assert.ok(Object.isFrozen(growing.push("[1,/**/]")));
    assert.deepEqual(growing.value(), [1]);
    assert.throws(() => partial({ duplicateKeys: "reject" }).push('{"a":1,"a":2}'), { kind: "duplicate-key" });
    assert.throws(() => partial({ numbers: "float" }), { kind: "invalid-option" });
    assert.throws(() => partial(null), { kind: "invalid-option" });
  });
});

test("what only shows a document refuses the options that it sets itself", async () => {
  for (const options of [{ retain: "all" }, { snapshots: "live" }, { spelling: true }]) {
    const refused = { kind: "invalid-option" };
    assert.throws(() => partial(options), refused);
    assert.throws(() => new FieldReader(["1"], options), refused);
    await assert.rejects(snapshots(["1"], options).next(), refused);
  }
  assert.throws(() => new Documents("lines", [], { freeze: true }), { kind: "invalid-option" });
});
