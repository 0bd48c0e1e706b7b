// The adapters: what they report, beside what the SDKs and the rest of the package give.

import assert from "node:assert/strict";
import { test } from "node:test";

import { jsonSchema, simulateReadableStream, streamText, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";

import { aiSdkEvents } from "jsonspigot/ai-sdk";
import { anthropicEvents, AnthropicStream } from "jsonspigot/anthropic";
import { geminiEvents, GeminiStream } from "jsonspigot/gemini";
import { chatEvents, ChatStream, responsesEvents, ResponsesStream } from "jsonspigot/openai";

async function all(events) {
  const told = [];
  for await (const event of events) told.push(event);
  return told;
}

const read = (stream, events) => [...events.flatMap((event) => stream.push(event)), ...stream.finish()];
const of = (told, kind) => told.filter((event) => event.kind === kind);
const textOf = (told, kind) => of(told, kind).map(({ text }) => text).join("");
const inputsOf = (told) => of(told, "input").map(({ name, status, value }) => [name, status, value]);

const chunk = (delta, finish_reason = null) => ({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
const entry = (index, parts) => chunk({ tool_calls: [{ index, ...parts }] });
const CHAT = [
  chunk({ role: "assistant", content: "I look." }),
  entry(0, { id: "call_1", type: "function", function: { name: "weather", arguments: "" } }),
  entry(0, { function: { arguments: '{"city": "Be' } }),
  entry(0, { function: { arguments: 'rn"}' } }),
  chunk({}, "tool_calls"),
  { id: "c", object: "chat.completion.chunk", choices: [], usage: { total_tokens: 9 } },
];

test("chat completions: deltas by path, the call, text and the stop", async () => {
  const told = await all(chatEvents(CHAT, "city"));
  assert.deepEqual(of(told, "call"), [{ kind: "call", call: 0, id: "call_1", name: "weather", choice: 0, executed: "client" }]);
  assert.equal(textOf(told, "delta"), "Bern");
  assert.equal(textOf(told, "text"), "I look.");
  assert.deepEqual(inputsOf(told), [["weather", "complete", { city: "Bern" }]]);
  assert.deepEqual(of(told, "stop"), [{ kind: "stop", reason: "tool_calls", choice: 0 }]);
  // The call has ended before the answer has.
  assert.ok(told.findIndex(({ kind }) => kind === "input") < told.findIndex(({ kind }) => kind === "stop"));
});

test("each event is reported before its meaning", async () => {
  const told = await all(chatEvents(CHAT));
  assert.deepEqual(of(told, "provider-event").map(({ event }) => event), CHAT);
  assert.equal(of(told, "provider-event")[5].event, CHAT[5]);
  assert.deepEqual(told.slice(0, 2).map(({ kind }) => kind), ["provider-event", "text"]);
  const texts = CHAT.map((event) => JSON.stringify(event));
  const same = (events) => events.filter(({ kind }) => kind !== "provider-event");
  const toldOfTexts = await all(chatEvents([...texts, "[DONE]"]));
  assert.deepEqual(same(toldOfTexts), same(told));
  assert.deepEqual(of(toldOfTexts, "provider-event").map(({ event }) => event), [...texts, "[DONE]"]);
});

test("tools may have patterns of their own, and open calls have snapshots", () => {
  const stream = new ChatStream([], { tools: { weather: "city" }, snapshots: true });
  const told = CHAT.slice(0, 3).flatMap((event) => stream.push(event));
  assert.equal(textOf(told, "delta"), "Be");
  assert.deepEqual(stream.calls.snapshot(0), { city: "Be" });
  assert.throws(() => new ChatStream("$["), { kind: "invalid-pattern" });
});

test("a stream that ends early leaves its calls truncated", () => {
  for (const [events, reason] of [[CHAT.slice(0, 3), "end-of-input"], [[...CHAT.slice(0, 3), chunk({}, "length")], "length"]]) {
    const [input, ...others] = of(read(new ChatStream(), events), "input");
    assert.deepEqual([input.status, input.reason, others], ["truncated", reason, []]);
  }
  const cancelled = new ChatStream();
  CHAT.slice(0, 3).forEach((event) => cancelled.push(event));
  assert.equal(cancelled.finish("cancelled").at(-1).reason, "cancelled");
});

test("an unreadable event is no error, and truncates the open calls", () => {
  for (const odd of ["{", '{"choices": 1}', null, [], "7", { choices: [{ delta: { tool_calls: [{ index: "0" }] } }] }]) {
    const told = read(new ChatStream(), [...CHAT.slice(0, 3), odd, ...CHAT.slice(3)]);
    assert.deepEqual(inputsOf(told), [["weather", "truncated", undefined]], JSON.stringify(odd));
    assert.ok(of(told, "provider-event").some(({ event }) => event === odd));
  }
});

test("an input of any members is read, and one that is no JSON is unreadable", () => {
  const start = { type: "message_start", message: {} };
  const block = (input) => ({ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "i", name: "f", input } });
  const ends = (input) => inputsOf(read(new AnthropicStream(), [start, block(input), { type: "message_delta", delta: { stop_reason: "tool_use" } }]));
  for (const input of [{ toString: 1, valueOf: 2 }, { a: [[{ toString: [] , valueOf: {} }]] }]) assert.deepEqual(ends(input), [["f", "complete", input]]);
  let deep = {};
  for (let left = 100_000; left > 0; left--) deep = { deep };
  const round = {};
  round.round = round;
  for (const input of [deep, round, { a: 1n }]) assert.deepEqual(ends(input), []);
});

test("a reason that is repeated stops no call again", () => {
  const stream = new ChatStream();
  for (let index = 0; index < 100; index++) stream.push(entry(index, { id: `c${index}`, type: "function", function: { name: "f", arguments: "{}" } }));
  const { stop } = stream.calls;
  let stops = 0;
  stream.calls.stop = function (slot) {
    stops += 1;
    return stop.call(this, slot);
  };
  const told = Array.from({ length: 100 }, () => stream.push(chunk({}, "tool_calls"))).flat();
  assert.deepEqual([of(told, "input").length, of(told, "stop").length, stops], [100, 100, 100]);
});

test("an event may mean any number of others", () => {
  const stream = new GeminiStream("$..*");
  const told = stream.push({ candidates: [{ content: { parts: [{ functionCall: { name: "f", args: { a: Array(100_000).fill(0) } } }] } }] });
  assert.equal(of(told, "end").length, 100_001);
});

test("a source that fails ends the calls before its error is thrown", async () => {
  const failure = new Error("lost");
  const told = [];
  await assert.rejects(async () => {
    const source = (async function* () {
      yield* CHAT.slice(0, 3);
      throw failure;
    })();
    for await (const event of chatEvents(source)) told.push(event);
  }, failure);
  assert.deepEqual(inputsOf(told), [["weather", "truncated", undefined]]);
});

test("leaving the loop cancels the source", async () => {
  let hasEnded = false;
  const source = (async function* () {
    try {
      yield* CHAT;
    } finally {
      hasEnded = true;
    }
  })();
  for await (const event of chatEvents(source)) if (event.kind === "call") break;
  assert.ok(hasEnded);
});

test("Responses: functions, what the provider runs, and the stop", async () => {
  const item = { id: "fc_1", type: "function_call", call_id: "call_1", name: "weather", arguments: "" };
  const search = { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "Bern" } };
  const done = { ...item, arguments: '{"city":"Bern"}', status: "completed" };
  const told = await all(
    responsesEvents(
      [
        { type: "response.created", response: { id: "r" } },
        { type: "response.output_item.added", output_index: 0, item: { ...search, status: "in_progress", action: undefined } },
        { type: "response.web_search_call.searching", output_index: 0, item_id: "ws_1" },
        { type: "response.output_item.done", output_index: 0, item: search },
        { type: "response.output_item.added", output_index: 1, item },
        { type: "response.function_call_arguments.delta", output_index: 1, item_id: "fc_1", delta: '{"city":"' },
        { type: "response.function_call_arguments.delta", output_index: 1, item_id: "fc_1", delta: 'Bern"}' },
        { type: "response.function_call_arguments.done", output_index: 1, item_id: "fc_1", arguments: done.arguments },
        { type: "response.output_item.done", output_index: 1, item: done },
        { type: "response.output_text.delta", output_index: 2, content_index: 0, delta: "Hi" },
        { type: "response.completed", response: { id: "r", status: "completed", output: [search, done] } },
      ],
      "city",
    ),
  );
  assert.deepEqual(inputsOf(told), [["web_search", "complete", search.action], ["weather", "complete", { city: "Bern" }]]);
  assert.deepEqual(of(told, "call").map(({ executed }) => executed), ["provider", "client"]);
  assert.deepEqual([textOf(told, "delta"), textOf(told, "text")], ["Bern", "Hi"]);
  assert.deepEqual(of(told, "stop"), [{ kind: "stop", reason: "completed", choice: 0 }]);
});

test("Responses: a call that starts, ends or has its result more than once is not whole", () => {
  const item = (members) => ({ id: "fc_1", type: "function_call", call_id: "call_1", name: "weather", arguments: "", ...members });
  const added = (members) => ({ type: "response.output_item.added", output_index: 0, item: item(members) });
  const done = (members) => ({ type: "response.output_item.done", output_index: 0, item: item(members) });
  const piece = { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"city":"Bern"}' };
  const created = { type: "response.created", response: { id: "r" } };
  const statuses = (events) => of(read(new ResponsesStream(), [created, ...events, { type: "response.completed", response: {} }]), "input").map(({ status }) => status);
  const result = { type: "function_call_output", output: "" };
  assert.deepEqual(statuses([added(), piece, done()]), ["complete"]);
  assert.deepEqual(statuses([added(), done()]), ["empty"]);
  for (const events of [
    [added(), added(), piece, done()],
    [added(), added({ name: "time" }), piece, done()],
    [added(), done(), piece],
    [added(), piece, { ...done(result), output_index: 1 }, done()],
    [added(), piece, created, done()],
  ]) {
    const told = statuses(events);
    assert.ok(told.length > 0 && told.every((status) => status === "truncated"), `${JSON.stringify(events)}: ${told}`);
  }
});

const MESSAGES = [
  { type: "message_start", message: { id: "m", content: [] } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I look." } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "toolu_1", name: "weather", input: {} } },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"city": "Be' } },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: 'rn"}' } },
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];

test("Anthropic Messages", async () => {
  const told = await all(anthropicEvents(MESSAGES, "city"));
  assert.deepEqual(inputsOf(told), [["weather", "complete", { city: "Bern" }]]);
  assert.deepEqual([textOf(told, "delta"), textOf(told, "text")], ["Bern", "I look."]);
  assert.deepEqual(of(told, "stop"), [{ kind: "stop", reason: "tool_use", choice: 0 }]);
});

test("a provider's error ends the calls", () => {
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const [input, ...others] = of(read(new AnthropicStream(), [...MESSAGES.slice(0, 6), overloaded]), "input");
  assert.deepEqual([input.status, input.reason, others], ["truncated", "error", []]);
});

test("Gemini: whole calls, and values by path", async () => {
  const part = (functionCall, finishReason) => ({ responseId: "r", candidates: [{ content: { parts: [{ functionCall }] }, finishReason }] });
  const value = (jsonPath, members) => part({ partialArgs: [{ jsonPath, ...members }], willContinue: true });
  const told = await all(
    geminiEvents(
      [
        { responseId: "r", candidates: [{ content: { parts: [{ text: "Hm.", thought: true }, { text: "I look." }] } }] },
        part({ name: "time", args: { zone: "CET" } }),
        part({ name: "weather", willContinue: true }),
        value("$.city", { stringValue: "Be", willContinue: true }),
        value("$.city", { stringValue: 'rn"\n' }),
        value("$.days[0].on", { boolValue: true }),
        value("$.days[1].no", { numberValue: 2 }),
        value("$.days[1]['a b']", { nullValue: "NULL_VALUE" }),
        part({}, "STOP"),
      ],
      "city",
    ),
  );
  assert.deepEqual(inputsOf(told), [
    ["time", "complete", { zone: "CET" }],
    ["weather", "complete", { city: 'Bern"\n', days: [{ on: true }, { no: 2, "a b": null }] }],
  ]);
  assert.deepEqual(of(told, "delta").map(({ text }) => text), ["Be", 'rn"\n']);
  assert.equal(textOf(told, "text"), "I look.");
  assert.deepEqual(of(told, "stop"), [{ kind: "stop", reason: "STOP", choice: 0 }]);
});

test("Gemini: values out of order and numbers without their text are not whole", () => {
  const call = (parts) => ({ candidates: [{ content: { parts: parts.map((functionCall) => ({ functionCall })) }, finishReason: "STOP" }] });
  const at = (jsonPath, value) => ({ jsonPath, ...value });
  for (const partialArgs of [
    [at("$.a[1]", { boolValue: true })],
    [at("$.a", { numberValue: 1 }), at("$.a", { numberValue: 2 })],
    [at("$.a.b", { numberValue: 1 }), at("$.c", { numberValue: 1 }), at("$.a.d", { numberValue: 2 })],
    [at("$.a", { stringValue: "x", willContinue: true }), at("$.b", { numberValue: 1 })],
    [at("$.a", { stringValue: "x", willContinue: true })],
    [at("$.a[*]", { numberValue: 1 })],
    [at("$.a", { numberValue: Infinity })],
    [at("$.a", {})],
    [at("$.a", { numberValue: 1, boolValue: true })],
  ]) {
    const [input] = of(read(new GeminiStream(), [call([{ name: "f", willContinue: true }, { partialArgs }])]), "input");
    assert.ok(["truncated", "malformed"].includes(input.status), `${JSON.stringify(partialArgs)}: ${input.status}`);
  }
  assert.deepEqual(of(read(new GeminiStream(), [call([{ name: "f", args: { a: [Infinity] } }])]), "input").map(({ status }) => status), ["truncated"]);
});

const PARTS = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "I look." },
  { type: "text-end", id: "t" },
  { type: "tool-input-start", id: "call_1", toolName: "weather" },
  { type: "tool-input-delta", id: "call_1", delta: '{"city": "Be' },
  { type: "tool-input-delta", id: "call_1", delta: 'rn"}' },
  { type: "tool-input-end", id: "call_1" },
  { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: '{"city": "Bern"}' },
  { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_use" }, usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } },
];

const asked = () =>
  streamText({
    model: new MockLanguageModelV4({ doStream: { stream: simulateReadableStream({ chunks: PARTS, initialDelayInMs: null, chunkDelayInMs: null }) } }),
    prompt: "weather",
    tools: { weather: tool({ inputSchema: jsonSchema({ type: "object" }) }) },
  });

test("the AI SDK's parts and UI message chunks", async () => {
  const ui = asked();
  for (const source of [asked().fullStream, ui.toUIMessageStream()]) {
    const told = await all(aiSdkEvents(source, "city"));
    assert.deepEqual(inputsOf(told), [["weather", "complete", { city: "Bern" }]]);
    assert.deepEqual([textOf(told, "delta"), textOf(told, "text")], ["Bern", "I look."]);
    assert.deepEqual(of(told, "stop"), [{ kind: "stop", reason: "tool-calls", choice: 0 }]);
  }
});

test("the AI SDK: an input that a schema has changed stays as the model wrote it; another one contradicts it", async () => {
  const start = { type: "tool-input-start", toolCallId: "c", toolName: "f" };
  const piece = { type: "tool-input-delta", toolCallId: "c", inputTextDelta: '{"a":1,"b":{"c":2}}' };
  const statuses = (input) => all(aiSdkEvents([start, piece, { type: "tool-input-available", toolCallId: "c", toolName: "f", input }])).then(inputsOf);
  for (const input of [{ a: 1, b: { c: 2 } }, { a: 1, b: { c: 2, d: 3 } }, { a: 1 }, { b: { c: 2 }, z: [] }]) {
    assert.deepEqual(await statuses(input), [["f", "complete", { a: 1, b: { c: 2 } }]], JSON.stringify(input));
  }
  for (const input of [{ a: 2, b: { c: 2 } }, { a: 1, b: { c: 3 } }, { a: 1, b: [] }, { z: 1 }, [1]]) {
    assert.deepEqual(await statuses(input), [["f", "truncated", undefined]], JSON.stringify(input));
  }
});
