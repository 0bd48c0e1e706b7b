// Sources and streams: one chunk at a time, cancelled by leaving the loop, errors after the events.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { deltas, events, EventStream, Parser, snapshots } from "../dist/index.js";
import { providerEvents } from "../dist/providers/index.js";
import { cut, joined, sizes, text } from "./texts.mjs";

const bytes = (whole) => new TextEncoder().encode(whole);
const TEXT = '{"title":"Gr€at 😀","items":[{"n":1},{"n":2}]}';

async function all(iterable) {
  const list = [];
  for await (const each of iterable) list.push(each);
  return list;
}

async function* slowly(chunks) {
  for (const chunk of chunks) {
    await null;
    yield chunk;
  }
}

const stream = (chunks) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

const SOURCES = {
  "a string": (chunks) => chunks.map((chunk) => (typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk))).join(""),
  "an array": (chunks) => chunks,
  "a generator": (chunks) => slowly(chunks),
  "a web stream": (chunks) => stream(chunks),
  "a response": (chunks) => new Response(stream(chunks.map((chunk) => (typeof chunk === "string" ? bytes(chunk) : chunk)))),
};

describe("sources", () => {
  for (const [name, source] of Object.entries(SOURCES)) {
    test(name, async () => {
      assert.equal((await all(deltas(source(cut(TEXT, [5])), "title"))).join(""), "Gr€at 😀");
      const told = await all(events(source(cut(TEXT, [5])), ["items[*].n", "title"]));
      const parser = new Parser(["items[*].n", "title"]);
      assert.deepEqual(joined(told), joined(parser.feed(TEXT).concat(parser.finish())));
      const shown = await all(snapshots(source(cut(TEXT, [5]))));
      assert.deepEqual(shown.at(-1), JSON.parse(TEXT));
    });
  }
  test("bytes in one piece, and a response without a body", async () => {
    assert.deepEqual((await all(snapshots(bytes(TEXT)))).at(-1), JSON.parse(TEXT));
    await assert.rejects(all(events(new Response(null), "$")), { kind: "incomplete", offset: 0 });
  });
  test("results do not depend on the cut", async () => {
    await fc.assert(fc.asyncProperty(text, sizes, async (whole, list) => {
      const options = { limits: { depth: 1000 } };
      const chunks = cut(bytes(whole), list);
      const parser = new Parser("$..*", options);
      const expected = joined(parser.feed(whole).concat(parser.finish()));
      assert.deepEqual(joined(await all(events(slowly(chunks), "$..*", options))), expected);
      assert.deepEqual(joined(await all(stream(chunks).pipeThrough(new EventStream("$..*", options)))), expected);
      assert.deepEqual((await all(snapshots(stream(cut(whole, list)), options))).at(-1), JSON.parse(whole));
    }), { numRuns: 100 });
  });
});

/** Returns a source that records how much of it was taken, and how it ended. */
function watched(chunks, forever = false) {
  const log = { taken: 0, ended: 0, reason: undefined };
  const iterable = {
    log,
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        if (log.taken < chunks.length) return { done: false, value: chunks[log.taken++] };
        return forever ? new Promise(() => undefined) : { done: true, value: undefined };
      },
      return: async () => {
        log.ended += 1;
        return { done: true, value: undefined };
      },
    }),
  };
  return iterable;
}

function watchedStream(chunks, forever = false) {
  const log = { taken: 0, ended: 0, reason: undefined };
  const made = new ReadableStream(
    {
      pull(controller) {
        if (log.taken < chunks.length) controller.enqueue(chunks[log.taken++]);
        else if (!forever) controller.close();
        else return new Promise(() => undefined);
      },
      cancel(reason) {
        log.ended += 1;
        log.reason = reason;
      },
    },
    { highWaterMark: 0 },
  );
  return Object.assign(made, { log });
}

for (const [name, open] of [["an iterator", watched], ["a web stream", watchedStream]]) {
  describe(name, () => {
    const chunks = cut(TEXT, [1]);

    test("is asked for a chunk once the last one is read", async () => {
      const source = open(chunks);
      const told = events(source, "title");
      assert.equal(source.log.taken, 0);
      await told.next();
      // The begin of the title: its quote is the tenth unit.
      assert.equal(source.log.taken, 10);
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(source.log.taken, 10);
      assert.equal((await told.next()).value.text, "G");
      assert.equal(source.log.taken, 11);
      await told.return();
    });

    test("is cancelled by leaving the loop", async () => {
      for (const loop of [(source) => events(source, "title"), (source) => deltas(source, "title"), (source) => snapshots(source)]) {
        const source = open(chunks, true);
        for await (const _ of loop(source)) break;
        assert.equal(source.log.ended, 1);
        assert.ok(source.log.taken <= 11);
        if (source instanceof ReadableStream) assert.equal(source.locked, false);
      }
    });

    test("is cancelled by an error in the text, which follows the events", async () => {
      const source = open(['{"title":"ab', 'c","items":[x', "]}"], true);
      const told = [];
      await assert.rejects(
        async () => {
          for await (const event of events(source, ["title", "items[*]"])) told.push(event);
        },
        { name: "JsonSpigotError", kind: "unexpected-byte", offset: 24 },
      );
      assert.deepEqual(told.map((event) => event.text ?? event.kind), ["begin", "ab", "c", "end"]);
      assert.equal(source.log.ended, 1);
      assert.equal(source.log.taken, 2);
    });

    test("ends with the signal's reason, also while it waits", async () => {
      const abort = new AbortController();
      const reason = new Error("enough");
      const source = open(chunks.slice(0, 12), true);
      const told = [];
      const ended = assert.rejects(
        async () => {
          for await (const event of events(source, "title", { signal: abort.signal })) told.push(event.kind);
        },
        (error) => error === reason,
      );
      await new Promise((resolve) => setTimeout(resolve, 10));
      assert.deepEqual(told, ["begin", "delta", "delta"]);
      abort.abort(reason);
      await ended;
      assert.equal(source.log.ended, 1);
      if (source instanceof ReadableStream) {
        assert.equal(source.log.reason, reason);
        assert.equal(source.locked, false);
      }
    });

    test("is not opened if the signal is already aborted", async () => {
      const source = open(chunks);
      await assert.rejects(all(snapshots(source, { signal: AbortSignal.abort() })), { name: "AbortError" });
      assert.equal(source.log.taken, 0);
      // The caller has opened a stream already.
      if (source instanceof ReadableStream) assert.equal(source.log.ended, 1);
    });

    test("passes its own error on", async () => {
      const broken = new Error("the line is dead");
      const source =
        open === watched
          ? (async function* () {
              yield '{"title":"a';
              throw broken;
            })()
          : new ReadableStream({
              pull(controller) {
                if (!this.begun) controller.enqueue('{"title":"a');
                else controller.error(broken);
                this.begun = true;
              },
            }, { highWaterMark: 0 });
      const told = [];
      await assert.rejects(async () => {
        for await (const delta of deltas(source, "title")) told.push(delta);
      }, (error) => error === broken);
      assert.deepEqual(told, ["a"]);
    });
  });
}

test("a signal keeps no listener once its stream has ended", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...all) => (listeners++, add(...all));
  signal.removeEventListener = (...all) => (listeners--, remove(...all));
  await all(events(slowly(cut(TEXT, [3])), "title", { signal }));
  await all(events(stream(cut(TEXT, [3])), "title", { signal }));
  assert.equal(listeners, 0);
});

describe("snapshots", () => {
  test("are yielded once for each chunk that changes something, and share parts", async () => {
    const shown = await all(snapshots(slowly(['{"a":{"x":1', ',"y', '":2},', ' "b', '":"c', "\\", 'n"}', "\n"])));
    assert.deepEqual(shown, [
      { a: {} }, { a: { x: 1 } }, { a: { x: 1, y: 2 } }, { a: { x: 1, y: 2 }, b: "c" }, { a: { x: 1, y: 2 }, b: "c\n" },
    ]);
    assert.equal(shown[3].a, shown[2].a);
  });
  test("return the complete value", async () => {
    const loop = snapshots(slowly(cut(TEXT, [7])));
    let next;
    do next = await loop.next();
    while (!next.done);
    assert.deepEqual(next.value, JSON.parse(TEXT));
  });
  test("show the value before an error, then throw it", async () => {
    const shown = [];
    await assert.rejects(async () => {
      for await (const snapshot of snapshots(['{"a":[1,2', ",3,x]}"])) shown.push(snapshot);
    }, { kind: "unexpected-byte", offset: 12 });
    assert.deepEqual(shown.at(-1), { a: [1, 2, 3] });
  });
});

describe("EventStream", () => {
  test("takes no more chunks than its reader asks for", async () => {
    const source = watchedStream(cut(TEXT, [1]));
    const reader = source.pipeThrough(new EventStream("title")).getReader();
    const first = await reader.read();
    assert.equal(first.value.kind, "begin");
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(source.log.taken <= 13, String(source.log.taken));
    await reader.cancel("enough");
    // The pipe passes it on in its own time.
    while (source.log.ended === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.equal(source.log.reason, "enough");
  });
  test("fails after the events before the error", async () => {
    const told = [];
    await assert.rejects(async () => {
      for await (const event of stream(['{"title":"ab', "\n"]).pipeThrough(new EventStream("title"))) told.push(event.kind);
    }, { kind: "control-character" });
    assert.deepEqual(told, ["begin", "delta"]);
    await assert.rejects(all(stream(['{"title":"ab']).pipeThrough(new EventStream("title"))), { kind: "incomplete" });
    assert.throws(() => new EventStream("a["), { kind: "invalid-pattern" });
  });
});

test("a value that is no source is refused by name, above all a promise", async () => {
  for (const source of [undefined, 1, {}, () => [], Promise.resolve(new Response("1"))]) {
    for (const reading of [deltas(source, "a"), events(source, "a"), snapshots(source), providerEvents(source, "auto")]) {
      await assert.rejects(all(reading), /^TypeError: a source is .* is an `await` missing\?$/);
    }
  }
});

test("the body of a failed request is not parsed", async () => {
  const failed = () => new Response('{"error":"not found"}', { status: 404 });
  for (const read of [() => all(events(failed(), "a")), () => all(snapshots(failed()))]) {
    await assert.rejects(read, { kind: "response", message: /status 404/ });
  }
});

describe("after a stop", () => {
  const call = '{"calls":[{"run":1},{"run":2},{"run":3}]}';
  for (const [name, source] of [["in one chunk", () => [call]], ["in pieces", () => [call.slice(0, 22), call.slice(22)]]]) {
    test(`nothing that is complete is reported, ${name}`, async () => {
      const controller = new AbortController();
      const seen = [];
      let hasEnded = false;
      async function* chunks() {
        try {
          yield* source();
          yield " ";
        } finally {
          hasEnded = true;
        }
      }
      const reading = (async () => {
        for await (const event of events(chunks(), "calls[*]", { signal: controller.signal })) {
          if (event.kind !== "end") continue;
          seen.push(event.value.run);
          controller.abort(new Error("stop"));
        }
      })();
      await assert.rejects(reading, /stop/);
      assert.deepEqual([seen, hasEnded], [[1], true]);
    });
  }
  test("no text follows either", async () => {
    const controller = new AbortController();
    const seen = [];
    const reading = (async () => {
      for await (const text of deltas(['["a","b"]'], "[*]", { signal: controller.signal })) {
        seen.push(text);
        controller.abort();
      }
    })();
    await assert.rejects(reading, { name: "AbortError" });
    assert.deepEqual(seen, ["a"]);
  });
});

test("deltas refuses the options that it does not have", async () => {
  const read = async (options) => {
    let all = "";
    for await (const text of deltas(['{"a":"xyz"}'], "a", options)) all += text;
    assert.equal(all, "xyz");
  };
  await read({ duplicateKeys: "reject" });
  await assert.rejects(read({ limits: { string: 2 } }), { kind: "string-limit" });
  await assert.rejects(read({ lenient: "model-output" }), { kind: "invalid-option", message: /lenient.*events/s });
});
