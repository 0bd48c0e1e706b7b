// Faults that attacks have found, one test for each.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

import fc from "fast-check";

import {
  applyPatch, deltas, Documents, Envelope, events, FieldReader, lenient as tolerating, Parser, rawDeltas, restoreParser, saveParser, snapshots,
} from "./all.mjs";
import { cut, sizes, text as json } from "./texts.mjs";
import { ProviderStream } from "../dist/providers/index.js";

const utf8 = (text) => new TextEncoder().encode(text);

test("a prototype key that is refused ends the text for good", () => {
  const values = new Parser([], { prototypeKeys: "reject", snapshots: true });
  values.feed('{"a":1,"__proto__":{"isAdmin":true},"b":2}');
  values.finish();
  for (let again = 0; again < 2; again++) assert.throws(() => values.value(), { kind: "prototype-key" });

  const looks = new Parser([], { prototypeKeys: "reject", snapshots: true });
  looks.feed('{"z":1,"a":{"q":1,"__proto__":{"x":1}},"b":[');
  assert.throws(() => looks.snapshot(), { kind: "prototype-key" });
  looks.feed("1]}");
  looks.finish();
  assert.throws(() => looks.snapshot(), { kind: "prototype-key" });
  assert.throws(() => looks.value(), { kind: "prototype-key" });
  assert.equal(looks.status.error.kind, "prototype-key");
  looks.reset();
  looks.feed('{"a":1}');
  assert.deepEqual(looks.snapshot(), { a: 1 });

  const matches = new Parser("*", { prototypeKeys: "reject" });
  assert.throws(() => matches.feed('{"a":{"__proto__":1},"b":"x'), ({ kind, events: told }) => kind === "prototype-key" && told.length === 4);
  assert.throws(() => matches.feed("y"), { kind: "prototype-key" });
  assert.throws(() => matches.clone().feed("y"), { kind: "prototype-key" });
});

test("a document with a prototype key that is refused fails alone", () => {
  const documents = new Documents("lines", [], { prototypeKeys: "reject" });
  const told = documents.feed('1\n{"__proto__":3}\n3\n');
  assert.deepEqual(told.map(({ kind, document }) => [kind, document]), [["document", 0], ["document-error", 1], ["document", 2]]);
  assert.equal(told[1].error.kind, "prototype-key");
});

test("half a surrogate pair in a long text is reported with its place", () => {
  for (const size of [300, 900, 3_000, 30_000, 300_000]) {
    const parser = new Parser();
    assert.throws(() => parser.feed(`"${"é".repeat(size)}\ud800x"`), { kind: "lone-surrogate", offset: 1 + 2 * size });
    parser.dispose();
  }
});

test("half a surrogate pair fails one document of a stream", () => {
  for (const rest of ['"\n1\n2\n', utf8('"\n1\n2\n')]) {
    const documents = new Documents("lines");
    const told = [...documents.feed('"\ud83d'), ...documents.feed(rest), ...documents.finish()];
    assert.deepEqual(told.map(({ kind, value }) => [kind, value]), [["document-error", undefined], ["document", 1], ["document", 2]]);
  }
  const documents = new Documents("lines");
  documents.feed('1\n"\ud83d');
  assert.deepEqual(documents.finish().map(({ kind, error }) => [kind, error.kind]), [["document-error", "incomplete"]]);
  assert.throws(() => documents.feed("3\n"), { kind: "finished" });
});

test("events before half a surrogate pair at the end come before its error", () => {
  const lenient = { lenient: tolerating("model-output") };
  for (const [text, options, kind, told] of [
    ['"xy\\\ud83d', lenient, "invalid-escape", "xy\\"],
    ['"\\ud83d\ud83d', { ...lenient, accept: true }, "incomplete", "\ufffd"],
  ]) {
    const parser = new Parser("$", options);
    const events = parser.feed(text);
    assert.throws(() => parser.finish(), (error) => error.kind === kind && events.push(...error.events) > 0);
    assert.equal(events.filter((event) => event.kind === "delta").map((event) => event.text).join(""), told);
    assert.throws(() => parser.finish(), (error) => error.kind === kind && error.events.length === 0);
    for (const framing of ["lines", "concatenated"]) {
      const documents = new Documents(framing, "$", options);
      const all = documents.feed(text);
      try {
        all.push(...documents.finish());
      } catch (error) {
        all.push(...error.events);
      }
      assert.equal(all.filter((event) => event.kind === "delta").map((event) => event.text).join(""), told, framing);
      assert.deepEqual([all.at(-1).kind, all.at(-1).error.kind], ["document-error", kind]);
    }
  }
});

test("an empty chunk of bytes changes nothing, also between the halves of a pair", () => {
  const parser = new Parser("$");
  const texts = ['"\ud83d', new Uint8Array(0), '\ude00"'].flatMap((chunk) => parser.feed(chunk)).map((event) => event.text);
  parser.finish();
  assert.deepEqual([texts.join(""), parser.value()], ["😀", "😀"]);
  const envelope = new Envelope("tag:x");
  const shown = ["a\ud83d", new Uint8Array(0), "\ude00"].flatMap((chunk) => envelope.feed(chunk)).concat(envelope.finish());
  assert.equal(shown.map(({ text }) => text).join(""), "a😀");
});

test("a stream of documents refuses to promise snapshots", () => {
  for (const options of [{ snapshots: true }, { snapshots: "live" }, { provisional: true }]) {
    assert.throws(() => new Documents("lines", [], options), { kind: "invalid-option", message: /snapshots/ });
  }
  new Documents("lines", [], { snapshots: false }).dispose();
});

test("a clone reports its own deltas", () => {
  const parser = new Parser(["a", "a | $"]);
  parser.feed('{"a":"\\"x');
  const told = parser.feed("y");
  const clone = parser.clone();
  clone.feed("\\\\");
  assert.deepEqual(clone.feed("n").map(({ kind, pattern, text }) => [kind, pattern, text]), [["delta", 0, "n"], ["delta", 1, "\n"]]);
  assert.deepEqual(told.map(({ text }) => text), ["y", "y"]);
});

test("each parser's snapshot has its own chunk", () => {
  const [one, other] = [1, 2].map(() => new Parser([], { snapshots: true }));
  for (const parser of [one, other]) parser.feed('{"a":"');
  one.snapshot();
  one.feed("mine");
  other.feed("your");
  assert.deepEqual(one.snapshot(), { a: "mine" });
  assert.deepEqual(other.snapshot(), { a: "your" });
});

test("bytes that end inside a character stay before the string that follows", () => {
  const stream = new ProviderStream("ollama");
  stream.feed(Uint8Array.from([...utf8('{"message":{"role":"assistant","content":"transfer 5'), 0xe2, 0x82]));
  const told = [...stream.feed('00"},"done":false}\n'), ...stream.finish()];
  assert.equal(told[0].kind, "bad-frame");
  assert.match(told[0].text, /5\ufffd00/);
});

test("long strings are rebuilt without recursion", () => {
  const parser = new Parser([], { prototypeKeys: "drop" });
  const text = `${"a".repeat(9e6)}\\"\\\\`;
  parser.feed(`{"constructor":"${text}","b":["\\\\",{"__proto__":1,"c":"]"}]}`);
  parser.finish();
  const value = parser.value();
  assert.equal(value.constructor.length, 9e6 + 2);
  assert.deepEqual(value.b, ["\\", { c: "]" }]);
});

test("an error thrown by JavaScript does not affect other parsers", () => {
  const other = new Parser();
  other.feed("[");
  const parser = new Parser("$");
  parser.feed('"\ud83d');
  assert.throws(() => parser.feed("x".repeat(2 ** 29 - 24)), RangeError);
  other.feed("1]");
  other.finish();
  assert.deepEqual(other.value(), [1]);
});

test("a source that fails is not asked to end", async () => {
  let isAsked = false;
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        throw new Error("first");
      },
      return: () => {
        isAsked = true;
        return new Promise(() => {});
      },
    }),
  };
  for (const signal of [undefined, new AbortController().signal]) {
    await assert.rejects(async () => {
      for await (const _ of events(source, "a", signal && { signal })) assert.fail("it has no events");
    }, /first/);
  }
  assert.equal(isAsked, false);
});

test("patterns have to be strings, also if a list of the same texts is cached", () => {
  new Parser(["a"]).dispose();
  for (const wrong of [new Set(["a"]), 5, null, [{ toString: () => "a" }]]) {
    assert.throws(() => new Parser(wrong), { kind: "invalid-option" });
  }
  assert.throws(() => new Parser([], { limits: 5 }), { kind: "invalid-option" });
});

test("what is no pattern is refused by each function of deltas alike", async () => {
  for (const function_ of [deltas, rawDeltas]) {
    for (const wrong of [undefined, 5, null, {}]) await assert.rejects(function_(["1"], wrong).next(), { kind: "invalid-option" });
  }
});

test("a patch inserts into arrays, and an unknown operation is refused", () => {
  assert.deepEqual(applyPatch([1, 2], [{ op: "add", path: "/0", value: 9 }]), [9, 1, 2]);
  assert.deepEqual(applyPatch([[1], 2], [{ op: "add", path: "/0/1", value: 9 }, { op: "replace", path: "/1", value: 3 }]), [[1, 9], 3]);
  for (const op of [{ op: "move", path: "/0", value: 1 }, { op: "append", path: "/0", value: 5 }, { op: "add", path: "/x/y", value: 1 }]) {
    assert.throws(() => applyPatch(["x"], [op]), { kind: "invalid-patch" });
  }
});

test("every call of a disposed parser reports that it is disposed", () => {
  for (const snapshots of [true, false]) {
    const parser = new Parser("a", { snapshots });
    parser.dispose();
    for (const ask of ["snapshot", "snapshotText", "patch", "value", "valueText", "finish", "reset", "clone"]) {
      assert.throws(() => parser[ask](), { kind: "disposed" }, ask);
    }
    for (const ask of ["feed", "stateOf"]) assert.throws(() => parser[ask]("a"), { kind: "disposed" }, ask);
  }
});

test("half a surrogate pair in a pattern is an error, not U+FFFD", () => {
  for (const pattern of ["\ud83d", 'a["\ude00"]']) {
    assert.throws(() => new Parser(pattern), { kind: "invalid-option", message: /half a surrogate pair/ });
  }
});

test("the body of a failed response is cancelled", async () => {
  const log = [];
  const body = new ReadableStream({ cancel: () => void log.push("cancelled") });
  await assert.rejects(async () => {
    for await (const _ of events(new Response(body, { status: 500 }), "a"));
  }, { kind: "response" });
  assert.deepEqual(log, ["cancelled"]);
});

test("a value whose text was not kept is an error that names no other language's types", () => {
  const parser = new Parser([], { retain: "nothing" });
  parser.feed("[1]");
  parser.finish();
  assert.throws(() => parser.value(), ({ kind, message }) => kind === "not-retained" && !message.includes("::"));
});

test("a dropped prototype key changes nothing around it", () => {
  for (const provisional of [false, true]) {
    const parser = new Parser([], { snapshots: true, provisional, prototypeKeys: "drop" });
    parser.feed('{"a":{"b":1},"c":{');
    const first = parser.snapshot();
    for (const chunk of ['"__proto__":"x', "y", "z\\n", '","__proto__":1', "2", ',"__proto__":[1,{"d":', '"e', '"}', "]"]) {
      parser.feed(chunk);
      assert.equal(parser.snapshot(), first, chunk);
    }
    const clone = parser.clone();
    for (const copy of [parser, clone]) {
      copy.feed(',"f":[');
      const next = copy.snapshot();
      assert.deepEqual(next, { a: { b: 1 }, c: { f: [] } });
      assert.equal(next.a, first.a);
    }
    assert.deepEqual(first, { a: { b: 1 }, c: {} });
  }
});

test("a patch has numbers and prototype keys as a snapshot has", () => {
  const text = '{"a":12345678901234567890,"__proto__":{"x":"y"},"b":[1,{"__proto__":2}],"c":"z"}';
  for (const numbers of ["number", "bigint", "string"]) {
    for (const prototypeKeys of ["keep", "drop"]) {
      for (const size of [1, 3, text.length]) {
        const parser = new Parser([], { snapshots: true, provisional: true, numbers, prototypeKeys });
        let copy;
        for (let at = 0; at < text.length; at += size) {
          parser.feed(text.slice(at, at + size));
          copy = applyPatch(copy, parser.patch());
          assert.deepEqual(copy, parser.snapshot());
        }
      }
    }
  }
  for (const refused of ['{"a":[{"__proto__":1}]}', '{"constructor":{"prototype":1}}', '{"__proto__":"x"}']) {
    for (const size of [1, refused.length]) {
      const parser = new Parser([], { snapshots: true, prototypeKeys: "reject" });
      assert.throws(() => {
        for (let at = 0; at < refused.length; at += size) {
          parser.feed(refused.slice(at, at + size));
          parser.patch();
        }
      }, { kind: "prototype-key" });
      for (const ask of ["patch", "snapshot"]) assert.throws(() => parser[ask](), { kind: "prototype-key" });
    }
  }
});

test("a signal keeps no reader whose source has ended", async () => {
  const { signal } = new AbortController();
  const listeners = new Set();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = function (type, listener, options) {
    listeners.add(listener);
    addEventListener.call(this, type, listener, options);
  };
  signal.removeEventListener = function (type, listener) {
    listeners.delete(listener);
    removeEventListener.call(this, type, listener);
  };
  const failing = (async function* () {
    yield '{"a":1';
    throw new Error("broken");
  })();
  for (const source of [['{"a":1}'], failing, new Response("", { status: 500 }), {}]) {
    const reader = new FieldReader(source, { signal });
    assert.equal(listeners.size, 1);
    await reader.get("b").catch(() => undefined);
    assert.equal(listeners.size, 0);
  }
});

test("bytes of another realm are bytes", async () => {
  const bytes = runInNewContext("new Uint8Array([91, 49, 93])");
  const parser = new Parser();
  parser.feed(bytes);
  parser.finish();
  assert.deepEqual(parser.value(), [1]);
  for await (const value of snapshots(bytes)) assert.deepEqual(value, [1]);
  assert.throws(() => parser.feed({ [Symbol.toStringTag]: "Uint8Array" }), TypeError);
});

test("a response of another implementation of fetch is accepted", async () => {
  // As undici's of npm has it: a class of its own, with the standard's name.
  class Response {
    constructor(ok) {
      Object.assign(this, { ok, status: 500, body: new ReadableStream({ start: (to) => (to.enqueue("[1]"), to.close()) }) });
    }
    get [Symbol.toStringTag]() {
      return "Response";
    }
  }
  for await (const value of snapshots(new Response(true))) assert.deepEqual(value, [1]);
  await assert.rejects(async () => {
    for await (const _ of events(new Response(false), "a"));
  }, { kind: "response" });
});

test("an unknown kind of snapshots is refused", () => {
  assert.throws(() => new Parser([], { snapshots: "frozen" }), { kind: "invalid-option" });
});

test("a U+FFFD that was sent makes no frame unreadable", () => {
  const frame = (bytes) => [...utf8('data: {"choices":[{"index":0,"delta":{"content":"'), ...bytes, ...utf8('"}}]}\r\r')];
  const bytes = Uint8Array.from([...frame(utf8("a\ufffd\ufffd")), ...frame([0xff]), ...frame([0xe2, 0x82, ...utf8("\ufffd")]), ...frame(utf8("b"))]);
  for (const size of [1, 2, 3, 50, bytes.length]) {
    const stream = new ProviderStream("openai-chat");
    const told = [];
    for (let at = 0; at < bytes.length; at += size) told.push(...stream.feed(bytes.subarray(at, at + size)));
    const text = told.map((event) => (event.kind === "text" ? event.text : "")).join("");
    assert.equal(text, "a\ufffd\ufffdb", `chunks of ${size}`);
    assert.equal(told.filter(({ kind }) => kind === "bad-frame").length, 2, `chunks of ${size}`);
  }
});

test("a number that turns out to be non-finite is null", () => {
  for (const numbers of ["number", "bigint", "string"]) {
    const parser = new Parser("$", { lenient: tolerating(["non-finite"]), accept: true, numbers });
    const told = [...parser.feed("-Infin"), ...parser.feed("ity"), ...parser.finish()];
    assert.deepEqual(told.map(({ kind, type, value }) => [kind, type, value]), [["begin", "number", undefined], ["end", "null", null]]);
    assert.equal(parser.value(), null);
  }
});

test("events before a bad sequence at the limit on the total are reported", () => {
  const parser = new Parser("$", { limits: { total: 5 }, snapshots: true });
  const bytes = Uint8Array.from([0x22, 0x61, 0x62, 0x63, 0xc3, 0x20, 0x22]);
  assert.throws(
    () => parser.feed(bytes),
    ({ kind, offset, events: told }) => kind === "total-limit" && offset === 5 && told[1]?.text === "abc",
  );
  assert.equal(parser.snapshot(), "abc");
});

test("a match inside a string is restored after a deviation that is not accepted", () => {
  const [patterns, options] = ["$..* | $..*", { lenient: tolerating(["python-literals"]) }];
  let parser = new Parser(patterns, options);
  const told = [];
  for (const unit of '[True,"[\\"x') {
    told.push(...parser.feed(unit));
    parser = restoreParser(patterns, saveParser(parser), options);
  }
  assert.deepEqual(told.map(({ kind, path, text }) => [kind, path, text]), [
    ["begin", "[1] | [0]", undefined],
    ["delta", "[1] | [0]", "x"],
  ]);
});

test("a deviation is tolerated at the limit on the total, though its character exceeds the limit", () => {
  const parser = new Parser("$", { limits: { total: 4 }, lenient: tolerating(["bad-escapes"]), accept: true });
  assert.throws(() => parser.feed('"\\€"'), { kind: "total-limit", offset: 4 });
  assert.deepEqual(parser.status.deviations.list.map(({ kind, offset }) => [kind, offset]), [["bad-escapes", 2]]);
});

test("the small engine of deltas finds what that of events finds", async () => {
  const all = async (loop, kept) => {
    const told = [];
    try {
      for await (const item of loop) if (kept(item)) told.push(item.text ?? item);
    } catch ({ kind, offset, line, column }) {
      told.push({ kind, offset, line, column });
    }
    return told;
  };
  const patterns = fc.constantFrom("$", "*", "$..*", "a", "$..a", "[1:]", "a | $..*", "$..* | *", "* | * | *", "['__proto__']");
  const inputs = fc.oneof(json, json.map((inner) => JSON.stringify({ a: inner })), fc.tuple(json, fc.nat(), fc.constantFrom("x", "]", "\\ud800", "\u0001", "\ud83d", ",", "\\")).map(([whole, at, fault]) => {
    const place = at % (whole.length + 1);
    return whole.slice(0, place) + fault + whole.slice(place);
  }));
  const limits = fc.constantFrom({}, { depth: 3 }, { key: 2, string: 5, number: 2 }, { blank: 1 }, { total: 30 });
  const check = async (whole, list, pattern, some, duplicateKeys, areBytes) => {
    const chunks = cut(areBytes ? utf8(whole) : whole, list);
    const options = { limits: { depth: 1000, ...some }, duplicateKeys };
    const told = await all(events(chunks, pattern, { ...options, retain: "nothing" }), ({ kind }) => kind === "delta");
    assert.deepEqual(await all(deltas(chunks, pattern, options), () => true), told);
  };
  await fc.assert(fc.asyncProperty(inputs, sizes, patterns, limits, fc.constantFrom("last-wins", "reject"), fc.boolean(), check), { numRuns: 1000 });
});

test("deltas has no path for an error, rawDeltas the one that it knows", async () => {
  const failing = async (loop) => {
    for await (const _ of loop);
  };
  await assert.rejects(failing(deltas(['{"a":"b","c":x'], "a")), { path: null, message: /byte 13\)$/ });
  await assert.rejects(failing(rawDeltas(['{"a":"b","c":x'], "a")), { path: "$" });
});

test("a saved state has no members but its own", () => {
  const state = saveParser(new Parser("$"));
  const restore = (data) => restoreParser("$", { ...state, data });
  for (const text of ['{"__proto__":{"text":"[1"}}', '{"constructor":1}', '{"text":"1","toString":1}', '{"text":{"length":1}}', '{"rest":{"length":1}}']) {
    assert.throws(() => restore(JSON.parse(text)), { kind: "impossible" }, text);
  }
  assert.equal(restore(Object.create({ text: "[1" })).status.bytes, 0);
  const many = { ...state, choices: saveParser(new Parser("$", { retain: "nothing" })).choices, data: { levels: Array(100_000).fill({ steps: [], column: 0 }) } };
  assert.throws(() => restoreParser("$", many, { retain: "nothing" }), { kind: "impossible" });
});

test("what a translator takes back is taken from the newest text alone", () => {
  const { slice } = String.prototype;
  const all = tolerating(["bad-escapes", "lone-surrogates", "trailing-commas", "non-finite"]);
  for (const text of [`["${"\\u12x".repeat(1000)}"]`, `["${"\\ud800x".repeat(1000)}"]`, `[${"-Infinity,".repeat(1000)}1]`, `[${"[1,],".repeat(1000)}1]`]) {
    let copied = 0;
    String.prototype.slice = function (...range) {
      const part = slice.apply(this, range);
      copied += part.length;
      return part;
    };
    try {
      const parser = new Parser([], { lenient: all, accept: true });
      parser.feed(text);
      parser.finish();
    } finally {
      String.prototype.slice = slice;
    }
    assert.ok(copied < 10 * text.length, `${copied} units`);
  }
});

test("half a pair that waits counts as the two bytes that are known, for the limit on the total", () => {
  for (const options of [{}, { lenient: tolerating("model-output") }]) {
    for (const [total, offset] of [[1, 1], [2, 2], [3, undefined]]) {
      const parser = new Parser("$", { ...options, limits: { total } });
      const feed = () => parser.feed('"\ud83d');
      if (offset === undefined) feed();
      else assert.throws(feed, { kind: "total-limit", offset });
    }
  }
});

test("half a pair after a number is not part of the document that the number ends", () => {
  const documents = new Documents("concatenated", "$");
  assert.throws(() => documents.feed("1e4\ud83d"), { kind: "trailing-bytes", offset: 3 });
});
