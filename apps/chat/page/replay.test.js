// The replay's clock and cuts: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import test from "node:test";

import { Replay, lastTurn } from "./replay.js";

const say = (chunk_id, at, type = "text") => ({ event: type, chunk: { type, chunk_id, props: {} }, at });
const RECORD = [say(1, 0, "user"), say(2, 5), say(3, 100, "user"), say(4, 110), say(5, 150), say(6, 150, "done")];

test("the last turn begins with what the person said last", () => {
  assert.deepEqual(lastTurn(RECORD), { before: RECORD.slice(0, 2), turn: RECORD.slice(2) });
  assert.deepEqual(lastTurn(RECORD.slice(1, 2)), { before: [], turn: RECORD.slice(1, 2) });
  assert.deepEqual(lastTurn([]), { before: [], turn: [] });
});

function played(t) {
  let now = 1000;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(performance, "now", () => now);
  const told = [];
  const replay = new Replay(RECORD, {
    on: {
      before: ({ chunk }) => told.push(["before", chunk.chunk_id]),
      begin: (at) => told.push(["begin", at - 1000]),
      chunk: ({ chunk, at }, { outcome }) => told.push([chunk.chunk_id, at - 1000, outcome]),
      end: () => told.push(["end", now - 1000]),
    },
  });
  const pass = (ms) => {
    for (let passed = 0; passed < ms; passed += 1) {
      now += 1;
      t.mock.timers.tick(1);
    }
  };
  return { replay, told, pass };
}

const START = [
  ["before", 1],
  ["before", 2],
  ["begin", 0],
  [3, 0, "merged"],
];

const REST = [
  [4, 10, "merged"],
  [5, 50, "merged"],
  [6, 50, "merged"],
];

test("each chunk comes when it is due, with its recorded time", (t) => {
  const { replay, told, pass } = played(t);
  replay.start();
  assert.deepEqual(told, START);
  pass(1000);
  assert.deepEqual(told.slice(4), [...REST, ["end", 50]]);
});

test("the rest at once, and nothing more", (t) => {
  const rest = played(t);
  rest.replay.start();
  rest.pass(3);
  rest.replay.finish();
  assert.deepEqual(rest.told.slice(4), [...REST, ["end", 3]]);
  rest.pass(900);
  assert.equal(rest.told.length, 8);
  t.mock.reset();
  t.mock.timers.reset();

  const none = played(t);
  none.replay.start();
  none.replay.cancel();
  none.pass(900);
  assert.deepEqual(none.told, START);
});
