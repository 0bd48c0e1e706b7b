// The merger against `tests/golden/`, as `tests/golden.rs` has it: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Merger, applied } from "./merge.js";

const golden = (name) => JSON.parse(readFileSync(new URL(`../tests/golden/${name}`, import.meta.url), "utf8"));
const SCENARIOS = (
  "plain.json streamed.json one_block.json three_blocks.json " +
  "three_threads.json loading.json failed.json without_action.json"
).split(" ");

function merged(chunks) {
  const merger = new Merger();
  for (const chunk of chunks) assert.deepEqual(merger.apply(chunk).refused, []);
  return merger;
}

const isSame = (one, other) => {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
};

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

for (const name of SCENARIOS) {
  const scenario = golden(name);
  const { chunks } = scenario;

  test(`${name} gives its messages`, () => {
    const merger = merged(chunks);
    assert.deepEqual(messages(merger), scenario.messages);
    assert.equal(merger.lastChunkId, chunks.length);
    assert.equal(merger.hasGap, false);
    assert.deepEqual(chunks, golden(name).chunks, "the chunks stay as they came");
  });

  test(`${name} gives the same in each order of arrival`, () => {
    for (const order of shuffles(chunks.length)) {
      assert.deepEqual(messages(merged(order.map((at) => chunks[at]))), scenario.messages, `${order}`);
    }
  });

  test(`${name} gives the same after a reconnect anywhere`, () => {
    for (let cut = 0; cut <= chunks.length; cut += 1) {
      for (let from = 0; from <= cut; from += 1) {
        const merger = merged([...chunks.slice(0, cut), ...chunks.slice(from)]);
        assert.deepEqual(messages(merger), scenario.messages, `cut at ${cut}, again from ${from}`);
      }
    }
  });

  test(`${name}: a repeated chunk changes nothing at any moment`, () => {
    const merger = new Merger();
    for (const [at, chunk] of chunks.entries()) {
      assert.equal(merger.apply(chunk).outcome, "merged");
      const before = messages(merger);
      for (const earlier of chunks.slice(0, at + 1)) {
        const { outcome, changed } = merger.apply(earlier);
        assert.deepEqual([outcome, changed.size], ["repeated", 0]);
      }
      assert.deepEqual(messages(merger), before);
    }
  });

  test(`${name}: a gap is noticed and closed`, () => {
    for (let missing = 0; missing < chunks.length; missing += 1) {
      const merger = merged(chunks.slice(0, missing));
      const before = messages(merger);
      for (const later of chunks.slice(missing + 1)) {
        assert.equal(merger.apply(later).outcome, "held");
        assert.equal(merger.apply(later).outcome, "repeated");
      }
      assert.equal(merger.hasGap, missing + 1 < chunks.length);
      assert.equal(merger.lastChunkId, missing);
      assert.deepEqual(messages(merger), before);
      assert.equal(merger.apply(chunks[missing]).outcome, "merged");
      assert.equal(merger.hasGap, false);
      assert.deepEqual(messages(merger), scenario.messages);
    }
  });

  test(`${name}: what is told as changed is enough to keep a copy`, () => {
    const merger = new Merger();
    const copy = new Map();
    for (const chunk of chunks) {
      const { changed, removed } = merger.apply(chunk);
      for (const message of removed) copy.delete(message.chunk_id);
      for (const message of changed) copy.set(message.chunk_id, structuredClone(message));
      const inOrder = [...copy.keys()].sort((a, b) => a - b).map((key) => copy.get(key));
      assert.deepEqual(inOrder, merger.messages());
    }
  });
}

/** What is not lost, and the first `seen` of what is. */
const withoutLost = ({ lost, chunks }, seen) => chunks.filter((chunk) => !lost.slice(seen).includes(chunk.chunk_id));

test("a stream goes on behind what is lost", () => {
  const broken = golden("broken_off.json");
  for (const [seen, expected] of broken.messages.entries()) {
    const merger = merged(withoutLost(broken, seen));
    assert.deepEqual(messages(merger), expected, `${seen} of the lost ones seen`);
    assert.deepEqual([merger.lastChunkId, merger.hasGap], [21, false]);
    // What was lost, or is told once more, comes too late.
    for (const chunk of broken.chunks) assert.equal(merger.apply(chunk).outcome, "repeated");
  }
});

test("what follows what is lost waits for all before", () => {
  const broken = golden("broken_off.json");
  const rest = withoutLost(broken, 0);
  for (const order of shuffles(rest.length)) {
    const merger = merged(order.map((at) => rest[at]));
    assert.deepEqual(messages(merger), broken.messages[0], `${order}`);
    assert.deepEqual([merger.lastChunkId, merger.hasGap], [21, false]);
  }
  // Whatever of the lost ones comes at whatever moment: nothing is stuck.
  for (const order of shuffles(broken.chunks.length)) {
    const merger = merged(order.map((at) => broken.chunks[at]));
    assert.deepEqual([merger.lastChunkId, merger.hasGap], [21, false], `${order}`);
    assert.ok(broken.messages.some((list) => isSame(list, messages(merger))), `${order}`);
  }
});

test("a merger can be kept as JSON and goes on", () => {
  for (const name of SCENARIOS) {
    const { chunks, messages: expected } = golden(name);
    for (let cut = 0; cut <= chunks.length; cut += 1) {
      const kept = JSON.stringify(merged(chunks.slice(0, cut)).state);
      const merger = Merger.from(JSON.parse(kept));
      for (const chunk of chunks) merger.apply(chunk);
      assert.deepEqual(messages(merger), expected, `${name} kept at ${cut}`);
    }
  }
});

test("threads may be sent in any order", () => {
  const byName = (list) => Object.fromEntries(list.map((message) => [message.message_id, { ...message, chunk_id: 0 }]));
  let interleaved = 0;
  for (const { interleave, chunks, messages: expected } of SCENARIOS.map(golden)) {
    if (!interleave) continue;
    for (const order of shuffles(chunks.length)) {
      const queues = new Map(
        chunks.map((chunk) => [chunk.thread_id, chunks.filter((other) => other.thread_id === chunk.thread_id)]),
      );
      const sent = order.map((at) => queues.get(chunks[at].thread_id).shift());
      const merger = merged(sent.map((chunk, at) => ({ ...chunk, chunk_id: at + 1 })));
      assert.deepEqual(byName(messages(merger)), byName(expected), `${order}`);
      interleaved += 1;
    }
  }
  assert.equal(interleaved, 500);
});

test("each action does what is said of it", () => {
  for (const { props, action, path, operand, gives, refused } of golden("actions.json").cases) {
    const what = `${action} at ${path} of ${JSON.stringify(props)}`;
    const changed = structuredClone(props);
    if (refused) {
      assert.throws(() => applied(changed, path, action, operand), { reason: refused }, what);
      assert.deepEqual(changed, props, what);
    } else {
      assert.deepEqual(applied(changed, path, action, operand), gives, what);
    }
  }
  assert.equal({}.x, undefined, "nothing reached the prototype");
});

test("a refused chunk is told and the stream goes on", () => {
  const merger = new Merger();
  const delta = { type: "text", props: "x", delta: true, delta_path: "/content" };
  const chunks = [
    { type: "text", chunk_id: 0 },
    { ...delta, chunk_id: 1, delta_action: "append" },
    { ...delta, chunk_id: 2, message_id: "m", props: 7 },
    { ...delta, chunk_id: 3, message_id: "m", delta_action: "replace" },
    { ...delta, chunk_id: 4, message_id: "m", delta_action: "append" },
  ];
  const refused = chunks.map((chunk) => merger.apply(chunk).refused[0]?.reason);
  assert.deepEqual(refused, ["unnumbered", "no-message-id", "no-action", "nothing-there", undefined]);
  assert.deepEqual(messages(merger), [{ chunk_id: 4, type: "text", props: { content: "x" }, message_id: "m" }]);

  for (let more = 0; more < 4096; more += 1)
    assert.equal(merger.apply({ type: "text", chunk_id: 10 + more }).outcome, "held");
  assert.deepEqual(merger.apply({ type: "text", chunk_id: 9999 }).refused, [
    { chunkId: 9999, reason: "too-far-ahead" },
  ]);
  // What is missing is never too far.
  for (let missing = 5; missing < 10; missing += 1) {
    assert.equal(merger.apply({ type: "text", chunk_id: missing }).outcome, "merged");
  }
  assert.deepEqual([merger.lastChunkId, merger.hasGap], [4105, false]);
  merger.apply({ type: "text", chunk_id: 5000 });
  merger.dropHeld();
  assert.equal(merger.hasGap, false);
});

test("what is taken back is gone, whether its chunks had come or not", () => {
  const { chunks, messages: expected } = golden("cut.json");
  for (const lost of [[], [2], [3], [2, 3]]) {
    const merger = new Merger();
    for (const [at, chunk] of chunks.entries()) if (!lost.includes(at)) merger.apply(chunk);
    assert.deepEqual(messages(merger), expected, `without ${lost}`);
    assert.equal(merger.hasGap, false);
  }
});
