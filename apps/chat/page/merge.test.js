// The merger against `tests/golden/`: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Merger, applied } from "./merge.js";

const golden = (name) => JSON.parse(readFileSync(new URL(`../tests/golden/${name}.json`, import.meta.url), "utf8"));
const NAMES = "plain streamed one_block three_blocks three_threads loading failed cut without_action".split(" ");

function merged(chunks) {
  const merger = new Merger();
  for (const chunk of chunks) {
    const { outcome, refused } = merger.apply(structuredClone(chunk));
    assert.deepEqual([outcome === "gap", refused], [false, undefined]);
  }
  return merger;
}

// Absent members are left out, as the golden files have it.
const messages = (merger) => JSON.parse(JSON.stringify(merger.messages()));

/** Orders that are the same each time. */
function* shuffles(length) {
  let state = 0x9e3779b9;
  const below = (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
  for (let turn = 0; turn < 500; turn += 1) {
    const order = [...Array(length).keys()];
    for (let last = length - 1; last > 0; last -= 1) {
      const other = below(last + 1);
      [order[last], order[other]] = [order[other], order[last]];
    }
    yield order;
  }
}

test("each scenario gives its messages", () => {
  for (const name of NAMES) {
    const { chunks, messages: expected } = golden(name);
    const merger = merged(chunks);
    assert.deepEqual([messages(merger), merger.lastChunkId], [expected, chunks.length], name);
  }
});

test("a repeated chunk changes nothing at any moment", () => {
  for (const name of NAMES) {
    const { chunks } = golden(name);
    const merger = new Merger();
    for (const [at, chunk] of chunks.entries()) {
      assert.equal(merger.apply(chunk).outcome, "merged");
      const before = messages(merger);
      for (const earlier of chunks.slice(0, at + 1)) assert.equal(merger.apply(earlier).outcome, "repeated");
      assert.deepEqual(messages(merger), before, name);
    }
  }
});

test("a missing chunk is noticed, and reading on from there gives the same", () => {
  for (const name of NAMES) {
    const { chunks, messages: expected } = golden(name);
    for (const missing of chunks.keys()) {
      const merger = merged(chunks.slice(0, missing));
      const before = messages(merger);
      for (const later of chunks.slice(missing + 1)) assert.equal(merger.apply(later).outcome, "gap");
      assert.deepEqual([merger.lastChunkId, messages(merger)], [missing, before]);
      for (const chunk of chunks.slice(merger.lastChunkId)) merger.apply(structuredClone(chunk));
      assert.deepEqual(messages(merger), expected, `${name} without ${missing}`);
    }
  }
});

test("what is reported as changed is enough to keep a copy", () => {
  for (const { chunks } of NAMES.map(golden)) {
    const merger = new Merger();
    const copy = new Map();
    for (const chunk of chunks) {
      const { message } = merger.apply(chunk);
      if (message) copy.set(message.chunk_id, structuredClone(message));
      assert.deepEqual(
        merger.messages().map(({ chunk_id: id }) => copy.get(id)),
        merger.messages(),
      );
    }
  }
});

test("threads may be sent in any order", () => {
  const byName = (list) => Object.fromEntries(list.map((message) => [message.message_id, { ...message, chunk_id: 0 }]));
  const { chunks, messages: expected } = golden("three_threads");
  for (const order of shuffles(chunks.length)) {
    const threadOf = (at) => chunks[at].thread_id;
    const queues = new Map(chunks.map(({ thread_id: id }) => [id, chunks.filter((other) => other.thread_id === id)]));
    const sent = order.map((at) => queues.get(threadOf(at)).shift());
    const merger = merged(sent.map((chunk, at) => ({ ...chunk, chunk_id: at + 1 })));
    assert.deepEqual(byName(messages(merger)), byName(expected), `${order}`);
  }
});

test("each action does what is documented, or refuses and changes nothing", () => {
  for (const { props, action, path, operand, gives, refused } of golden("actions").cases) {
    const what = `${action} at ${path} of ${JSON.stringify(props)}`;
    const changed = structuredClone(props);
    if (refused) {
      assert.throws(() => applied(changed, path, action, operand), { message: refused }, what);
      assert.deepEqual(changed, props, what);
    } else {
      assert.deepEqual(applied(changed, path, action, operand), gives, what);
    }
  }
  assert.equal({}.x, undefined, "nothing reached the prototype");
});

test("a refused chunk is reported and the stream continues", () => {
  const merger = new Merger();
  const delta = { type: "text", props: "x", delta: true, delta_path: "/content" };
  const chunks = [
    { ...delta, chunk_id: 1, delta_action: "append" },
    { ...delta, chunk_id: 2, message_id: "m", props: 7 },
    { ...delta, chunk_id: 3, message_id: "m", delta_action: "end" },
    { ...delta, chunk_id: 4, message_id: "m", delta_action: "append" },
  ];
  const refused = chunks.map((chunk) => merger.apply(chunk).refused);
  assert.deepEqual(refused, ["no-message-id", "not-growing", "nothing-there", undefined]);
  assert.deepEqual(messages(merger), [{ chunk_id: 4, type: "text", props: { content: "x" }, message_id: "m" }]);
});
