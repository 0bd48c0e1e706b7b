// A stored conversation as messages: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import test from "node:test";

import { stateOf } from "./history.js";
import { Merger } from "./merge.js";

test("texts, calls, results, the open question and the context are shown, and the stream goes on behind", () => {
  const state = stateOf({
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "t1", name: "find", input: { city: "Pune" } },
          { type: "tool_use", id: "t2", name: "find", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t2", content: "no city", is_error: true },
          { type: "tool_result", tool_use_id: "t1", content: '{"found":[1]}', is_error: false },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "Which one?" }] },
    ],
    context: { preferences: { cuisine: "thai" } },
    asking: { message: "Which one?", type: "single_choice", options: ["a", "b"] },
    lastChunkId: 40,
  });
  const merger = Merger.from(state);
  assert.deepEqual(merger.messages().map(({ type, props }) => [type, props]), [
    ["user", { content: "Hi" }],
    ["text", { content: "I look." }],
    ["tool_call", { id: "t1", name: "find", input: { city: "Pune" }, status: "done", result: { found: [1] } }],
    ["tool_call", { id: "t2", name: "find", input: {}, status: "failed", error: "no city" }],
    ["ask", { ask_slots: [{ message: "Which one?", type: "single_choice", options: ["a", "b"] }] }],
    ["context", { preferences: { cuisine: "thai" } }],
  ]);
  assert.equal(merger.apply({ type: "text", chunk_id: 41, props: { content: "!" } }).outcome, "merged");
  assert.equal(merger.messages().at(-1).chunk_id, 41);
});

test("an empty history is an empty state", () => {
  assert.deepEqual(stateOf({ messages: [], context: {}, asking: null, lastChunkId: 0 }), { lastChunkId: 0, messages: [] });
});
