// When what could be shown: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import test from "node:test";

import { Timing, span } from "./timing.js";

const whole = (type, props, message_id, at, more) => ({
  at,
  chunk: { type, props, message_id, block_id: "b", ...more },
});
const delta = (type, path, props, message_id, at, more) =>
  whole(type, props, message_id, at, { delta: true, delta_path: path, delta_action: "set", ...more });

function told(entries) {
  const timing = new Timing();
  timing.begin(100);
  for (const entry of entries) timing.take(entry);
  return timing;
}

const end = (type, path, message_id, at) => delta(type, path, null, message_id, at, { delta_action: "end" });

const short = (timing) =>
  timing.parts.map(({ name, fields }) => {
    const all = [...fields.values()];
    const [first, complete] = [Math.min(...all.map((it) => it.first)), Math.max(...all.map((it) => it.complete))];
    return [name, first, complete, all.every((it) => it.isWhole)];
  });

test("what a cut takes back is not listed", () => {
  const text = (at) => whole("text", { content: "Hi" }, `m${at}`, at, { chunk_id: at });
  const cut = { at: 120, chunk: { type: "cut", chunk_id: 120, props: { from: 112 } } };
  assert.deepEqual(short(told([text(110), text(115), cut, text(125)])), [
    ["Text", 10, 10, true],
    ["Text", 25, 25, true],
  ]);
});

test("the first character and the last, of what a person reads", () => {
  const timing = told([
    whole("user", { content: "Hi" }, "u", 101),
    whole("loading", { message: "…" }, "l", 102),
    whole("text", { content: "" }, "m", 110),
    delta("text", "/content", "Hel", "m", 120),
    delta("text", "/content", "lo", "m", 150),
    end("text", "/content", "m", 155),
    whole("tool_call", { name: "find", status: "input", input: {} }, "t", 160),
    delta("tool_call", "/input/city", "", "t", 170),
    delta("tool_call", "/input/city", "Pune", "t", 180),
    delta("tool_call", "/raw/0/text", "x", "t", 185),
    delta("tool_call", "/status", "running", "t", 190),
    delta("tool_call", "", { status: "done", result: 1 }, "t", 300),
  ]);
  assert.deepEqual(short(timing), [
    ["Text", 20, 55, true],
    // The call was cut: no end of its input was sent.
    ["Tool find", 80, 80, false],
  ]);
  assert.deepEqual([timing.elapsed, timing.end, timing.isBroken], [200, undefined, false]);
});

test("of a form everything is complete but what is open", () => {
  const entries = [
    whole("form", { value: null, raw: "", status: "filling" }, "attempt-1", 105),
    delta("form", "/value/title", "A", "attempt-1", 110),
    delta("form", "/open", "/title", "attempt-1", 111),
    delta("form", "/raw", "x", "attempt-1", 112),
  ];
  assert.deepEqual(short(told(entries)), [["Form", 10, 10, false]]);
  entries.push(delta("form", "/open", "", "attempt-1", 120));
  assert.deepEqual(short(told(entries)), [["Form", 10, 10, false]]);
  entries.push(delta("form", "/open", null, "attempt-1", 130));
  assert.deepEqual(short(told(entries)), [["Form", 10, 30, true]]);
});

test("each field has its own times, by its whole path", () => {
  const timing = told([
    whole("ask", {}, "a", 101),
    delta("ask", "/reasoning", "W", "a", 110),
    delta("ask", "/reasoning", "hy", "a", 130),
    end("ask", "/reasoning", "a", 135),
    delta("ask", "/ask_slots", [{ message: "" }], "a", 140),
    delta("ask", "/ask_slots/0/message", "Which", "a", 150),
    delta("ask", "/ask_slots/0/message", "?", "a", 160),
    end("ask", "/ask_slots/0/message", "a", 165),
    delta("ask", "/ask_slots/0/options", ["a", "b"], "a", 170),
    delta("ask", "/ask_slots/1", { "a/b": { "c~": 1 }, message: "M" }, "a", 180),
  ]);
  const fields = () =>
    [...timing.parts[0].fields.values()].map(({ path, first, complete, isWhole }) => [path, first, complete, isWhole]);
  assert.deepEqual(fields(), [
    ["/reasoning", 10, 35, true],
    ["/ask_slots/0/message", 50, 65, true],
    ["/ask_slots/0/options", 70, 70, true],
    ["/ask_slots/1/a~1b/c~0", 80, 80, true],
    ["/ask_slots/1/message", 80, 80, true],
  ]);
  const many = Array.from({ length: 300 }, (_, at) => delta("ask", `/f/${at}`, "x", "a", 200 + at));
  assert.equal(told(many).parts[0].fields.size, 200, "there is an end to that");
});

test("what has no end is not complete, whatever follows it", () => {
  const entries = [
    whole("text", { content: "a" }, "1", 110),
    delta("text", "/content", "b", "2", 120, { delta_action: "append" }),
    whole("text", { content: "c" }, "3", 130),
  ];
  for (const type of ["error", "done"]) {
    const ended = told([...entries, whole(type, {}, undefined, 140)]);
    assert.deepEqual([short(ended).map((part) => part[3]), ended.elapsed], [[true, false, true], 40]);
    assert.equal(ended.isBroken, type === "error");
  }
});

test("times in words", () => {
  assert.deepEqual([span(0), span(999.4), span(1000), span(61_234)], ["0 ms", "999 ms", "1.00 s", "61.23 s"]);
});
