// The reader of server-sent events at every cut: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import test from "node:test";

import { eventsOf } from "./sse.js";

const STREAM =
  ': hello\n\nevent: text\nid: 1\ndata: {"a":1}\n\n:\n\nid:2\ndata:  two: 2\n\n' +
  "event: done\ndata: Ørsted 👩‍👧\u2028\n\nevent: none\n\ndata: cut off\n";
const EVENTS = [
  { event: "text", data: '{"a":1}' },
  { event: "", data: " two: 2" },
  { event: "done", data: "Ørsted 👩‍👧\u2028" },
];

test("every pair of cuts gives the same events", async () => {
  const bytes = new TextEncoder().encode(STREAM);
  for (let first = 0; first <= bytes.length; first += 1) {
    for (let second = first; second <= bytes.length; second += 1) {
      const pieces = [bytes.slice(0, first), bytes.slice(first, second), bytes.slice(second)];
      const events = [];
      for await (const event of eventsOf(ReadableStream.from(pieces))) events.push(event);
      assert.deepEqual(events, EVENTS, `cut at ${first} and ${second}`);
    }
  }
});

test("leaving cancels the body", async () => {
  let isCancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(STREAM)),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const event of eventsOf(endless)) {
    assert.deepEqual(event, EVENTS[0]);
    break;
  }
  assert.ok(isCancelled);
});
