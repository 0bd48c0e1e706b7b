// Tool calls for users of any SDK. `calls.differential.test.mjs` holds them against the Rust library; here is what signals
// between programs can't ask.

import assert from "node:assert/strict";
import { test } from "node:test";

import { JsonSpigotError, lenient as tolerating, PatternError, ToolCalls } from "./all.mjs";

const text = (events) => events.filter(({ kind }) => kind === "delta").map((event) => event.text).join("");

test("arguments are reported by path while they arrive, and whole at the end", () => {
  const calls = new ToolCalls("city");
  assert.deepEqual(calls.start(0, { name: "get_weather", id: "call_1" }), [
    { kind: "call", call: 0, id: "call_1", name: "get_weather", choice: 0, executed: "client" },
  ]);
  assert.equal(text(calls.delta(0, '{"city": "Kö')), "Kö");
  assert.equal(text(calls.delta(0, 'ln"}')), "ln");
  assert.deepEqual(calls.finish("tool_calls"), [
    { kind: "input", call: 0, id: "call_1", name: "get_weather", executed: "client", status: "complete", raw: '{"city": "Köln"}', value: { city: "Köln" } },
  ]);
});

test("members that an SDK repeats with every chunk change nothing", () => {
  const calls = new ToolCalls();
  for (const [start, piece] of [[{ id: "a", name: "f" }, '{"x"'], [{ id: null, name: null }, ": 1"], [{}, "}"]]) {
    calls.start(0, start);
    calls.delta(0, piece);
  }
  const [end] = calls.finish("stop");
  assert.deepEqual([end.name, end.status, end.value], ["f", "complete", { x: 1 }]);
});

test("a cut call is never complete, and a number only if the end is regular", () => {
  const ended = (input, reason) => {
    const calls = new ToolCalls();
    calls.start("a", { name: "f" });
    calls.delta("a", input);
    return calls.finish(reason)[0];
  };
  assert.deepEqual([ended('{"a": "half', "max_tokens")].map(({ status, reason, value, error }) => [status, reason, value, error.kind]), [
    ["truncated", "max_tokens", undefined, "incomplete"],
  ]);
  assert.equal(ended("12", "max_tokens").status, "truncated");
  assert.equal(ended("12", "tool_calls").value, 12);
  assert.equal(ended('{"a":1}', "max_tokens").status, "complete");
  assert.deepEqual(ended("", "tool_calls").value, {});
  assert.deepEqual(ended('{"a":1,"a":2}', undefined).status, "malformed");
});

test("a repetition is compared without recursion, however long its strings are", () => {
  const long = "a".repeat(16_000_000);
  const calls = new ToolCalls();
  calls.start(0, { name: "f" });
  calls.delta(0, `{"a":"${long}"}`);
  assert.deepEqual(calls.whole(0, `{ "a": "${long}" }`), []);
  assert.equal(calls.finish("tool_calls")[0].status, "complete");
});

test("cumulative deltas cause one warning", () => {
  const kinds = (deltas, options) => {
    const calls = new ToolCalls([], options);
    calls.start(0, { name: "f" });
    return deltas.flatMap((delta) => calls.delta(0, delta)).map(({ kind }) => kind).filter((kind) => kind === "warning");
  };
  const repeated = ['{"a"', '{"a":1', '{"a":1,"b"', '{"a":1,"b":2}'];
  assert.deepEqual(kinds(repeated), ["warning"]);
  assert.deepEqual(kinds(repeated, { cumulative: true }), []);
  assert.deepEqual(kinds(['{"a"', ':1,"b"', ":2}"]), []);
});

test("endless white space is refused", () => {
  const kindOf = (count, options) => {
    const calls = new ToolCalls([], options);
    calls.start(0, { name: "f" });
    calls.delta(0, `{"a":1${" ".repeat(count)}`);
    return calls.finish("stop").at(-1).error.kind;
  };
  assert.equal(kindOf(70_000), "blank-limit");
  assert.equal(kindOf(70_000, { limits: { blank: 100_000 } }), "incomplete");
});

test("deviations are accepted with `accept`, and listed", () => {
  const calls = new ToolCalls([], { lenient: tolerating("model-output"), accept: true });
  calls.start(0, { name: "f" });
  calls.delta(0, '{"a": [1,]}');
  const [{ status, value, strict, deviations }] = calls.finish(null);
  assert.deepEqual([status, value, strict, deviations[0].kind], ["accepted", { a: [1] }, '{"a": [1]}', "trailing-commas"]);
});

test("half a surrogate pair waits for the other one", () => {
  const calls = new ToolCalls("a");
  calls.start(0);
  assert.equal(text(calls.delta(0, '{"a": "\ud83d')), "");
  assert.equal(text(calls.delta(0, '\ude00"}')), "😀");
  assert.deepEqual(calls.finish()[0].value, { a: "😀" });
});

test("a pair counts the same for the limit, however it is cut", () => {
  for (const input of ['"😀👍🏽"', '"👍\ud83d\ude00🏽', '"a\ud83d"', '"\ud83dx😀"', '"\ud83d\ud83d\ude00\ude00"', "\ud83d"]) {
    for (let inputBytes = 0; inputBytes < 20; inputBytes++) {
      const told = (pieces) => {
        const calls = new ToolCalls("$", { callLimits: { inputBytes } });
        const events = [...calls.start(0)];
        for (const piece of pieces) events.push(...calls.delta(0, piece));
        return [...events, ...calls.finish("stop")].filter(({ kind }) => kind !== "delta").map((event) => ({ ...event, error: event.error?.message }));
      };
      assert.deepEqual(told(input.split("")), told([input]), `${JSON.stringify(input)} ${inputBytes}`);
    }
  }
});

test("open calls have snapshots", () => {
  const calls = new ToolCalls([], { snapshots: true });
  calls.start(0, { name: "search" });
  calls.start(1, { name: "read" });
  assert.equal(calls.snapshot(0), undefined);
  calls.delta(0, '{"query": "stre');
  assert.deepEqual(calls.snapshot(0), { query: "stre" });
  assert.deepEqual(calls.openCalls.map(({ call, name }) => [call, name]), [[0, "search"], [1, "read"]]);
  calls.cutCall(0, "cancelled");
  assert.equal(calls.snapshot(0), undefined);
  assert.throws(() => {
    const blind = new ToolCalls();
    blind.start(0);
    blind.delta(0, "1");
    blind.snapshot(0);
  }, { kind: "invalid-option" });
});

test("tools have patterns of their own", () => {
  const calls = new ToolCalls("$..*", { tools: { write: "content" } });
  calls.start(0, { name: "write" });
  calls.start(1, { name: "read" });
  const kinds = (events) => events.map(({ path, kind }) => [path, kind]);
  assert.deepEqual(kinds(calls.delta(0, '{"path": 1, "content": 2,')), [["content", "begin"], ["content", "end"]]);
  assert.deepEqual(kinds(calls.delta(1, '{"path": 1,')), [["path", "begin"], ["path", "end"]]);
});

test("bad arguments are refused", () => {
  assert.throws(() => new ToolCalls("a["), PatternError);
  for (const options of [{ callLimits: { openCalls: -1 } }, { prototypeKeys: "reject" }, { nothing: 1 }, { duplicateKeys: "x" }]) {
    assert.throws(() => new ToolCalls([], options), (error) => error instanceof JsonSpigotError && error.kind === "invalid-option", JSON.stringify(options));
  }
  const calls = new ToolCalls();
  for (const slot of [-1, 1.5, null, [1], [1, 2, "x"].slice(0, 1), {}]) assert.throws(() => calls.start(slot), TypeError, String(slot));
  assert.throws(() => calls.delta(0, 1), TypeError);
  for (const start of [null, "get_weather", { name: 1 }, { id: 1 }, { input: {} }]) assert.throws(() => calls.start(9, start), TypeError);
  assert.throws(() => calls.finish(1), { name: "TypeError", message: "a reason is a string" });
});

/** Returns how many units are parsed by the way, while a function runs. */
function parsedBy(run) {
  const { parse } = JSON;
  let units = 0;
  JSON.parse = (text, ...others) => {
    units += text.length;
    return parse(text, ...others);
  };
  try {
    run();
  } finally {
    JSON.parse = parse;
  }
  return units;
}

test("a long value that is repeated in many spellings is parsed once for each as long", () => {
  const calls = new ToolCalls();
  calls.start(0, { name: "f" });
  const text = `1.${"0".repeat(4000)} ${"1.0 ".repeat(1000)}`;
  calls.delta(0, text);
  const units = parsedBy(() => {
    const [end] = calls.finish().slice(-1);
    assert.deepEqual([end.status, end.values.length, end.repeated], ["trailing", 1001, true]);
  });
  assert.ok(units < 5 * text.length, `${units} units`);
});

test("white space between values is looked at once", () => {
  // Otherwise this takes an hour.
  const calls = new ToolCalls([], { limits: { blank: 4_000_000 } });
  calls.start(0, { name: "f" });
  calls.delta(0, ` 1${" ".repeat(2_000_000)}\f\n2 `);
  assert.deepEqual(calls.finish().at(-1).values, undefined);
  calls.start(0, { name: "g" });
  calls.delta(0, ` 1${" ".repeat(2_000_000)}\n2 `);
  assert.deepEqual(calls.finish().at(-1).values, [1, 2]);
});

test("many fragments take no longer than their text", () => {
  const calls = new ToolCalls("a");
  calls.start(0, { name: "f" });
  calls.delta(0, '{"a": "');
  const begun = performance.now();
  for (let left = 300_000; left > 0; left--) calls.delta(0, "x");
  const took = performance.now() - begun;
  calls.delta(0, '"}');
  const [end] = calls.finish().slice(-1);
  assert.equal(end.value.a.length, 300_000);
  assert.ok(took < 20_000, `${took} ms`);
});
