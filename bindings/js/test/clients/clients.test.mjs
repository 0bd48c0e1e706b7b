// The providers' own clients, on loopback: what they hand over becomes deltas and values.
//
// A server here speaks Anthropic's protocol and OpenAI's two.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";

import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { jsonSchema, parsePartialJson, streamText, tool } from "ai";
import { parsePartialJsonObject, getPartialJsonObjectMeta } from "assistant-stream/utils";
import OpenAI from "openai";

import { PartialJsonObjectParser, PartialJsonParser } from "../../dist/compat/index.js";
import { deltas, Parser, snapshots } from "../../dist/index.js";
import { aiSdkEvents } from "../../dist/wires/ai-sdk.js";
import { anthropicEvents } from "../../dist/wires/anthropic.js";
import { chatEvents, responsesEvents } from "../../dist/wires/openai.js";

const PATTERNS = ["ask_slots[*].message", "ask_slots[*].options"];

/** Parses a call's fragments: the joined deltas by path, their number, the ends' values, the value. */
class Call {
  #parser = new Parser(PATTERNS, { snapshots: true });
  deltas = {};
  count = 0;
  values = {};
  fragments = [];
  snapshots = [];

  push(fragment) {
    this.fragments.push(fragment);
    this.#take(this.#parser.feed(fragment));
    const snapshot = this.#parser.snapshot();
    if (snapshot !== this.snapshots.at(-1)) this.snapshots.push(snapshot);
  }

  end() {
    this.#take(this.#parser.finish());
    this.value = this.#parser.value();
    return this;
  }

  #take(events) {
    for (const event of events) {
      if (event.kind === "end") this.values[event.path] = event.value;
      if (event.kind !== "delta") continue;
      this.deltas[event.path] = (this.deltas[event.path] ?? "") + event.text;
      this.count += 1;
    }
  }
}

/** Returns the inputs, the deltas and the stop that an adapter reports of an SDK's stream. */
async function adapted(events) {
  const told = { inputs: [], text: "", stops: [] };
  for await (const event of events) {
    if (event.kind === "input") told.inputs.push([event.name, event.status, event.value]);
    if (event.kind === "delta") told.text += event.text;
    if (event.kind === "stop") told.stops.push(event.reason);
  }
  return told;
}

/** Checks that the drop-ins return for each fragment what the originals return for the whole prefix. */
async function checkCompat(fragments) {
  const aiSdk = new PartialJsonParser();
  const assistantUi = new PartialJsonObjectParser();
  let text = "";
  for (const fragment of fragments) {
    text += fragment;
    assert.deepEqual(aiSdk.push(fragment), await parsePartialJson(text));
    const theirs = parsePartialJsonObject(text);
    const { state, partialPath } = getPartialJsonObjectMeta(theirs);
    const ours = assistantUi.push(fragment);
    assert.deepEqual([ours.state, ours.partialPath, JSON.stringify(ours.value)], [state, partialPath, JSON.stringify(theirs)]);
  }
}

const ARGUMENTS = JSON.stringify({ ask_slots: [{ message: 'Great! What\'s your "budget"?\n💍', options: ["a", "b"] }], n: 1.5 });

const RING = JSON.stringify({
  ask_slots: [
    { message: "Great choice! Which metal should the ring be of?", options: ["gold", "silver", "“rosé”"] },
    { message: "And which size does she wear? 💍", options: ["6", "7", "8"] },
  ],
});

function fragments(text = ARGUMENTS) {
  const pieces = [];
  let seed = 1;
  for (let at = 0; at < text.length; ) {
    seed = (seed * 48271) % 2147483647;
    let end = at + 1 + (seed % 8);
    // As the service does: whole characters.
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? "")) end += 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

function* anthropicMessage(asked) {
  let [text, reason] = [RING, "tool_use"];
  if (asked.includes("#malformed")) text = `${RING.slice(0, -1)}]`;
  if (asked.includes("#truncated")) [text, reason] = [RING.slice(0, RING.length / 2), "max_tokens"];
  const message = {
    id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: 1 },
  };
  yield { type: "message_start", message };
  yield { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "toolu_1", name: "classify_and_assess", input: {} } };
  yield { type: "ping" };
  for (const piece of ["", ...fragments(text)]) {
    yield { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: piece } };
  }
  yield { type: "content_block_stop", index: 0 };
  yield { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 40 } };
  yield { type: "message_stop" };
}

function* chatChunks() {
  const chunk = (delta, reason = null) => ({
    id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: reason, logprobs: null }],
  });
  const call = (index, parts) => chunk({ tool_calls: [{ index, ...parts }] });
  yield chunk({ role: "assistant", content: null });
  for (const index of [0, 1]) yield call(index, { id: `call_${index}`, type: "function", function: { name: `ask_${index}`, arguments: "" } });
  // Two calls at once, their fragments mixed.
  for (const piece of fragments()) for (const index of [0, 1]) yield call(index, { function: { arguments: piece } });
  yield chunk({}, "tool_calls");
}

function* responseEvents() {
  const item = { id: "fc_1", type: "function_call", call_id: "call_1", name: "ask_0", arguments: "", status: "in_progress" };
  const response = {
    id: "r1", object: "response", created_at: 1, model: "m", output: [], status: "in_progress", parallel_tool_calls: true, tool_choice: "auto", tools: [],
  };
  const done = { ...item, arguments: ARGUMENTS, status: "completed" };
  const place = { item_id: "fc_1", output_index: 0 };
  const events = [
    { type: "response.created", response },
    { type: "response.output_item.added", output_index: 0, item },
    ...fragments().map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
    { type: "response.function_call_arguments.done", ...place, name: "ask_0", arguments: ARGUMENTS },
    { type: "response.output_item.done", output_index: 0, item: done },
    { type: "response.completed", response: { ...response, status: "completed", output: [done] } },
  ];
  for (const [number, event] of events.entries()) yield { ...event, sequence_number: number };
}

let server;
let url;
before(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const asked = JSON.parse(body);
    assert.equal(asked.stream, true);
    const isChat = request.url.endsWith("/chat/completions");
    const isResponse = request.url.endsWith("/responses");
    const events = isChat ? chatChunks() : isResponse ? responseEvents() : anthropicMessage(JSON.stringify(asked.messages));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) {
      response.write(`${isChat ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end(isChat ? "data: [DONE]\n\n" : "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

describe("Anthropic's protocol", () => {
  const client = () => new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
  const request = (content) => ({
    model: "m",
    max_tokens: 1000,
    system: "You are a shopping assistant.",
    messages: [{ role: "user", content }],
    tools: [{ name: "classify_and_assess", description: "x", input_schema: { type: "object", properties: {} } }],
    tool_choice: { type: "tool", name: "classify_and_assess" },
  });

  function checkRing(call) {
    assert.equal(call.deltas["ask_slots[0].message"], "Great choice! Which metal should the ring be of?");
    assert.equal(call.deltas["ask_slots[1].message"], "And which size does she wear? 💍");
    assert.deepEqual(call.values["ask_slots[0].options"], ["gold", "silver", "“rosé”"]);
    assert.ok(call.fragments.length > 10 && call.count > 4);
    assert.deepEqual(call.value.ask_slots.map((slot) => slot.message), [call.deltas["ask_slots[0].message"], call.deltas["ask_slots[1].message"]]);
    assert.deepEqual(call.value, JSON.parse(call.fragments.join("")));
    assert.ok(call.snapshots.some((snapshot) => snapshot?.ask_slots?.length === 1));
    assert.deepEqual(call.snapshots.at(-1), call.value);
  }

  test("@anthropic-ai/sdk: raw events", async () => {
    const calls = new Map();
    const ended = [];
    for await (const event of await client().messages.create({ ...request("a ring"), stream: true })) {
      if (event.type === "content_block_start" && event.content_block.type === "tool_use") calls.set(event.index, new Call());
      if (event.type === "content_block_delta" && event.delta.type === "input_json_delta") calls.get(event.index).push(event.delta.partial_json);
      if (event.type === "content_block_stop" && calls.has(event.index)) ended.push(calls.get(event.index).end());
    }
    assert.equal(ended.length, 1);
    checkRing(ended[0]);
    await checkCompat(ended[0].fragments);
  });

  test("@anthropic-ai/sdk: the message stream's helper", async () => {
    const call = new Call();
    const stream = client().messages.stream(request("a ring"));
    stream.on("inputJson", (fragment) => call.push(fragment));
    const message = await stream.finalMessage();
    checkRing(call.end());
    assert.deepEqual(message.content.at(-1).input, call.value);
  });

  test("@anthropic-ai/sdk: the fragments as a source", async () => {
    const fragments = async function* () {
      for await (const event of await client().messages.create({ ...request("a ring"), stream: true })) {
        if (event.type === "content_block_delta" && event.delta.type === "input_json_delta") yield event.delta.partial_json;
      }
    };
    const told = [];
    for await (const delta of deltas(fragments(), "ask_slots[0].message")) told.push(delta);
    assert.ok(told.length > 3);
    assert.equal(told.join(""), "Great choice! Which metal should the ring be of?");
    let last;
    for await (last of snapshots(fragments()));
    assert.equal(last.ask_slots[1].message, "And which size does she wear? 💍");
  });

  test("@anthropic-ai/sdk: the adapter, of raw events and of the helper", async () => {
    const opened = [() => client().messages.create({ ...request("a ring"), stream: true }), () => client().messages.stream(request("a ring"))];
    for (const open of opened) {
      const { inputs, text, stops } = await adapted(anthropicEvents(await open(), "ask_slots[0].message"));
      assert.deepEqual(inputs.map(([name, status, value]) => [name, status, value.ask_slots[0].message]), [["classify_and_assess", "complete", text]]);
      assert.equal(text, "Great choice! Which metal should the ring be of?");
      assert.deepEqual(stops, ["tool_use"]);
    }
    for (const [word, status] of [["#malformed", "malformed"], ["#truncated", "truncated"]]) {
      const { inputs } = await adapted(anthropicEvents(await client().messages.create({ ...request(`a ring ${word}`), stream: true })));
      assert.deepEqual(inputs.map(([, status]) => status), [status], word);
    }
  });

  test("a bad call is never taken for whole", async () => {
    for (const [word, kind] of [["#malformed", /./], ["#truncated", /^incomplete$/]]) {
      const call = new Call();
      await assert.rejects(async () => {
        for await (const event of await client().messages.create({ ...request(`a ring ${word}`), stream: true })) {
          if (event.type === "content_block_delta" && event.delta.type === "input_json_delta") call.push(event.delta.partial_json);
        }
        call.end();
      }, (error) => error.name === "JsonSpigotError" && kind.test(error.kind), word);
      assert.equal(call.value, undefined);
      assert.ok(call.snapshots.length > 0);
    }
  });

  const streamed = () =>
    streamText({
      model: createAnthropic({ apiKey: "key", baseURL: `${url}/v1` })("m"),
      system: "You are a shopping assistant.",
      prompt: "a ring",
      maxRetries: 0,
      tools: { classify_and_assess: tool({ description: "x", inputSchema: jsonSchema({ type: "object", properties: {} }) }) },
      toolChoice: { type: "tool", toolName: "classify_and_assess" },
      onError: () => undefined,
    });

  test("ai with @ai-sdk/anthropic: the adapter, of parts and of UI message chunks", async () => {
    for (const stream of [streamed().fullStream, streamed().toUIMessageStream()]) {
      const { inputs, text, stops } = await adapted(aiSdkEvents(stream, "ask_slots[0].message"));
      assert.deepEqual(inputs.map(([name, status, value]) => [name, status, value.ask_slots[0].message]), [["classify_and_assess", "complete", text]]);
      assert.equal(text, "Great choice! Which metal should the ring be of?");
      assert.deepEqual(stops, ["tool-calls"]);
    }
  });

  test("ai with @ai-sdk/anthropic: streamText with a tool", async () => {
    const result = streamed();
    const calls = new Map();
    const ended = [];
    for await (const part of result.stream ?? result.fullStream) {
      if (part.type === "error") throw part.error;
      if (part.type === "tool-input-start") calls.set(part.id, new Call());
      if (part.type === "tool-input-delta") calls.get(part.id).push(part.delta);
      if (part.type === "tool-call") {
        const call = calls.get(part.toolCallId).end();
        assert.deepEqual(part.input, call.value);
        ended.push(call);
      }
    }
    assert.equal(ended.length, 1);
    checkRing(ended[0]);
    await checkCompat(ended[0].fragments);
  });
});

describe("OpenAI's protocols", () => {
  const client = () => new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0 });
  const asked = {
    model: "m",
    messages: [{ role: "user", content: "hi" }],
    tools: [0, 1].map((n) => ({ type: "function", function: { name: `ask_${n}`, parameters: { type: "object", properties: {} } } })),
  };

  test("openai: the adapters", async () => {
    const value = JSON.parse(ARGUMENTS);
    const chat = await adapted(chatEvents(await client().chat.completions.create({ ...asked, stream: true }), "ask_slots[0].options[*]"));
    assert.deepEqual(chat, { inputs: [["ask_0", "complete", value], ["ask_1", "complete", value]], text: chat.text, stops: ["tool_calls"] });
    assert.deepEqual([...chat.text].sort(), ["a", "a", "b", "b"]);
    const responses = await adapted(responsesEvents(await client().responses.create({ model: "m", input: "hi", stream: true }), "ask_slots[0].message"));
    assert.deepEqual(responses, { inputs: [["ask_0", "complete", value]], text: value.ask_slots[0].message, stops: ["completed"] });
  });

  async function check(call) {
    call.end();
    const expected = JSON.parse(ARGUMENTS);
    assert.deepEqual(call.value, expected);
    assert.deepEqual(call.deltas, { "ask_slots[0].message": expected.ask_slots[0].message });
    assert.deepEqual(call.values["ask_slots[0].options"], ["a", "b"]);
    assert.ok(call.count > 3);
    await checkCompat(call.fragments.filter((fragment) => fragment !== ""));
  }

  test("openai: chat completions, two calls at once", async () => {
    const calls = [];
    for await (const chunk of await client().chat.completions.create({ ...asked, stream: true })) {
      for (const { index, function: { arguments: fragment } } of chunk.choices[0].delta.tool_calls ?? []) {
        (calls[index] ??= new Call()).push(fragment);
      }
    }
    assert.equal(calls.length, 2);
    for (const call of calls) await check(call);
  });

  test("openai: the chat helper", async () => {
    const calls = [];
    const stream = client().chat.completions.stream(asked);
    stream.on("tool_calls.function.arguments.delta", ({ index, arguments_delta: fragment }) => (calls[index] ??= new Call()).push(fragment));
    const last = await stream.finalChatCompletion();
    assert.equal(calls.length, 2);
    for (const [index, call] of calls.entries()) {
      await check(call);
      assert.equal(last.choices[0].message.tool_calls[index].function.arguments, call.fragments.join(""));
    }
  });

  test("openai: responses", async () => {
    const calls = new Map();
    for await (const event of await client().responses.create({ model: "m", input: "hi", stream: true })) {
      if (event.type === "response.output_item.added") calls.set(event.item.id, new Call());
      if (event.type === "response.function_call_arguments.delta") calls.get(event.item_id).push(event.delta);
    }
    assert.equal(calls.size, 1);
    for (const call of calls.values()) await check(call);
  });
});
