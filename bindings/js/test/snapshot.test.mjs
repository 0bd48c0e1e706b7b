// Snapshots share what has not changed and never change themselves; patches lead to the same.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { applyPatch, Parser } from "../dist/index.js";
import { cut, sizes, text } from "./texts.mjs";

const OPTIONS = { snapshots: true, limits: { depth: 1000 } };

/** Returns true if two values are equal, with members in the same order. */
const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);

/** Returns true if a text repeats a key. The repeated member is a new value, even if it is equal. */
const repeats = (whole) => {
  let count = 0;
  JSON.parse(whole, (_, value) => {
    count += 1;
    return value;
  });
  const parser = new Parser("..*", { retain: "nothing", limits: { depth: 1000 } });
  const values = parser.feed(whole).concat(parser.finish()).filter((event) => event.kind === "end").length;
  parser.dispose();
  return values + 1 !== count;
};

/** Checks that a container at the same place in both is the same object exactly if it is equal. */
function checkSharing(before, after) {
  const open = [[before, after]];
  while (open.length > 0) {
    const [left, right] = open.pop();
    if (typeof left !== "object" || left === null || typeof right !== "object" || right === null) continue;
    if (left === right) continue;
    assert.ok(!same(left, right), `copied without a change: ${JSON.stringify(left)}`);
    if (Array.isArray(left) !== Array.isArray(right)) continue;
    for (const key of Object.keys(left)) {
      if (!Object.hasOwn(right, key)) continue;
      open.push([Object.getOwnPropertyDescriptor(left, key).value, Object.getOwnPropertyDescriptor(right, key).value]);
    }
  }
}

for (const provisional of [false, true]) {
  describe(provisional ? "provisional snapshots" : "snapshots", () => {
    const options = { ...OPTIONS, provisional };
    const looks = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });

    test("show the text so far, however often they are taken", () => {
      fc.assert(fc.property(text, sizes, looks, (whole, list, pattern) => {
        const parser = new Parser([], options);
        const shares = !repeats(whole);
        const shown = [];
        cut(whole, list).forEach((chunk, turn) => {
          parser.feed(chunk);
          if (!pattern[turn % pattern.length]) return;
          const snapshot = parser.snapshot();
          // Another look without anything new is the same object.
          assert.equal(parser.snapshot(), snapshot);
          const printed = parser.snapshotText();
          // Numbers as they are spelt, repeated keys in their places: read by JSON.parse they are the snapshot.
          assert.deepEqual(snapshot, printed === undefined ? undefined : JSON.parse(printed));
          if (shares && shown.length > 0) checkSharing(shown.at(-1).snapshot, snapshot);
          shown.push({ snapshot, copy: JSON.stringify(snapshot) });
        });
        parser.finish();
        const last = parser.snapshot();
        assert.deepEqual(last, JSON.parse(whole));
        if (shares && shown.length > 0) checkSharing(shown.at(-1).snapshot, last);
        // Nothing that was given has changed.
        for (const { snapshot, copy } of shown) assert.equal(JSON.stringify(snapshot), copy);
        parser.dispose();
      }), { numRuns: 400 });
    });

    test("equal the result of the patches", () => {
      fc.assert(fc.property(text, sizes, looks, (whole, list, pattern) => {
        const parser = new Parser([], options);
        const plain = new Parser([], options);
        // A patch replaces a number by its next spelling, which may show the same.
        const shares = !provisional && !repeats(whole);
        let copy;
        const look = () => {
          const before = copy;
          const printed = JSON.stringify(before);
          copy = applyPatch(copy, parser.patch());
          assert.deepEqual(copy, plain.snapshot());
          assert.equal(JSON.stringify(before), printed);
          if (shares && before !== undefined) checkSharing(before, copy);
          // They don't take from each other.
          if (list.length > 3) assert.deepEqual(parser.snapshot(), copy);
        };
        cut(whole, list).forEach((chunk, turn) => {
          parser.feed(chunk);
          plain.feed(chunk);
          if (pattern[turn % pattern.length]) look();
        });
        parser.finish();
        plain.finish();
        look();
        assert.deepEqual(copy, JSON.parse(whole));
        assert.deepEqual(parser.patch(), []);
        parser.dispose();
        plain.dispose();
      }), { numRuns: 300 });
    });
  });
}

describe("live snapshots", () => {
  const live = { ...OPTIONS, snapshots: "live" };

  test("are one value, equal to other snapshots", () => {
    const looks = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });
    fc.assert(fc.property(text, sizes, looks, fc.boolean(), (whole, list, pattern, provisional) => {
      const parser = new Parser([], { ...live, provisional });
      const plain = new Parser([], { ...OPTIONS, provisional });
      let root;
      const look = () => {
        const snapshot = parser.snapshot();
        assert.deepEqual(snapshot, plain.snapshot());
        if (typeof root === "object" && root !== null) assert.equal(snapshot, root);
        root = snapshot;
      };
      cut(whole, list).forEach((chunk, turn) => {
        parser.feed(chunk);
        plain.feed(chunk);
        if (pattern[turn % pattern.length]) look();
      });
      parser.finish();
      plain.finish();
      look();
      assert.deepEqual(root, JSON.parse(whole));
      parser.dispose();
      plain.dispose();
    }), { numRuns: 300 });
  });

  test("of a clone and its origin do not affect each other", () => {
    fc.assert(fc.property(text, fc.nat(), (whole, place) => {
      const parser = new Parser([], live);
      const at = place % (whole.length + 1);
      parser.feed(whole.slice(0, at));
      const before = parser.snapshot();
      const copy = structuredClone(before);
      const clone = parser.clone();
      clone.feed(whole.slice(at));
      clone.finish();
      assert.deepEqual(clone.snapshot(), JSON.parse(whole));
      assert.deepEqual(parser.snapshot(), copy);
      parser.feed(whole.slice(at));
      parser.finish();
      assert.deepEqual(parser.snapshot(), JSON.parse(whole));
      assert.deepEqual(before, copy);
      parser.dispose();
      clone.dispose();
    }), { numRuns: 200 });
  });

  test("start over after a reset", () => {
    const parser = new Parser([], live);
    parser.feed('{"a":"x');
    const before = parser.snapshot();
    parser.reset();
    parser.feed('{"a":"y"}');
    assert.deepEqual([before, parser.snapshot()], [{ a: "x" }, { a: "y" }]);
  });
});

test("a long open number is read in linear time", () => {
  for (const numbers of ["number", "bigint", "string"]) {
    const parser = new Parser([], { snapshots: true, provisional: true, numbers });
    const digits = "1234567890".repeat(2_000);
    let told = 0;
    const shown = new Set();
    for (const digit of `[${digits}`) {
      parser.feed(digit);
      shown.add(String(parser.snapshot()));
      for (const op of parser.patchText()) told += op.length;
    }
    parser.feed("]");
    for (const op of parser.patchText()) told += op.length;
    assert.deepEqual(parser.snapshot(), [{ number: Number, bigint: BigInt, string: String }[numbers](digits)]);
    // Up to 1,024 digits each has a patch of its own; after that they double.
    assert.ok(told < (1024 * 1024) / 2 + 1024 * 64 + 4 * digits.length, `${told}`);
    assert.ok(shown.size <= 1024 + 8, `${shown.size}`);
    parser.dispose();
  }
});

test("an open number is converted once for each snapshot", () => {
  for (const numbers of ["number", "bigint"]) {
    const parser = new Parser([], { provisional: true, numbers });
    let conversions = 0;
    const { BigInt: makeBigInt, Number: makeNumber } = globalThis;
    const counting = (make) => Object.assign((text) => (conversions++, make(text)), { isSafeInteger: makeNumber.isSafeInteger, isInteger: makeNumber.isInteger });
    globalThis.Number = counting(makeNumber);
    globalThis.BigInt = counting(makeBigInt);
    try {
      for (let at = 0; at < 8192; at++) {
        parser.feed("1");
        parser.snapshot();
        parser.snapshot();
      }
    } finally {
      Object.assign(globalThis, { Number: makeNumber, BigInt: makeBigInt });
    }
    // 1,024 prefixes, and 2,048, 4,096 and 8,192 digits.
    assert.equal(conversions, (numbers === "number" ? 1 : 2) * 1027 - (numbers === "number" ? 0 : 16));
  }
});

test("only containers on the changed path are new objects", () => {
  const parser = new Parser([], OPTIONS);
  parser.feed('{"done":{"x":[1,{"y":2}]},"rows":[{"name":"a"},{"name":"b');
  const before = parser.snapshot();
  parser.feed("c");
  const after = parser.snapshot();
  assert.notEqual(after, before);
  assert.equal(after.done, before.done);
  assert.notEqual(after.rows, before.rows);
  assert.equal(after.rows[0], before.rows[0]);
  assert.notEqual(after.rows[1], before.rows[1]);
  assert.equal(before.rows[1].name, "b");
  assert.equal(after.rows[1].name, "bc");
  for (const nothing of ["\\", "u00", "", "\ud83d"]) {
    try {
      parser.feed(nothing);
    } catch {}
    assert.equal(parser.snapshot(), after, JSON.stringify(nothing));
  }
});

test("digits beyond the precision of a number change nothing", () => {
  const parser = new Parser([], { snapshots: true, provisional: true });
  parser.feed('{"a":[0.1234567890123456789');
  const before = parser.snapshot();
  for (const digit of "0123,") {
    parser.feed(digit);
    assert.equal(parser.snapshot(), before);
  }
});

test("a clone and its origin share their values and do not affect each other", () => {
  const parser = new Parser([], OPTIONS);
  parser.feed('{"a":[1,2],"b":{"c":"x');
  const before = parser.snapshot();
  const clone = parser.clone();
  assert.equal(clone.snapshot(), before);
  clone.feed('y","d":[');
  parser.feed('z"}');
  const ours = parser.snapshot();
  const theirs = clone.snapshot();
  assert.deepEqual([before, ours, theirs], [
    { a: [1, 2], b: { c: "x" } }, { a: [1, 2], b: { c: "xz" } }, { a: [1, 2], b: { c: "xy", d: [] } },
  ]);
  assert.equal(ours.a, theirs.a);
});

test("after an error the snapshot shows what was known before it", () => {
  const parser = new Parser([], OPTIONS);
  parser.feed('{"a":[1,2],"b":"x');
  const before = parser.snapshot();
  assert.throws(() => parser.feed("\n"));
  assert.equal(parser.snapshot(), before);
});

test("snapshots only grow", () => {
  // Strings and arrays only grow, and members stay; a repeated key begins a new value.
  const grows = (left, right) => {
    if (typeof left === "string") return typeof right === "string" && right.startsWith(left);
    if (typeof left !== "object" || left === null) return Object.is(left, right);
    return Object.entries(left).every(([key, value]) => Object.hasOwn(right, key) && grows(value, right[key]));
  };
  const distinct = text.filter((whole) => !repeats(whole));
  fc.assert(fc.property(distinct, (whole) => {
    const parser = new Parser([], OPTIONS);
    let before;
    for (const unit of whole) {
      parser.feed(unit);
      const after = parser.snapshot();
      if (before !== undefined) assert.ok(grows(before, after), `${JSON.stringify(before)} then ${JSON.stringify(after)}`);
      before = after;
    }
  }), { numRuns: 100 });
});

describe("applyPatch", () => {
  test("refuses operations that do not fit the value", () => {
    const bad = [
      [undefined, { op: "append", path: "", value: "x" }],
      [{}, { op: "append", path: "/a", value: "x" }],
      [{ a: 1 }, { op: "append", path: "/a", value: "x" }],
      [{}, { op: "replace", path: "/a", value: 1 }],
      [{}, { op: "add", path: "a", value: 1 }],
      [{}, { op: "add", path: "/a/b", value: 1 }],
      [[], { op: "add", path: "/1", value: 1 }],
      [[], { op: "add", path: "/x", value: 1 }],
      [[], { op: "add", path: "/01", value: 1 }],
      [{}, { op: "add", path: "/__proto__/x", value: 1 }],
      [{}, { op: "add", path: "/constructor/x", value: 1 }],
    ];
    for (const [value, op] of bad) assert.throws(() => applyPatch(value, [op]), { kind: "invalid-patch" }, JSON.stringify(op));
    assert.equal({}.x, undefined);
  });
  test("never changes the old value, also if it refuses", () => {
    const value = Object.freeze({ a: Object.freeze([Object.freeze({ b: "x" })]), c: Object.freeze({}) });
    const made = applyPatch(value, [{ op: "append", path: "/a/0/b", value: "y" }, { op: "add", path: "/a/-", value: 1 }]);
    assert.deepEqual(made, { a: [{ b: "xy" }, 1], c: {} });
    assert.equal(made.c, value.c);
    assert.deepEqual(value, { a: [{ b: "x" }], c: {} });
    assert.equal(applyPatch(value, []), value);
  });
  test("accepts a patch that was JSON text", () => {
    const parser = new Parser([], OPTIONS);
    let copy;
    for (const unit of '{"__proto__":{"a/b":["x~y"]},"":{"":1}}') {
      parser.feed(unit);
      copy = applyPatch(copy, JSON.parse(JSON.stringify(parser.patch())));
    }
    assert.equal(JSON.stringify(copy), '{"__proto__":{"a/b":["x~y"]},"":{"":1}}');
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  });
});
