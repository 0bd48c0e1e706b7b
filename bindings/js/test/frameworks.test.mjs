// Chunks of frameworks, made by their own packages, read as a provider's events, in the versions that the README names.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import { AIMessageChunk } from "@langchain/core/messages";
import { stepCountIs, streamText, tool, jsonSchema } from "ai";
import { MockLanguageModelV4, MockLanguageModelV3, simulateReadableStream } from "ai/test";

import { ProviderStream } from "../dist/providers/index.js";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** Text, reasoning, inputs, deltas of `city`, and what is wrong. */
function read(events) {
  const stream = new ProviderStream("auto", "city");
  const told = [...events.flatMap((event) => stream.push(event)), ...stream.finish()];
  const odd = told.filter(({ kind }) => ["unknown-event", "unknown-part", "bad-frame", "mismatch"].includes(kind));
  assert.deepEqual(odd, []);
  const joined = (kind) => told.filter((event) => event.kind === kind).map(({ text }) => text).join("");
  return {
    text: joined("text"),
    reasoning: joined("reasoning"),
    inputs: told.filter(({ kind }) => kind === "input").map(({ name, status, value }) => [name, status, value]),
    city: joined("delta"),
    unfinished: stream.unfinished,
    told,
  };
}

test("chunks of LangChain", () => {
  const chunk = (members) => new AIMessageChunk({ content: "", id: "run-1", ...members });
  const call = (members) => ({ type: "tool_call_chunk", index: 0, ...members });
  const { text, reasoning, inputs, city, unfinished } = read([
    chunk({ content: "I look." }),
    chunk({ content: [{ type: "thinking", thinking: "Hm." }, { type: "text", text: " Now." }] }),
    chunk({ tool_call_chunks: [call({ name: "weather", id: "call_1", args: '{"ci' })] }),
    chunk({ tool_call_chunks: [call({ args: 'ty": "Ber' })] }),
    chunk({ tool_call_chunks: [call({ args: 'n"}' }), call({ name: "time", id: "call_2", args: "{}", index: 1 })] }),
    chunk({ response_metadata: { finish_reason: "tool_calls" }, usage_metadata: { input_tokens: 3, output_tokens: 9, total_tokens: 12 } }),
  ]);
  assert.deepEqual([text, reasoning, city, unfinished], ["I look. Now.", "Hm.", "Bern", undefined]);
  assert.deepEqual(inputs, [["weather", "complete", { city: "Bern" }], ["time", "complete", {}]]);
});

test("the AI SDK's full stream", async () => {
  const parts = [
    { type: "stream-start", warnings: [] },
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "Hm." },
    { type: "reasoning-end", id: "r" },
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: "I " },
    { type: "text-delta", id: "t", delta: "look." },
    { type: "text-end", id: "t" },
    { type: "tool-input-start", id: "call_1", toolName: "weather" },
    { type: "tool-input-delta", id: "call_1", delta: '{"city": "Be' },
    { type: "tool-input-delta", id: "call_1", delta: 'rn"}' },
    { type: "tool-input-end", id: "call_1" },
    { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: '{"city": "Bern"}' },
    {
      type: "finish",
      finishReason: { unified: "tool-calls", raw: "tool_calls" },
      usage: { inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 9, text: 9, reasoning: 0 } },
    },
  ];
  const Mock = MockLanguageModelV4 ?? MockLanguageModelV3;
  const model = new Mock({ doStream: async () => ({ stream: simulateReadableStream({ chunks: parts }) }) });
  const weather = tool({ inputSchema: jsonSchema({ type: "object", properties: { city: { type: "string" } } }), execute: async () => "sunny" });
  const { fullStream } = streamText({ model, prompt: "Weather?", tools: { weather }, stopWhen: stepCountIs(1) });
  const events = [];
  for await (const part of fullStream) events.push(part);
  const { text, reasoning, inputs, city, unfinished, told } = read(events);
  assert.deepEqual([text, reasoning, city, unfinished], ["I look.", "Hm.", "Bern", undefined]);
  assert.deepEqual(inputs, [["weather", "complete", { city: "Bern" }]]);
  assert.deepEqual(told.filter(({ kind }) => kind === "tool-result").map(({ id }) => id), ["call_1"]);
});

test("unrecognized objects are refused or reported as unknown events", () => {
  const stream = new ProviderStream("auto");
  for (const thing of [undefined, null, 5, () => {}]) assert.throws(() => stream.push(thing), TypeError);
  assert.deepEqual(stream.push({ delta: "x" }), []);
  assert.equal(stream.finish()[0].kind, "unknown-event");
});

test("the README names the versions", () => {
  const rows = [...readme.matchAll(/`([@a-z/-]+)`\s([0-9]+\.[0-9.]*[0-9])/g)].map(([, name, tried]) => [name, tried]);
  const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));
  assert.deepEqual(rows.map(([name]) => name).sort(), ["@anthropic-ai/sdk", "@langchain/core", "ai", "openai"]);
  for (const [name, tried] of rows) assert.equal(lock.packages[`node_modules/${name}`].version, tried, name);
});
