// `jsonspigot/providers` as a user calls it: SDK objects, bodies at every cut, loops over sources, and what is wrong.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { JsonSpigotError as MainError } from "../dist/index.js";
import { init, JsonSpigotError, PatternError, providerEvents, PROVIDERS, ProviderStream } from "../dist/providers/index.js";

const encode = (text) => new TextEncoder().encode(text);

const CALL = [
  { type: "message_start", message: { id: "msg_1", model: "claude-x", content: [] } },
  { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "toolu_1", name: "weather", input: {} } },
  { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"city": "Zü' } },
  { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: 'rich 😀", "days": 2}' } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];
const SSE = CALL.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

const TOLD = [
  { kind: "message-start", id: "msg_1", model: "claude-x" },
  { kind: "call", call: 0, id: "toolu_1", name: "weather", choice: 0, executed: "client" },
  { kind: "begin", pattern: 0, matchId: 0, path: "city", offset: 9, type: "string", call: 0 },
  { kind: "delta", pattern: 0, matchId: 0, path: "city", offset: 10, text: "Zü", call: 0 },
  { kind: "delta", pattern: 0, matchId: 0, path: "city", offset: 13, text: "rich 😀", call: 0 },
  { kind: "end", pattern: 0, matchId: 0, path: "city", offset: 23, type: "string", value: "Zürich 😀", call: 0 },
  {
    kind: "input",
    call: 0,
    id: "toolu_1",
    name: "weather",
    executed: "client",
    status: "complete",
    raw: '{"city": "Zürich 😀", "days": 2}',
    value: { city: "Zürich 😀", days: 2 },
  },
  { kind: "stop", choice: 0, reason: "tool_use", type: "tool-use" },
  { kind: "usage", output: 9, value: { output_tokens: 9 }, raw: '{"output_tokens":9}' },
  { kind: "stream-end" },
];

/** Events as plain objects, which those of matches are not. */
const plain = (events) => events.map((event) => ({ ...event }));
const collect = (stream, feed, chunks) => {
  const told = chunks.flatMap((chunk) => stream[feed](chunk));
  told.push(...stream.finish());
  stream.dispose();
  return plain(told);
};
const all = async (events) => {
  const told = [];
  for await (const event of events) told.push(event);
  return told;
};

test("SDK objects, their JSON texts and bodies have the same events", () => {
  assert.deepEqual(collect(new ProviderStream("anthropic", "city"), "push", CALL), TOLD);
  assert.deepEqual(collect(new ProviderStream("anthropic", "city"), "push", CALL.map((event) => JSON.stringify(event))), TOLD);
  assert.deepEqual(collect(new ProviderStream("anthropic", "city"), "feed", [SSE]), TOLD);
  assert.deepEqual(collect(new ProviderStream("auto", "city"), "feed", [encode(SSE)]), TOLD);
});

test("a body at every cut, in bytes and in units", () => {
  for (const form of [SSE, encode(SSE)]) {
    for (let cut = 0; cut <= form.length; cut++) {
      const told = collect(new ProviderStream("anthropic", "city"), "feed", [form.slice(0, cut), form.slice(cut)]);
      assert.deepEqual(told, TOLD, `cut at ${cut}`);
    }
  }
});

test("each provider's name is the library's", () => {
  for (const name of PROVIDERS) {
    const stream = new ProviderStream(name);
    assert.equal(stream.provider, name);
    stream.dispose();
  }
  const stream = new ProviderStream("auto");
  assert.equal(stream.provider, undefined);
  stream.push(CALL[0]);
  assert.equal(stream.provider, "anthropic");
});

test("the message goes back as it came", () => {
  const stream = new ProviderStream("anthropic", [], { message: true });
  for (const event of CALL.slice(0, 5)) stream.push(event);
  assert.equal(stream.message(), undefined);
  stream.push(CALL[5]);
  const call = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Zürich 😀", days: 2 } };
  assert.deepEqual(stream.message(), { role: "assistant", content: [call] });
  assert.deepEqual(JSON.parse(stream.messageText()), stream.message());
  const without = new ProviderStream("anthropic");
  for (const event of CALL) without.push(event);
  assert.equal(without.message(), undefined);
});

test("tools may have patterns of their own", () => {
  const stream = new ProviderStream("anthropic", "nothing", { tools: { weather: ["days", "city"], "größer": "x" } });
  const told = collect(stream, "push", CALL).filter((event) => event.kind === "end");
  assert.deepEqual(told.map(({ pattern, value }) => [pattern, value]), [[1, "Zürich 😀"], [0, 2]]);
  // More sets than are remembered at once.
  const others = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`tool${index}`, `field${index}`]));
  for (const tools of [{ weather: "days", ...others }, { ...others, weather: "days" }]) {
    const told = collect(new ProviderStream("anthropic", "nothing", { tools }), "push", CALL).filter((event) => event.kind === "end");
    assert.deepEqual(told.map(({ path }) => path), ["days"]);
  }
  for (let round = 0; round < 100; round++) {
    const stream = new ProviderStream("anthropic", `other${round}`, { tools: { weather: "days", [`t${round}`]: `x${round}` } });
    const told = collect(stream, "push", CALL).filter((event) => event.kind === "end");
    assert.deepEqual(told.map(({ path }) => path), ["days"]);
  }
});

test("a structured answer is a call without a name", () => {
  const stream = new ProviderStream("openai-chat", "a", { structured: true, numbers: "bigint" });
  const told = [
    ...stream.push({ choices: [{ delta: { content: '{"a": 123456789' } }] }),
    ...stream.push({ choices: [{ delta: { content: '01234567890}' }, finish_reason: "stop" }] }),
    ...stream.finish(),
  ];
  const input = told.find((event) => event.kind === "input");
  assert.equal(input.status, "complete");
  assert.equal(input.value.a, 12345678901234567890n);
  assert.ok(!("name" in told.find((event) => event.kind === "call")));
});

test("payloads in the text", () => {
  const chunk = (content, finish_reason = null) => ({ choices: [{ delta: { content }, finish_reason }] });
  const stream = new ProviderStream("openai-chat", "a", { envelope: ["fence:*", "tag:think"] });
  const told = [
    ...stream.push(chunk("<think>Hm</think>See ```js")),
    ...stream.push(chunk('on\n{"a": "x')),
    ...stream.push(chunk('y"}\n```.', "stop")),
    ...stream.finish(),
  ];
  assert.equal(stream.unfinished, undefined);
  const joined = (kind, part = () => true) => told.filter((event) => event.kind === kind && part(event)).map(({ text }) => text).join("");
  assert.deepEqual([joined("text"), joined("fragment"), joined("delta")], ["See .", "Hm", "xy"]);
  const [thought, payload] = told.filter(({ kind }) => kind === "payload");
  assert.deepEqual([thought.mark, thought.status, thought.raw], ["tag:think", "raw", "Hm"]);
  assert.deepEqual([payload.mark, payload.status, payload.value, payload.block, payload.choice], ["fence:*", "complete", { a: "xy" }, 0, 0]);
  assert.throws(() => new ProviderStream("openai-chat", [], { envelope: "note:x" }), { kind: "invalid-mark", message: /note:x/ });
});

test("deviations that are accepted", () => {
  const options = { lenient: "model-output", accept: true };
  const stream = new ProviderStream("ollama", [], { ...options, message: true });
  const message = { content: "", tool_calls: [{ function: { name: "f", arguments: '{"a": 1,}' } }] };
  const input = stream.push({ message, done: true, done_reason: "stop" }).find(({ kind }) => kind === "input");
  assert.deepEqual([input.status, input.value, input.raw, input.deviations.length], ["accepted", { a: 1 }, '{"a": 1,}', 1]);
  stream.finish();
  assert.equal(stream.unfinished, undefined);
});

test("the message without a call that was cut", () => {
  const stream = new ProviderStream("ollama", [], { message: true });
  const message = { content: "I look.", tool_calls: [{ function: { name: "f", arguments: '{"a' } }] };
  stream.push({ message, done: true, done_reason: "length" });
  stream.finish();
  assert.equal(stream.message(), undefined);
  assert.deepEqual(stream.messageWithoutCalls(), { role: "assistant", content: "I look." });
});

test("equal keys are an error unless the last one is asked for", () => {
  const events = [CALL[1], { ...CALL[2], delta: { type: "input_json_delta", partial_json: '{"a":1,"a":2}' } }, CALL[4]];
  const input = (options) => collect(new ProviderStream("anthropic", [], options), "push", events).find(({ kind }) => kind === "input");
  assert.equal(input({}).status, "malformed");
  assert.equal(input({}).error.kind, "duplicate-key");
  assert.deepEqual(input({ duplicateKeys: "last-wins" }).value, { a: 2 });
});

test("a prototype key is a member like any other, or nothing", () => {
  const events = [CALL[1], { ...CALL[2], delta: { type: "input_json_delta", partial_json: '{"__proto__":{"x":1},"b":2}' } }, CALL[4]];
  const value = (options) => collect(new ProviderStream("anthropic", [], options), "push", events).find(({ kind }) => kind === "input").value;
  assert.ok(Object.hasOwn(value({}), "__proto__"));
  assert.equal(value({}).x, undefined);
  assert.deepEqual(value({ prototypeKeys: "drop" }), { b: 2 });
  assert.throws(() => new ProviderStream("anthropic", [], { prototypeKeys: "reject" }), { kind: "invalid-option" });
});

test("a stream that ends early has no value", () => {
  for (let count = 2; count < 4; count++) {
    const told = collect(new ProviderStream("anthropic", "city"), "push", CALL.slice(0, count));
    const input = told.find((event) => event.kind === "input");
    assert.deepEqual([input.status, input.reason, "value" in input], ["truncated", "end-of-input", false]);
    assert.ok(told.some((event) => event.kind === "incomplete"));
  }
  const stream = new ProviderStream("anthropic");
  CALL.slice(0, 3).forEach((event) => stream.push(event));
  assert.equal(stream.finish("cancelled").find((event) => event.kind === "input").reason, "cancelled");
});

test("errors in a stream are events, and the stream continues", () => {
  const kinds = (events) => events.map((event) => event.kind);
  const stream = new ProviderStream("anthropic");
  assert.deepEqual(stream.push("nonsense"), [{ kind: "bad-frame", text: "nonsense" }]);
  const value = { type: "brand_new" };
  const raw = JSON.stringify(value);
  assert.deepEqual(stream.push(raw), [{ kind: "unknown-part", type: "brand_new", value, raw }]);
  assert.deepEqual(stream.push('{"new":1}'), [{ kind: "unknown-event", text: '{"new":1}' }]);
  assert.deepEqual(stream.push('{"a":"\ud83d"}'), [{ kind: "bad-frame", text: '{"a":"\ufffd"}' }]);
  const [error] = stream.push({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
  const own = { type: "overloaded_error", message: "Overloaded" };
  assert.deepEqual(error, { kind: "provider-error", ...own, retry: "later", value: own, raw: JSON.stringify(own) });
  assert.deepEqual(kinds(stream.push(CALL[1])), ["call"]);
  // A frame that can't be read may have been a part of the call.
  const broken = new ProviderStream("anthropic");
  const told = collect(broken, "feed", [SSE.replace('"partial_json":"rich', '"partial_json:"rich')]);
  assert.ok(kinds(told).includes("bad-frame"));
  assert.equal(told.find((event) => event.kind === "input").reason, "bad-frame");
  // An event that is too long.
  const small = new ProviderStream("anthropic", [], { callLimits: { eventBytes: 200 } });
  const tooLong = collect(small, "feed", [SSE.replace("rich", "r".repeat(200))]);
  assert.deepEqual(tooLong.find((event) => event.kind === "call-error"), { kind: "call-error", type: "event-limit" });
  assert.equal(tooLong.find((event) => event.kind === "input").reason, "limit");
});

test("wrong arguments are errors that list the possible ones", () => {
  assert.throws(() => new ProviderStream("opanai"), (error) => {
    assert.ok(error instanceof JsonSpigotError && error instanceof MainError);
    assert.equal(error.code, "ERR_JSONSPIGOT_INVALID_OPTION");
    return PROVIDERS.every((name) => error.message.includes(name)) && error.message.includes("auto");
  });
  assert.throws(() => new ProviderStream("mcp", "a["), PatternError);
  assert.throws(() => new ProviderStream("mcp", [], { snapshots: true }), /unknown option "snapshots"/);
  assert.throws(() => new ProviderStream("mcp", [], { callLimits: { openCalls: -1 } }), { kind: "invalid-option" });
  const stream = new ProviderStream("mcp");
  for (const wrong of [undefined, null, 1, () => 1]) {
    assert.throws(() => stream.push(wrong), TypeError);
    assert.throws(() => stream.feed(wrong), TypeError);
  }
  assert.throws(() => stream.push(new Uint8Array(1)), /`feed` takes the bytes/);
  stream.dispose();
  stream.dispose();
  for (const call of [() => stream.push({}), () => stream.feed(""), () => stream.finish(), () => stream.message(), () => stream.provider]) {
    assert.throws(call, { kind: "disposed" });
  }
});

test("events of an SDK that decodes base64 are read", () => {
  const stream = new ProviderStream("bedrock", "city");
  const told = CALL.flatMap((event) => stream.push({ chunk: { bytes: encode(JSON.stringify(event)) } }));
  assert.deepEqual(told.find((event) => event.kind === "input").value, { city: "Zürich 😀", days: 2 });
});

test("events of matches have segments", () => {
  const stream = new ProviderStream("anthropic", "$..*");
  const events = CALL.flatMap((event) => stream.push(event)).filter(({ kind }) => ["begin", "delta", "end"].includes(kind));
  assert.ok(events.length > 0);
  for (const event of events) assert.deepEqual(event.segments, [event.path]);
});

test("providerEvents reads responses, web streams and iterables", async () => {
  const cut = encode(SSE);
  const pieces = [cut.subarray(0, 300), cut.subarray(300)];
  async function* sdk() {
    yield* CALL;
  }
  const sources = [new Response(SSE), new Response(SSE).body, sdk(), CALL, pieces, [SSE], new Response(SSE).body.pipeThrough(new TextDecoderStream())];
  for (const source of sources) assert.deepEqual(plain(await all(providerEvents(source, "anthropic", "city"))), TOLD);
  assert.deepEqual(await all(providerEvents(new Response(null), "anthropic")).then((told) => told.filter(({ kind }) => kind === "call")), []);
});

test("a source that fails ends what is open before its error is thrown", async () => {
  async function* failing() {
    yield* CALL.slice(0, 3);
    throw new Error("reset by peer");
  }
  const told = [];
  await assert.rejects(async () => {
    for await (const event of providerEvents(failing(), "anthropic", "city")) told.push(event);
  }, /reset by peer/);
  const input = told.find((event) => event.kind === "input");
  assert.deepEqual([input.status, input.reason], ["truncated", "error"]);
});

test("leaving the loop and aborting cancel the source", async () => {
  for (const how of ["leave", "abort"]) {
    let isCancelled = false;
    const controller = new AbortController();
    const source = new ReadableStream({
      start: (stream) => stream.enqueue(encode(SSE.slice(0, 500))),
      cancel: () => {
        isCancelled = true;
      },
    });
    const loop = async () => {
      for await (const event of providerEvents(source, "anthropic", "city", { signal: controller.signal })) {
        if (event.kind === "call" && how === "leave") return;
        if (event.kind === "call") controller.abort(new Error("enough"));
      }
    };
    if (how === "leave") await loop();
    else await assert.rejects(loop, /enough/);
    assert.ok(isCancelled, how);
  }
});

test("init may be called at any time", async () => {
  await init();
  await init();
});

const latin = (text) => Uint8Array.from(text, (unit) => unit.charCodeAt(0));

const fixtures = new URL("../../../../shared/fixtures/", import.meta.url);
test("events of recorded streams do not depend on the cut", { skip: existsSync(fixtures) ? false : "the recordings are not beside the repository" }, () => {
  let count = 0;
  for (const file of readdirSync(fixtures, { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || file.name === "INDEX.md" || !/\.(txt|sse|bin)$/.test(file.name)) continue;
    const bytes = readFileSync(`${file.parentPath}/${file.name}`);
    const read = (chunks) => collect(new ProviderStream("auto", "$..*"), "feed", chunks);
    const whole = read([bytes]);
    assert.ok(whole.some(({ kind }) => kind === "input" || kind === "text" || kind === "refusal"), file.name);
    assert.deepEqual(read(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))), whole, file.name);
    for (let cut = 0; cut < bytes.length; cut += 1 + (bytes.length >> 5)) {
      assert.deepEqual(read([bytes.subarray(0, cut), bytes.subarray(cut)]), whole, `${file.name} cut at ${cut}`);
    }
    count += 1;
  }
  assert.ok(count > 20, `${count} recordings`);
});
