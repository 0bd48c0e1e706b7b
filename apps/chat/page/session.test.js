// A session's turns as a page hears of them: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import test from "node:test";

import { Session } from "./session.js";

globalThis.requestAnimationFrame = (draw) => setTimeout(draw);

/** A frame of a stream. */
const event = (name, chunk) => `event: ${name}\nid: ${chunk.chunk_id}\ndata: ${JSON.stringify(chunk)}\n\n`;
const user = (chunk_id) => event("user_message", { type: "user", props: { content: "Hi" }, chunk_id, message_id: "user" });
const error = (chunk_id) => event("error", { type: "error", props: { kind: "stopped", message: "" }, chunk_id });

/** A session whose server answers each request with the next of these; `told` is what it has said of it. */
function sessionWith(t, answers) {
  t.mock.method(globalThis, "fetch", async () => new Response(...answers.shift()));
  const told = [];
  const on = {
    state: () => {},
    reset: () => {},
    begin: (_, isWitnessed) => told.push(isWitnessed ? "begin" : "begin elsewhere"),
    chunk: ({ event: name }) => told.push(name),
    fail: () => told.push("fail"),
    unsent: (message) => told.push(`unsent: ${message}`),
  };
  return { session: new Session({ assistant: "form", conversationId: "a", on }), told };
}

/** Says something, and waits for nothing that comes of it. */
async function sendAtOnce(t, session) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isOver = false;
  const sent = session.send("Hi").finally(() => (isOver = true));
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(8000);
  }
  t.mock.timers.reset();
  await sent;
}

test("a message is given back if its turn ended before the server took it up", async (t) => {
  const { session, told } = sessionWith(t, [[error(1)]]);
  await session.send("Hi");
  assert.deepEqual(told, ["begin", "error", "unsent: Hi"]);
});

test("an error without a chunk id is told, and the turn can be read later", async (t) => {
  const { session, told } = sessionWith(t, [[user(1) + error(0)], [error(2)]]);
  await session.send("Hi");
  assert.deepEqual([told.splice(0), session.isOver], [["begin", "user_message", "fail"], true]);
  await session.follow();
  assert.deepEqual(told, ["error"]);
});

test("a message that the server took up is not given back", async (t) => {
  const { session, told } = sessionWith(t, [[user(1) + error(2)]]);
  await session.send("Hi");
  assert.deepEqual(told, ["begin", "user_message", "error"]);
});

test("a turn from elsewhere begins, whatever became of the message before it", async (t) => {
  const refusal = [JSON.stringify({ error: { message: "Busy" } }), { status: 409 }];
  const { session, told } = sessionWith(t, [[user(1) + error(2)], refusal, [user(3) + error(4)]]);
  await session.send("Hi");
  await session.send("Ho");
  told.length = 0;
  await session.follow();
  assert.deepEqual(told, ["begin elsewhere", "user_message", "error"]);
});

test("a server that is being exchanged is tried again", async (t) => {
  const passing = [408, 429, 500, 502, 503, 504].map((status) => ["", { status }]);
  for (const refusals of [passing.slice(0, 3), passing.slice(3)]) {
    const { session, told } = sessionWith(t, [[user(1)], ...refusals, [user(1) + error(2)]]);
    await sendAtOnce(t, session);
    assert.deepEqual(told, ["begin", "user_message", "error"]);
  }
});

test("a server that refuses to go on is not tried again", async (t) => {
  const { session, told } = sessionWith(t, [[user(1)], ["", { status: 400 }]]);
  await sendAtOnce(t, session);
  assert.deepEqual(told, ["begin", "user_message", "fail"]);
});
