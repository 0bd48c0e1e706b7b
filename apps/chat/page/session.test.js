// A session's turns as a page hears of them: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import test from "node:test";

import { Session } from "./session.js";

globalThis.sessionStorage = { getItem: () => null };
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

test("a message is given back if its turn ended before the server took it up", async (t) => {
  const { session, told } = sessionWith(t, [[error(1)]]);
  await session.send("Hi");
  assert.deepEqual(told, ["begin", "error", "unsent: Hi"]);
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
