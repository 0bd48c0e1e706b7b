// The iterator under every loop: sources at once or later, `return` and aborts while it waits, nothing kept.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import fc from "fast-check";

import { deltas, events, EventStream, FieldReader, Parser, rawDeltas, snapshots } from "../dist/index.js";
import { SourceLoop } from "../dist/loops/loop.js";
import { providerEvents } from "../dist/providers/index.js";
import { Rewriter, RewriteStream, Rule } from "../dist/rewrite/index.js";
import { cut, joined, sizes } from "./texts.mjs";

/** Each loop, over a text that begins with `{"a":[{"b":"`. */
const LOOPS = {
  deltas: (source, options) => deltas(source, "a[*].b", options),
  rawDeltas: (source, options) => rawDeltas(source, "a[*].b", options),
  events: (source, options) => events(source, "a[*].b", options),
  snapshots: (source, options) => snapshots(source, options),
  streamText: (source, options) => new FieldReader(source, options).streamText("a", 0, "b"),
  streamValues: (source, options) => new FieldReader(source, options).streamValues("a", 0),
  forEach: (source, options) => new FieldReader(source, options).forEach("a"),
  providerEvents: (source, options) => providerEvents(source, "openai-chat", [], { providerEvents: true, ...options }),
};

/** A text in pieces, each of which gives a loop an item. */
const piecesFor = (name) => {
  if (name === "forEach") return ['{"a":[{"b":""},', "2,", "3,", "4]}"];
  if (name !== "providerEvents") return ['{"a":[{"b":"x', "y", "z", '"}]}'];
  return ["x", "y", "z", ""].map((content) => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`);
};

/** Returns a source with these pieces at once, and then a promise that is never settled. */
function stuck(pieces) {
  const log = { taken: 0, ended: 0 };
  return {
    log,
    [Symbol.asyncIterator]: () => ({
      next: () => (log.taken < pieces.length ? { done: false, value: pieces[log.taken++] } : new Promise(() => undefined)),
      return: () => ({ done: true, value: void (log.ended += 1) }),
    }),
  };
}

/** Reads until the loop waits for its source. Returns that read. */
async function waiting(loop, source, count) {
  for (;;) {
    const pending = loop.next();
    if (source.log.taken === count && (await Promise.race([pending, "waits"])) === "waits") return { pending };
    await pending;
  }
}

const soon = (promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 1000, "hangs"))]);

for (const [name, open] of Object.entries(LOOPS)) {
  const pieces = piecesFor(name);
  const isOfField = ["streamText", "streamValues", "forEach"].includes(name);

  describe(name, () => {
    test("`return` ends a pending read and cancels the source", async () => {
      const source = stuck(pieces.slice(0, 3));
      const loop = open(source);
      const { pending } = await waiting(loop, source, 3);
      const end = { done: true, value: undefined };
      assert.deepEqual(await soon(loop.return()), end);
      assert.deepEqual(await soon(Promise.all([pending, loop.next()])), [end, end]);
      // One field's loop leaves the source to the others.
      assert.equal(source.log.ended, isOfField ? 0 : 1);
    });

    test("the signal ends a pending read and cancels the source", async () => {
      const source = stuck(pieces.slice(0, 3));
      const controller = new AbortController();
      const loop = open(source, { signal: controller.signal });
      const { pending } = await waiting(loop, source, 3);
      controller.abort("enough");
      assert.equal(source.log.ended, 1);
      await assert.rejects(soon(pending), (reason) => reason === "enough");
      assert.deepEqual(await loop.next(), { done: true, value: undefined });
    });

    test("reads chunks that are there without waiting", () => {
      const source = stuck([" ", "\n", "\n", " "]);
      void open(source).next();
      assert.equal(source.log.taken, 4);
    });

    test("answers reads that overlap in their order", async () => {
      const one = [];
      for await (const item of open(pieces)) one.push(item);
      async function* slow() {
        for (const piece of pieces) {
          await new Promise(setImmediate);
          yield piece;
        }
      }
      const loop = open(slow());
      const results = await Promise.all(Array.from({ length: one.length + 2 }, () => loop.next()));
      const items = results.filter(({ done }) => !done).map(({ value }) => value);
      assert.deepEqual(JSON.parse(JSON.stringify(items)), JSON.parse(JSON.stringify(one)));
      assert.deepEqual(results.map(({ done }) => done), [...one.map(() => false), true, true]);
    });
  });
}

test("a loop answers thousands of waiting reads, also those that are added meanwhile", async () => {
  const chunks = ['{"a":"', ...Array.from({ length: 6_000 }, (_, index) => `${index},`), '"}'];
  async function* slow() {
    for (const chunk of chunks) {
      await null;
      yield chunk;
    }
  }
  const loop = deltas(slow(), "a");
  const seen = [];
  const waiting = [];
  const ask = () => waiting.push(loop.next().then(({ value }) => (seen.push(value), seen.length % 3 === 0 && ask())));
  for (let count = 0; count < 4_000; count++) ask();
  for (let at = 0; at < waiting.length; at++) await waiting[at];
  assert.deepEqual(seen.filter((text) => text !== undefined).slice(0, 5_000), chunks.slice(1, 5_001));
});

test("a reader that is cancelled before it has read stops listening to its signal", async () => {
  const { signal } = new AbortController();
  const reader = new FieldReader(['{"a":1}'], { signal });
  assert.equal(getEventListeners(signal, "abort").length, 1);
  reader.cancel();
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("a loop whose reader fails with its source rejects, and answers all waiting reads", async () => {
  async function* source() {
    yield 1;
    await null;
    throw new Error("of the source");
  }
  const open = (reading) => {
    const chunks = source();
    return new SourceLoop(() => chunks, () => ({ items: [], read() {}, finish() {}, ...reading }), undefined);
  };
  const thrown = () => {
    throw new Error("of the reader");
  };
  const failing = open({ fail: thrown });
  const [first, second] = await Promise.allSettled([failing.next(), failing.next()]);
  assert.equal(first.reason.message, "of the reader");
  assert.deepEqual(second.value, { done: true, value: undefined });
  await assert.rejects(open({ dispose: thrown }).next(), /of the source/);
});

describe("a source", () => {
  test("is cancelled by `return` before the first read", async () => {
    const reasons = [];
    const source = new ReadableStream({ cancel: (reason) => void reasons.push(reason) });
    const loop = deltas(source, "a");
    assert.deepEqual(await loop.return(), { done: true, value: undefined });
    assert.deepEqual(await loop.next(), { done: true, value: undefined });
    assert.deepEqual([reasons, source.locked], [[undefined], false]);
  });
  test("is cancelled if the options are refused", async () => {
    const source = stuck([]);
    await assert.rejects(events(source, "a[").next(), { kind: "invalid-pattern" });
    assert.equal(source.log.ended, 1);
  });
  test("is awaited by `return`, which reports its error", async () => {
    let hasEnded = false;
    async function* source(error) {
      try {
        yield '["x"';
        yield "]";
      } finally {
        await new Promise(setImmediate);
        hasEnded = true;
        if (error) throw error;
      }
    }
    for await (const _ of deltas(source(), "[*]")) break;
    assert.ok(hasEnded);
    const loop = deltas(source(new Error("not closed")), "[*]");
    await loop.next();
    await assert.rejects(loop.return(), /not closed/);
  });
  test("may abort the signal itself, at once or later", async () => {
    for (const isPromised of [false, true]) {
      const controller = new AbortController();
      const source = {
        [Symbol.asyncIterator]: () => ({
          next() {
            controller.abort(new Error("by the source"));
            const chunk = { done: false, value: '["x"]' };
            return isPromised ? Promise.resolve(chunk) : chunk;
          },
        }),
      };
      const loop = deltas(source, "[*]", { signal: controller.signal });
      await assert.rejects(soon(loop.next()), /by the source/);
      assert.deepEqual(await loop.next(), { done: true, value: undefined });
    }
  });
  test("that throws, or returns no iterator result, fails the loop", async () => {
    const throwing = (next) => ({ [Symbol.iterator]: () => ({ next }) });
    await assert.rejects(deltas(throwing(() => JSON.parse("[")), "a").next(), SyntaxError);
    await assert.rejects(deltas(throwing(() => undefined), "a").next(), TypeError);
    await assert.rejects(deltas(throwing(() => Promise.resolve(undefined)), "a").next(), TypeError);
    for (const chunk of [undefined, null, 1, {}]) await assert.rejects(deltas([chunk], "a").next(), TypeError);
  });
});

test("items that wait when the signal is aborted are dropped", async () => {
  const controller = new AbortController();
  // The first item of three, before an error in the same chunk.
  const loop = events(['["a","b",x'], "[*]", { signal: controller.signal });
  assert.equal((await loop.next()).value.kind, "begin");
  controller.abort("enough");
  await assert.rejects(loop.next(), (reason) => reason === "enough");
});

test("a signal that is not an AbortSignal is refused at once", () => {
  const source = () => ["{", "}"];
  for (const signal of [{}, "stop", 0, true, { aborted: false }, new AbortController()]) {
    const refused = { name: "TypeError", message: /^signal: / };
    for (const loop of [deltas, rawDeltas, events]) assert.throws(() => loop(source(), "a", { signal }), refused);
    assert.throws(() => snapshots(source(), { signal }), refused);
    assert.throws(() => providerEvents(source(), "auto", [], { signal }), refused);
    assert.throws(() => new FieldReader(source(), { signal }), refused);
    assert.throws(() => new FieldReader(source()).streamText("a", { signal }), refused);
  }
});

test("a signal that fails ends the loop", async () => {
  const signal = { aborted: false, addEventListener: () => assert.fail("no listeners"), removeEventListener: () => undefined };
  const loop = deltas(["{", "}"], "a", { signal });
  await assert.rejects(loop.next(), /no listeners/);
  assert.deepEqual(await loop.next(), { done: true, value: undefined });
});

test("a loop keeps nothing of its chunks, with a signal or without", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  const COUNT = 50_000;
  async function* source() {
    yield '{"a":[{"b":"';
    for (let at = 0; at < COUNT; at++) yield "some text";
    yield '"}]}';
  }
  // Returns the bytes that a loop has kept since its first chunks.
  const keptBy = async (name) => {
    const { signal } = new AbortController();
    const loop = LOOPS[name](source(), { signal, ...(name === "events" && { retain: "nothing" }) });
    let before = 0;
    for (let at = 0; at < COUNT - 10; at++) {
      await loop.next();
      if (at === 1000) {
        gc();
        before = process.memoryUsage().heapUsed;
      }
    }
    gc();
    const kept = process.memoryUsage().heapUsed - before;
    await loop.return();
    return kept;
  };
  for (const name of ["deltas", "rawDeltas", "events"]) {
    // The first pass also compiles, which takes memory of its own.
    await keptBy(name);
    const kept = await keptBy(name);
    assert.ok(kept < 1_000_000, `${name}: ${kept} bytes`);
  }
});

describe("an error", () => {
  /** Chunks in each kind of source; the last one fails with `failure` after them, if there is one. */
  const SOURCES = {
    "an iterator": function* (chunks, failure) {
      yield* chunks;
      if (failure) throw failure;
    },
    "a generator": async function* (chunks, failure) {
      for (const chunk of chunks) {
        await null;
        yield chunk;
      }
      if (failure) throw failure;
    },
    "a web stream": (chunks, failure) => {
      const rest = chunks.slice();
      const pull = (controller) => {
        if (rest.length > 0) controller.enqueue(rest.shift());
        else if (failure) controller.error(failure);
        else controller.close();
      };
      return new ReadableStream({ pull }, { highWaterMark: 0 });
    },
  };
  const asStream = (source) => (source instanceof ReadableStream ? source : ReadableStream.from(source));

  /** Each loop, and what a parser or a rewriter that is fed by hand makes of the same text before its error. */
  const READERS = {
    events: [(source) => events(source, ["a", "b[*]"]), (told) => joined(told), ({ reported }) => joined(reported)],
    EventStream: [(source) => asStream(source).pipeThrough(new EventStream(["a", "b[*]"])), (told) => joined(told), ({ reported }) => joined(reported)],
    deltas: [(source) => deltas(source, "a"), (texts) => texts.join(""), ({ text }) => text],
    rawDeltas: [(source) => rawDeltas(source, "b"), (texts) => texts.join(""), ({ raw }) => raw],
    snapshots: [(source) => snapshots(source), (values) => values.at(-1), ({ snapshot }) => snapshot],
    streamText: [(source) => new FieldReader(source).streamText("a"), (texts) => texts.join(""), ({ text }) => text],
    streamValues: [(source) => new FieldReader(source).streamValues("b"), (values) => values.at(-1), ({ snapshot }) => snapshot?.b],
    forEach: [(source) => new FieldReader(source).forEach("b"), (values) => values, ({ elements }) => elements],
    RewriteStream: [(source) => asStream(source).pipeThrough(new RewriteStream(RULES)), (texts) => texts.join(""), ({ rewritten }) => rewritten],
  };
  const RULES = [Rule.redact("a"), Rule.remove("c")];

  /** Feeds the chunks by hand, and ends the text unless its source has failed. */
  function byHand(chunks, isOfSource) {
    const parser = new Parser(["a", "b[*]", "raw:b"], { snapshots: true });
    const rewriter = new Rewriter(RULES);
    const all = [];
    let rewritten = "";
    const feeds = chunks.map((chunk) => (feed) => feed(chunk));
    for (const call of isOfSource ? feeds : [...feeds, (_, finish) => finish()]) {
      try {
        all.push(...call((chunk) => parser.feed(chunk), () => parser.finish()));
      } catch (error) {
        all.push(...error.events);
      }
      try {
        rewritten += call((chunk) => rewriter.write(chunk), () => rewriter.finish());
      } catch (error) {
        rewritten += error.output;
      }
    }
    const textOf = (place) => all.filter(({ kind, pattern }) => kind === "delta" && pattern === place).map(({ text }) => text).join("");
    const reported = all.filter(({ pattern }) => pattern < 2).map((event) => ({ ...event, matchId: event.path }));
    const elements = all.filter(({ kind, pattern }) => kind === "end" && pattern === 1).map(({ value }) => value);
    return { reported, text: textOf(0), raw: textOf(2), elements, snapshot: parser.snapshot(), rewritten };
  }

  const plain = (value) => JSON.stringify(value, (name, member) => (name === "matchId" ? undefined : member));

  for (const [name, [open, what, expectedOf]] of Object.entries(READERS)) {
    test(`comes after all that was read before it: ${name}`, async () => {
      const document = fc.record({ a: fc.string(), b: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }), c: fc.string() }).map((made) => JSON.stringify(made));
      const place = fc.double({ min: 0, max: 1, noNaN: true });
      const cuts = fc.oneof(sizes, fc.constant([1000]));
      await fc.assert(fc.asyncProperty(document, place, cuts, fc.constantFrom(...Object.keys(SOURCES)), fc.boolean(), async (text, share, list, kind, isOfSource) => {
        const at = Math.floor(share * text.length);
        const failure = isOfSource ? new Error("of the source") : undefined;
        const chunks = cut(isOfSource ? text.slice(0, at) : `${text.slice(0, at)}\u0001${text.slice(at)}`, list);
        const told = [];
        let thrown;
        try {
          for await (const item of open(SOURCES[kind](chunks, failure))) {
            told.push(item);
            // A reader that takes longer than the source gets no less.
            await new Promise(setImmediate);
          }
        } catch (error) {
          thrown = error;
        }
        // A field's loop ends with its field.
        if (thrown === undefined) assert.match(name, /^(?:stream|forEach)/);
        else if (isOfSource) assert.equal(thrown, failure);
        else assert.equal(thrown.name, name === "RewriteStream" ? "RewriteError" : "JsonSpigotError");
        assert.equal(plain(what(told)), plain(expectedOf(byHand(chunks, isOfSource))));
      }), { numRuns: 200 });
    });
  }
});
