// The reader of server-sent events at every cut: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import test from "node:test";

import { SseReader, eventsOf } from "./sse.js";

const STREAM =
  ': hello\n\nevent: text\nid: 1\ndata: {"a":1}\n\nid:2\r\ndata:  two\r\ndata\r\ndata:three: 3\r\n\r\n' +
  "retry: 9\revent: done\rdata: Ørsted 👩‍👧\r\runknown\nevent: none\n\ndata: cut off\n";
const EVENTS = [
  { event: "text", data: '{"a":1}', id: "1" },
  { event: "message", data: " two\n\nthree: 3", id: "2" },
  { event: "done", data: "Ørsted 👩‍👧", id: "2" },
];

const read = ({ event, data, id }) => ({ event, data, id });

test("every pair of cuts gives the same events", () => {
  for (let first = 0; first <= STREAM.length; first += 1) {
    for (let second = first; second <= STREAM.length; second += 1) {
      const reader = new SseReader();
      const pieces = [STREAM.slice(0, first), STREAM.slice(first, second), "", STREAM.slice(second)];
      assert.deepEqual(pieces.flatMap((piece) => reader.push(piece)).map(read), EVENTS, `cut at ${first} and ${second}`);
    }
  }
});

test("bytes may be cut inside a character, and leaving cancels", async () => {
  const bytes = new TextEncoder().encode(STREAM);
  let isCancelled = false;
  const body = () =>
    new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
  const events = [];
  for await (const event of eventsOf(body())) events.push(read(event));
  assert.deepEqual(events, EVENTS);
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(bytes),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const event of eventsOf(endless)) {
    assert.deepEqual(read(event), EVENTS[0]);
    break;
  }
  assert.ok(isCancelled);
});
