// The adapters beside the Rust reader. On the recordings of the providers' own servers they report the same calls, texts and
// stops. On any other stream, cut and damaged ones too, they report a call as whole only where the Rust reader does.
//
// The command reads the streams themselves, and `jsonspigot/providers`, which is the same library, reads variants of them. The damage is
// generated from a fixed seed; `JSONSPIGOT_SEED` and `JSONSPIGOT_CASES` choose others.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { before, test } from "node:test";

import { ProviderStream } from "../dist/providers/index.js";
import { AiSdkStream } from "../dist/wires/ai-sdk.js";
import { AnthropicStream } from "../dist/wires/anthropic.js";
import { GeminiStream } from "../dist/wires/gemini.js";
import { ChatStream, ResponsesStream } from "../dist/wires/openai.js";
import { theCommand } from "./command.mjs";
import { cases, next, pick } from "./generate.mjs";

const ADAPTERS = {
  "openai-chat": ChatStream,
  "openai-responses": ResponsesStream,
  anthropic: AnthropicStream,
  gemini: GeminiStream,
  "vercel-ui": AiSdkStream,
};

const root = fileURLToPath(new URL("../../..", import.meta.url));
const wires = `${root}llm/tests/wires`;
const shared = `${root}../shared`;
const withRecordings = { skip: existsSync(`${shared}/recordings`) ? false : "the recordings are not beside the repository" };

/** Recordings of other servers, in the folders of the wires that they have. */
const OTHERS = /mistral|content-parts|perplexity|native-finish|reasoning-details|groq|xai/;
/** A recording from which most pieces of the text were taken out. */
const SHORTENED = "openai-phase.1.jsonl";

let command;
before(() => {
  command = theCommand();
});

const filesIn = (folder) => (existsSync(folder) ? readdirSync(folder).sort() : []);

/** Returns the streams of a wire: those of the Rust tests, and recorded ones. */
function streamsOf(wire) {
  const written = filesIn(`${wires}/${wire}`).flatMap((name) => {
    const lines = readFileSync(`${wires}/${wire}/${name}`, "utf8").split("\n");
    const options = lines.find((line) => line.startsWith("options:")) ?? "";
    // Text that is itself JSON is no call for an adapter.
    if (options.includes("structured")) return [];
    const text = lines.filter((line) => line.startsWith("<")).map((line) => line.slice(2)).join("\n");
    return [{ name, text, cumulative: options.includes("cumulative") }];
  });
  return [...written, ...recordingsOf(wire)];
}

const recordingsOf = (wire) =>
  ["recordings", "fixtures"].flatMap((folder) => {
    const path = `${shared}/${folder}/${wire}`;
    return filesIn(path).map((name) => ({ name, text: readFileSync(`${path}/${name}`, "utf8"), cumulative: false }));
  });

/** Returns the JSON texts of a stream's events: after `data:`, or one a line. */
function eventsIn(text) {
  if (!/^data:/m.test(text)) return text.split("\n").filter((line) => line.trim() !== "");
  const frames = text.split(/\r?\n\r?\n/).map((frame) => frame.split(/\r?\n/).filter((line) => line.startsWith("data:")));
  return frames.filter((lines) => lines.length > 0).map((lines) => lines.map((line) => line.slice(5).trim()).join("\n"));
}

function readBy(stream, events) {
  const told = [...events.flatMap((event) => stream.push(event)), ...stream.finish()];
  stream.dispose?.();
  return told;
}

const adapted = (wire, { cumulative }, events) => readBy(new ADAPTERS[wire]([], { cumulative }), events);
const expected = (wire, { cumulative }, events) => readBy(new ProviderStream(wire, [], { cumulative }), events);

/** Returns the command's output for a stream, as events. */
function commanded(wire, { text, cumulative }) {
  const args = ["--provider", wire, "--duplicate-keys", "reject", ...(cumulative ? ["--cumulative"] : [])];
  const { stdout } = spawnSync(command, args, { input: text, encoding: "utf8", maxBuffer: 1 << 28 });
  const calls = new Map();
  return stdout.split("\n").filter((line) => line !== "").map((line) => {
    const { event: kind, error, ...said } = JSON.parse(line);
    if (kind === "call") calls.set(said.call, said);
    if (kind !== "input") return { choice: 0, ...said, kind };
    const { id, name, executed } = calls.get(said.call);
    return { ...said, kind, id, name, executed, ...(error?.reason && { reason: error.reason }) };
  });
}

/** The members of objects in one order. */
const sorted = (_, value) => (Object(value) === value && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value);

const WHOLE = ["complete", "accepted", "empty", "raw"];
const isWhole = (event) => event.kind === "input" && WHOLE.includes(event.status);
const inputOf = ({ id, name, status, value, raw }) => JSON.stringify([id, name, status, value === undefined ? raw : value], sorted);

/** Returns the whole inputs of one list that another lacks. */
function beyond(ours, theirs) {
  const left = theirs.filter(isWhole).map(inputOf);
  return ours.filter(isWhole).map(inputOf).filter((input) => {
    const at = left.indexOf(input);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Returns calls, inputs, text and stops. The Rust reader reports the parts of a response as answers, an adapter as one text. */
function summary(told, wire) {
  const choiceOf = ({ choice }) => (wire === "openai-responses" ? 0 : choice);
  const texts = {};
  for (const event of told) if (event.kind === "text") texts[choiceOf(event)] = (texts[choiceOf(event)] ?? "") + event.text;
  return {
    inputs: told.filter(({ kind }) => kind === "input").map((event) => [inputOf(isWhole(event) ? event : { ...event, raw: "" }), event.executed]),
    texts,
    stops: told.filter(({ kind }) => kind === "stop").map((event) => [event.reason, choiceOf(event)]),
  };
}

for (const wire of Object.keys(ADAPTERS)) {
  test(`${wire}: recordings of the provider's own servers are read as the command reads them`, withRecordings, () => {
    const own = recordingsOf(wire).filter(({ name }) => !OTHERS.test(name));
    // The AI SDK's streams are made by the SDK's own tests here.
    assert.ok(own.length >= 6 || wire === "vercel-ui", `${own.length} recordings`);
    for (const stream of own) {
      const [ours, theirs] = [summary(adapted(wire, stream, eventsIn(stream.text)), wire), summary(commanded(wire, stream), wire)];
      if (stream.name === SHORTENED) ours.texts = theirs.texts;
      assert.deepEqual(ours, theirs, stream.name);
    }
  });

  test(`${wire}: objects are read as their JSON texts`, () => {
    for (const stream of streamsOf(wire)) {
      const texts = eventsIn(stream.text).filter((text) => /^\s*\{.*\}\s*$/s.test(text) && isJson(text));
      const told = (events) => adapted(wire, stream, events).filter(({ kind }) => kind !== "provider-event");
      const comparable = (events) => JSON.parse(JSON.stringify(events));
      assert.deepEqual(comparable(told(texts.map((text) => JSON.parse(text)))), comparable(told(texts)), stream.name);
    }
  });

  test(`${wire}: no call is whole that the command does not report as whole`, () => {
    const streams = streamsOf(wire);
    assert.ok(streams.length > 20, `${streams.length} streams`);
    for (const stream of streams) {
      assert.deepEqual(beyond(adapted(wire, stream, eventsIn(stream.text)), commanded(wire, stream)), [], stream.name);
    }
  });

  test(`${wire}: nor if the stream is cut, or an event of it is lost`, () => {
    let whole = 0;
    for (const stream of streamsOf(wire)) {
      const events = eventsIn(stream.text);
      for (let at = 0; at < events.length; at++) {
        for (const left of [events.slice(0, at), [...events.slice(0, at), ...events.slice(at + 1)]]) {
          const ours = adapted(wire, stream, left);
          whole += ours.filter(isWhole).length;
          assert.deepEqual(beyond(ours, expected(wire, stream, left)), [], `${stream.name} at ${at}`);
        }
      }
    }
    assert.ok(whole > 50, `${whole} whole inputs`);
  });
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Damages a stream once or twice: loses, repeats, moves or inserts events. */
function damaged(events, others) {
  const list = structuredClone(events);
  for (let left = 1 + next(2); left > 0; left--) {
    const at = next(list.length);
    switch (next(4)) {
      case 0:
        if (list.length > 1) list.splice(at, 1);
        break;
      case 1:
        list.splice(at, 0, list[at]);
        break;
      case 2:
        list.splice(next(list.length), 0, ...list.splice(at, 1));
        break;
      default:
        list.splice(at, 0, pick(pick(others)));
    }
  }
  return list;
}

test(`${cases} damaged streams`, () => {
  const all = Object.keys(ADAPTERS).map((wire) => {
    // The adapters do not know the events of live connections, which have streams of their own.
    const isLive = ({ name }) => /realtime|live|interactions|translation|transcription|spoken|heard/.test(name);
    const streams = streamsOf(wire).filter((stream) => stream.text.length < 12_000 && !stream.cumulative && !isLive(stream));
    const lists = streams.map(({ text }) => eventsIn(text).filter(isJson).map((event) => JSON.parse(event)).filter((event) => Object(event) === event));
    return [wire, lists.filter((events) => events.length > 0)];
  });
  let whole = 0;
  for (let left = cases; left > 0; left--) {
    const [wire, lists] = pick(all);
    const events = damaged(pick(lists), lists).map((event) => JSON.stringify(event));
    const ours = adapted(wire, {}, events);
    whole += ours.filter(isWhole).length;
    assert.deepEqual(beyond(ours, expected(wire, {}, events)), [], `${wire}\n${events.join("\n")}`);
  }
  assert.ok(whole > cases / 8, `${whole} whole inputs`);
});
