// Saved state of tool calls and envelopes: what the differential tests, which hold it against the library's byte by byte, can't
// ask. That is half a surrogate pair, and bytes that nobody has saved.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Documents, Envelope, JsonSpigotError, ToolCalls } from "../dist/index.js";
import { Digest } from "../dist/saved/digest.js";
import { edited, edits } from "./edits.mjs";

const HEADER = 26;

/** A state with another body, whose header says so. */
function resealed(state, body) {
  const bytes = Uint8Array.from([...state.subarray(0, HEADER), ...body]);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(14, BigInt(body.length), true);
  view.setUint32(22, new Digest().addBytes(bytes.subarray(5, 22)).addBytes(bytes.subarray(HEADER)).folded, true);
  return bytes;
}

/** What a call returns or throws, with errors as what they say. */
function attempt(call) {
  const plain = (value) => (value instanceof Error ? { ...value, message: value.message } : value);
  try {
    return JSON.parse(JSON.stringify(call(), (_, value) => plain(value)));
  } catch (error) {
    assert.ok(error instanceof JsonSpigotError, error);
    return { thrown: plain(error) };
  }
}

const CALLS = [
  [0, '{"city": "K'],
  [0, "\ud83d"],
  [0, '\ude00ln", '],
  [1, "text \ud83d"],
  [1, "\ude00"],
  [2, '{"a": "\ud83d'],
  [2, '"}'],
  ["\ud800", '{"city": 1'],
  [0, '"days": [1, 2'],
];

const STARTS = [
  [0, { name: "plan", id: "c\ud83d" }],
  [1, { name: "run", raw: true, executed: "provider" }],
  [2, { input: '{"a": "\udc00"}' }],
  ["\ud800", { name: "\udc01" }],
];

describe("saved tool calls", () => {
  test("tell what others tell, half a pair or not", () => {
    const options = { tools: { plan: ["city"], run: [] } };
    const others = new ToolCalls("a", options);
    let calls = new ToolCalls("a", options);
    const both = (call) => {
      assert.deepEqual(attempt(() => call(calls)), attempt(() => call(others)));
      calls = ToolCalls.restore("a", calls.save(), options);
      assert.deepEqual(calls.openCalls, others.openCalls);
    };
    for (const [slot, start] of STARTS) both((calls) => calls.start(slot, start));
    for (const [slot, piece] of CALLS) both((calls) => calls.delta(slot, piece));
    both((calls) => calls.whole(0, '{"city": "K😀ln", "days": [1, 2]}'));
    both((calls) => calls.stop(2));
    both((calls) => calls.delta(9, "nobody's"));
    both((calls) => calls.cutCall(1, "timeout"));
    both((calls) => calls.finish("tool_calls"));
    both((calls) => calls.beginMessage());
  });

  test("show what had come", () => {
    const calls = new ToolCalls([], { snapshots: true });
    calls.start(0);
    calls.delta(0, '{"a": [1, "x');
    assert.deepEqual(ToolCalls.restore([], calls.save(), { snapshots: true }).snapshot(0), { a: [1, "x"] });
  });

  test("are refused where they are others'", () => {
    const state = new ToolCalls("a").save();
    assert.throws(() => ToolCalls.restore("b", state), { kind: "other-patterns" });
    assert.throws(() => ToolCalls.restore("a", state, { tools: { f: "b" } }), { kind: "other-patterns" });
    assert.throws(() => ToolCalls.restore("a", state, { cumulative: true }), { kind: "other-choices" });
    assert.throws(() => Documents.restore("lines", "a", state), { kind: "other-kind" });
    assert.throws(() => Envelope.restore("bare", "a", state), { kind: "other-kind" });
    assert.throws(() => ToolCalls.restore("a", "state"), TypeError);
  });

  test("are bytes of any kind, or an error", () => {
    const states = [];
    const calls = new ToolCalls("a", { callLimits: { openCalls: 3 } });
    for (const [slot, start] of [[0, { id: "c1", name: "f" }], [1, { input: "{}" }], ["c3", {}], [4, {}]]) calls.start(slot, start);
    for (const [slot, piece] of [[0, '{"a": [1'], [9, "x"], [1, '{"a": 1}'], ["c3", "["]]) {
      calls.delta(slot, piece);
      states.push(calls.save());
    }
    calls.whole(1, '{ "a":1.0}');
    calls.stop("c3");
    states.push(calls.save());
    let restored = 0;
    const check = (which, list) => {
      const state = states[which];
      const made = resealed(state, edited(state.subarray(HEADER), list));
      const given = attempt(() => {
        const calls = ToolCalls.restore("a", made, { callLimits: { openCalls: 3 } });
        restored += 1;
        ToolCalls.restore("a", calls.save(), { callLimits: { openCalls: 3 } });
        return [calls.start(7, { id: "c1" }), calls.delta(0, "]}"), calls.stop(1), calls.finish("stop"), calls.beginMessage(), calls.delta(0, "x")];
      });
      if (given.thrown) assert.equal(given.thrown.kind, "impossible");
    };
    fc.assert(fc.property(fc.nat(states.length - 1), edits, check), { numRuns: 4000 });
    assert.ok(restored > 10, String(restored));
  });
});

const MARKS = ["tag:think", "fence:*", "between:[A]:[B]", "between:<<:>>:led", "bare"];
const TEXTS = [
  'Well, <think>1 < 2</think> see ```json\n{"a": [1, "``` 😀"]}\n``` ',
  '[A]{"a":-[B] and [A] {"a": 1} [B] [1] {"b": [true]} {x <<f{"a": 1}>> ',
  '```js\nlet a = [\n````\n```\n<think>{"a": 1}x</think><think>{"a',
];

describe("a saved envelope", () => {
  test("tells what another tells, at any cut of a string or of bytes", () => {
    for (const whole of [...TEXTS, ...TEXTS.map((text) => new TextEncoder().encode(text)), "a \ud83d😀", Uint8Array.of(60, 0xc3, 0x28)]) {
      for (const startsInside of [false, true]) {
        const options = { startsInside, payloadLimit: 20, holdLimit: 24 };
        const others = new Envelope(MARKS, "a", options);
        let envelope = new Envelope(MARKS, "a", options);
        // The line is not saved.
        const unplaced = (given) => (given.thrown ? { ...given.thrown, line: 0, column: 0, message: "", events: given.thrown.events } : given);
        const both = (call) => {
          assert.deepEqual(unplaced(attempt(() => call(envelope))), unplaced(attempt(() => call(others))), String(whole));
          envelope = Envelope.restore(MARKS, "a", envelope.save(), options);
        };
        for (let at = 0; at < whole.length; at++) both((envelope) => envelope.feed(whole.slice(at, at + 1)));
        both((envelope) => envelope.finish());
        both((envelope) => envelope.feed("again {"));
      }
    }
  });

  test("goes on inside a fence, however little may be held, and after a number at its limits", () => {
    const atLimit = { lenient: ["comments"], accept: true, payloadLimit: 2, limits: { total: 2 } };
    for (const [mark, text, options] of [
      ...[0, 1, 2, 3].map((holdLimit) => ["fence:json", '{"a": 1}\n`` ````` after', { startsInside: true, holdLimit }]),
      ...[" ", ",", "]", "<"].map((next) => ["tag:t:json", `<t>12${next}</t> after`, atLimit]),
    ]) {
      const told = [false, true].map((isSaved) => {
        let envelope = new Envelope(mark, "a", options);
        const events = [];
        for (const piece of text) {
          events.push(...envelope.feed(piece));
          if (isSaved) envelope = Envelope.restore(mark, "a", envelope.save(), options);
        }
        return attempt(() => [...events, ...envelope.finish()]);
      });
      assert.deepEqual(told[1], told[0], text);
      assert.equal(told[0].at(-1).text, "r");
    }
  });

  test("is refused where it is another's", () => {
    const state = new Envelope("bare", "a").save();
    assert.throws(() => Envelope.restore("bare:object", "a", state), { kind: "other-choices" });
    assert.throws(() => Envelope.restore("bare", "b", state), { kind: "other-patterns" });
    assert.throws(() => Envelope.restore("bare", "a", state, { holdLimit: 1 }), { kind: "other-choices" });
    assert.throws(() => Envelope.restore("bare", "a", state, { payloadLimit: Infinity }), { kind: "other-choices" });
    assert.throws(() => ToolCalls.restore("a", state), { kind: "other-kind" });
    assert.deepEqual(new Envelope("between:a:b:json").save(), new Envelope("between:a:b").save(), "they are the same");
  });

  test("is bytes of any kind, or an error", () => {
    const states = [];
    for (const text of TEXTS) {
      for (const accept of [false, true]) {
        const options = { payloadLimit: 20, lenient: "model-output", accept, duplicateKeys: "reject" };
        const envelope = new Envelope(MARKS, "a", options);
        for (const unit of text) {
          envelope.feed(unit);
          states.push({ state: envelope.save(), options });
        }
      }
    }
    let restored = 0;
    const check = (which, list) => {
      const { state, options } = states[which];
      const made = resealed(state, edited(state.subarray(HEADER), list));
      const given = attempt(() => {
        const envelope = Envelope.restore(MARKS, "a", made, options);
        restored += 1;
        Envelope.restore(MARKS, "a", envelope.save(), options);
        return [envelope.feed('"]} -->[B]'), envelope.feed("```</think> {"), envelope.finish()];
      });
      if (given.thrown) assert.equal(given.thrown.kind, "impossible");
    };
    fc.assert(fc.property(fc.nat(states.length - 1), edits, check), { numRuns: 4000 });
    assert.ok(restored > 50, String(restored));
  });
});
