// Readers of single fields: each resolves when its own field is complete, and takes no more chunks than it needs.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { deltas, FieldReader } from "../dist/index.js";
import { cut, sizes, text } from "./texts.mjs";

const TEXT = '{"city":"Köln 😀","slots":[{"message":"Hi \\"you\\"","n":1},{"message":"and","n":[2]}],"last":null}';

async function all(iterable) {
  const list = [];
  for await (const each of iterable) list.push(each);
  return list;
}

/** Returns a source that counts the chunks taken from it. */
function watched(chunks) {
  const source = {
    taken: 0,
    ended: 0,
    async *[Symbol.asyncIterator]() {
      try {
        for (const chunk of chunks) {
          source.taken += 1;
          yield chunk;
        }
      } finally {
        source.ended += 1;
      }
    },
  };
  return source;
}

test("fields resolve when they are complete, and no more chunks are taken", async () => {
  const source = watched(cut(TEXT, [1]));
  const reader = new FieldReader(source);
  assert.equal(source.taken, 0);
  assert.equal(await reader.get("city"), "Köln 😀");
  assert.equal(source.taken, TEXT.indexOf(',"slots') );
  assert.equal(await reader.get("slots", 0, "n"), 1);
  assert.equal(source.taken, TEXT.indexOf('},{') + 1);
  // A field can be read after it has passed.
  assert.equal((await all(reader.streamText("city"))).join(""), "Köln 😀");
  assert.equal(source.taken, TEXT.indexOf('},{') + 1);
  assert.deepEqual(await reader.get("slots"), JSON.parse(TEXT).slots);
  assert.equal(await reader.get("last"), null);
  assert.deepEqual(await reader.get(), JSON.parse(TEXT));
  assert.equal(await reader.get("missing", 3), undefined);
  assert.equal(await reader.get("city", "length"), undefined);
  assert.equal(source.taken, TEXT.length);
});

test("many fields are read at once", async () => {
  const reader = new FieldReader(watched(cut(new TextEncoder().encode(TEXT), [3])));
  const [texts, second, rows, missing, n] = await Promise.all([
    all(reader.streamText("slots", 0, "message")),
    all(reader.streamText("slots", 1, "message")),
    all(reader.forEach("slots")),
    reader.get("slots", 9),
    reader.get("slots", 1, "n", 0),
  ]);
  assert.ok(texts.length > 1);
  assert.deepEqual([texts.join(""), second.join(""), rows, missing, n], ['Hi "you"', "and", JSON.parse(TEXT).slots, undefined, 2]);
});

test("elements are yielded when they are complete", async () => {
  const source = watched(cut(TEXT, [1]));
  const rows = new FieldReader(source).forEach("slots");
  assert.deepEqual((await rows.next()).value, { message: 'Hi "you"', n: 1 });
  assert.equal(source.taken, TEXT.indexOf("},{") + 1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(source.taken, TEXT.indexOf("},{") + 1);
  assert.deepEqual((await rows.next()).value.n, [2]);
  assert.equal((await rows.next()).done, true);
  assert.equal(source.taken, TEXT.indexOf("],\"last") + 1);
});

test("values of other types yield nothing", async () => {
  const reader = new FieldReader([TEXT]);
  for (const path of [["slots"], ["last"], ["missing"], []]) assert.deepEqual(await all(reader.streamText(...path)), []);
  for (const path of [["city"], ["slots", 0], ["missing"], []]) assert.deepEqual(await all(reader.forEach(...path)), []);
});

test("keys may look like indices or patterns", async () => {
  const keys = ["a.b", "a[0]", "'", '"', "\\", "*", "..", "", "é😀", "\n", "$", "0", "a | b", "__proto__"];
  const whole = `{${keys.map((key, n) => `${JSON.stringify(key)}:{"x":"${n}"}`).join()}}`;
  const reader = new FieldReader(cut(whole, [2]));
  for (const [n, key] of keys.entries()) assert.equal(await reader.get(key, "x"), String(n), key);
});

test("any field of any text has its value", async () => {
  const places = function* (value, path) {
    yield [path, value];
    if (typeof value !== "object" || value === null) return;
    const isArray = Array.isArray(value);
    for (const key of Object.keys(value)) yield* places(value[key], [...path, isArray ? Number(key) : key]);
  };
  // A key that comes again is an error.
  const distinct = text.filter((whole) => !/("(?:[^"\\]|\\.)*")\s*:[^]*\1\s*:/.test(whole) && !/\\u|__proto__/.test(whole));
  await fc.assert(fc.asyncProperty(distinct, sizes, async (whole, list) => {
    const reader = new FieldReader(cut(whole, list), { limits: { depth: 1000 } });
    for (const [path, value] of [...places(JSON.parse(whole), [])].slice(0, 12)) {
      assert.deepEqual(await reader.get(...path), value, path.join());
      assert.equal((await all(reader.streamText(...path))).join(""), typeof value === "string" ? value : "");
      assert.deepEqual(await all(reader.forEach(...path)), Array.isArray(value) ? value : []);
    }
  }), { numRuns: 60 });
});

describe("ends", () => {
  test("an error rejects the reads whose fields it affects", async () => {
    const reader = new FieldReader(cut('{"a":"x","b":"yz\n"}', [1]));
    const error = { name: "JsonSpigotError", kind: "control-character", offset: 16 };
    await assert.rejects(reader.get("b"), error);
    const told = [];
    await assert.rejects(async () => {
      for await (const delta of reader.streamText("b")) told.push(delta);
    }, error);
    assert.equal(told.join(""), "yz");
    assert.equal(await reader.get("a"), "x");
    await assert.rejects(reader.get("c"), error);
  });
  test("a text that ends too early is never complete", async () => {
    const reader = new FieldReader(['{"a":"x","rows":[1,2', "3"]);
    assert.equal(await reader.get("a"), "x");
    const rows = [];
    await assert.rejects(async () => {
      for await (const row of reader.forEach("rows")) rows.push(row);
    }, { kind: "incomplete" });
    assert.deepEqual(rows, [1]);
    await assert.rejects(reader.get("missing"), { kind: "incomplete" });
  });
  test("the source's own error rejects all reads, also later ones", async () => {
    const broken = new Error("the line is dead");
    const reader = new FieldReader((async function* () {
      yield '{"a":1,"b":';
      throw broken;
    })());
    const same = (error) => error === broken;
    await Promise.all([assert.rejects(reader.get("b"), same), assert.rejects(all(reader.streamText("b")), same)]);
    assert.equal(await reader.get("a"), 1);
    await assert.rejects(reader.get("b"), same);
  });
  test("leaving a loop does not affect other reads", async () => {
    const source = watched(cut(TEXT, [1]));
    const reader = new FieldReader(source);
    for await (const _ of reader.streamText("city")) break;
    assert.equal(source.ended, 0);
    assert.equal(await reader.get("slots", 1, "message"), "and");
  });
  test("cancel and the signal end it, with their reason", async () => {
    for (const bySignal of [true, false]) {
      const abort = new AbortController();
      const log = [];
      const source = new ReadableStream({ start: (controller) => controller.enqueue('{"a":1,'), cancel: (reason) => void log.push(reason) });
      const reader = new FieldReader(source, { signal: abort.signal });
      assert.equal(await reader.get("a"), 1);
      const waits = [assert.rejects(reader.get("b"), (error) => error === "enough"), assert.rejects(all(reader.forEach("b")), (error) => error === "enough")];
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (bySignal) abort.abort("enough");
      else reader.cancel("enough");
      await Promise.all(waits);
      await assert.rejects(reader.get("b"), (error) => error === "enough");
      assert.deepEqual(log, ["enough"]);
      assert.equal(await reader.get("a"), 1);
    }
  });
  test("a source that was never read is cancelled too", async () => {
    for (const bySignal of [true, false]) {
      const log = [];
      const source = new ReadableStream({ cancel: (reason) => void log.push(reason) });
      const reader = new FieldReader(source, bySignal ? { signal: AbortSignal.abort("before") } : {});
      if (!bySignal) reader.cancel("before");
      await assert.rejects(reader.get("a"), (error) => error === "before");
      assert.deepEqual(log, ["before"]);
      assert.equal(source.locked, false);
    }
  });
  test("a loop that was never read is ended too", async () => {
    for (const bySignal of [true, false]) {
      const chunks = (function* () {
        yield '{"a":1}';
      })();
      const reader = new FieldReader(chunks, bySignal ? { signal: AbortSignal.abort("before") } : {});
      if (!bySignal) reader.cancel("before");
      await assert.rejects(reader.get("a"), (error) => error === "before");
      assert.deepEqual(chunks.next(), { value: undefined, done: true });
    }
  });
});

test("a source may reuse its buffer", async () => {
  const buffer = new Uint8Array(1);
  const reader = new FieldReader((function* () {
    for (const byte of new TextEncoder().encode('{"a":"é","b":[2]}')) {
      buffer[0] = byte;
      yield buffer;
    }
  })());
  assert.deepEqual(await reader.get("b"), [2]);
  assert.equal(await reader.get("a"), "é");
});

test("a field's value is shown as it grows", async () => {
  const reader = new FieldReader(['{"a":{"b":"x', 'y","c":[1', ',2]},"d":1}']);
  const seen = [];
  for await (const value of reader.streamValues("a")) seen.push(structuredClone(value));
  assert.deepEqual(seen, [{ b: "x" }, { b: "xy", c: [] }, { b: "xy", c: [1, 2] }]);
});

test("a field whose key is repeated is an error", async () => {
  const whole = '{"a": "x", "b": 1, "a": "yz"}';
  for (const size of [1, 3, 11, 100]) {
    const [reader, others] = [undefined, "last-wins"].map((duplicateKeys) => new FieldReader(cut(whole, [size]), { duplicateKeys }));
    await assert.rejects(reader.get(), { kind: "duplicate-key", offset: whole.lastIndexOf('"a"') + 2 });
    assert.deepEqual(await others.get(), { a: "yz", b: 1 });
  }
});

test("a loop misses nothing while other reads continue", async () => {
  const rest = { streamText: ["x", "y"], streamValues: ["x", "xy"], forEach: [1, 2, 3] };
  for (const [kind, expected] of Object.entries(rest)) {
    const reader = new FieldReader(['{"a": "x', 'y", "b": [1, 2', ', 3], "c": "the end"', "}"]);
    const seen = [];
    for await (const each of reader[kind](kind === "forEach" ? "b" : "a")) {
      seen.push(each);
      await reader.get("c");
      await reader.get("missing");
    }
    assert.deepEqual(seen, expected, kind);
  }
});

test("each chunk is read once, whatever the number of fields", async () => {
  const fields = Array.from({ length: 200 }, (_, at) => `field ${at}`);
  const text = JSON.stringify(Object.fromEntries(fields.map((name) => [name, "x".repeat(500)])));
  const chunks = Array.from({ length: Math.ceil(text.length / 50) }, (_, at) => text.slice(at * 50, at * 50 + 50));
  const time = async (names) => {
    const start = process.cpuUsage();
    const reader = new FieldReader(chunks);
    const values = await Promise.all(names.map((name) => reader.get(name)));
    assert.ok(values.every((value) => value.length === 500));
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  await time(fields);
  const [one, all] = [await time(fields.slice(-1)), await time(fields)];
  assert.ok(all < 25 * one + 100_000, `${all / one} times`);
});

test("a growing field is read in linear time", async () => {
  const time = async (loop) => {
    const start = process.cpuUsage();
    await all(loop);
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  for (const [text, read] of [
    [`{"a":"${"\u20ac".repeat(1_000_000)}"}`, (reader) => reader.streamText("a")],
    [`{"a":[${'{"b":[]},'.repeat(20_000)}0]}`, (reader) => reader.forEach("a")],
  ]) {
    const chunks = cut(text, [Math.ceil(text.length / 4000)]);
    const [once, took] = [await time(deltas(chunks, "missing")), await time(read(new FieldReader(chunks)))];
    assert.ok(took < 12 * once, `${took / once} times`);
  }
});

test("yielded values never change, and are frozen once they have ended", async () => {
  const isFrozen = (value) => Object(value) !== value || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
  const reader = new FieldReader(['{"a":[{"b":[1,{}]},', '{"c":2}', ',[]],"d":{"e":[1', ",2]}}"], { freeze: true });
  const seen = [];
  const shown = async () => {
    for await (const value of reader.streamValues()) seen.push([value, JSON.stringify(value)]);
  };
  const [elements] = await Promise.all([all(reader.forEach("a")), shown()]);
  assert.ok([...elements, await reader.get("d"), await reader.get()].every(isFrozen));
  assert.ok(seen.length > 2 && seen.every(([value, text]) => JSON.stringify(value) === text));
});

test("a waiting read can be aborted without affecting others", async () => {
  let release;
  async function* chunks() {
    yield '{"a":';
    await new Promise((resolve) => (release = resolve));
    yield '"x"}';
  }
  const reader = new FieldReader(chunks());
  const loop = reader.streamText("b");
  const controller = new AbortController();
  const pending = loop.next();
  const aborted = reader.get("c", { signal: controller.signal });
  const kept = reader.get("a");
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(await loop.return(), { done: true, value: undefined });
  assert.deepEqual(await pending, { done: true, value: undefined });
  controller.abort(new Error("enough"));
  await assert.rejects(aborted, /enough/);
  release();
  assert.equal(await kept, "x");
});

test("disposing of a reader ends its source", { skip: Symbol.asyncDispose === undefined }, async () => {
  let hasEnded = false;
  async function* chunks() {
    try {
      yield '{"a":1';
      yield ',"b":2}';
    } finally {
      hasEnded = true;
    }
  }
  const reader = new FieldReader(chunks());
  assert.equal(await reader.get("a", "nothing"), undefined);
  await reader[Symbol.asyncDispose]();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(hasEnded);
});
