// Tool calls say what the Rust library says of the same signals: random ones, many of them in no order, with texts that are
// cut, repeated, spelt otherwise and contradicted. A fixed seed; `JSONSPIGOT_SEED` and `JSONSPIGOT_CASES` choose others.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

import { lenient as tolerating, ToolCalls } from "./all.mjs";
import { ProviderStream } from "../dist/providers/index.js";
import { cases, DEVIATIONS, next, pick, seed } from "./generate.mjs";
import { errorLine } from "./replay.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const INPUTS = [
  ...'{"a":1}|{ "a" : 1 }|{"a":1.0}|{"b":2,"a":1}|{"a":1,"b":2}|{"a":"é😀\\n"}|{"a":"\\u00e9\\ud83d\\ude00\\n"}|{}|{ }|[]|""|12|120|-0|1e3|1000|null|"text"'.split("|"),
  ...'{"a":1}{"a":1}|{"a":1} {"a":1.0}|{"a":1}{"b":2}|{"a":1}{"a":1,"a":2}|{} [1,]|1 2|{"a":1,"a":2}|{"a":[1,]}|{a:1}|{"a":1} // c|{"a":1}/|SELECT 1|{"a":1}x|{"a": [1, {"b": [true, "x"]}]}| {"a":1} |{"a":1,|{"a":1.25}'.split("|"),
];
const REASONS = [null, "tool_calls", "TOOL_USE", "stop", "length", "max_tokens", "content_filter", ""];
const NAMES = ["f", "g", "read", "", null, "a name that is rather long"];
const IDS = ["c1", "c2", "c3", "", null, "an id that is rather long"];
const SLOTS = [0, 0, 0, 1, 1, 2, 7, "c1", "c2", "c4", [1, 0], [1, 1], [0, 0], [2, 0], "an id that is rather long"];

function options() {
  const chosen = { patterns: Array.from({ length: next(3) }, () => pick(["$", "a", "$..*", "b", "raw:$", "raw:a"])) };
  if (next(3) === 0) chosen.tools = { f: ["a"], read: [] };
  if (next(4) === 0) chosen.cumulative = true;
  if (next(3) === 0) chosen.lastWins = true;
  if (next(3) === 0) chosen.lenient = true;
  if (chosen.lenient && next(2)) chosen.accept = true;
  if (next(4) === 0) chosen.openCalls = 1 + next(3);
  if (next(4) === 0) chosen.inputBytes = next(20);
  if (next(4) === 0) chosen.nameBytes = 1 + next(12);
  return chosen;
}

function given({ patterns, tools, cumulative, lastWins, lenient, accept, ...callLimits }) {
  const duplicateKeys = lastWins ? "last-wins" : "reject";
  return [patterns, { tools, cumulative, duplicateKeys, callLimits, accept, spelling: true, ...(lenient && { lenient: tolerating(DEVIATIONS) }) }];
}

function piece(text) {
  const characters = [...text];
  const from = next(characters.length + 1);
  return next(3) ? characters.slice(from, from + 1 + next(8)).join("") : text;
}

/** Generates a stream of signals: mostly deltas of a few texts. */
function signals() {
  const texts = new Map();
  const started = new Set();
  const all = [];
  for (let left = 1 + next(14); left > 0; left--) {
    const slot = pick(SLOTS);
    const key = JSON.stringify(slot);
    const start = () => ({ ...(next(4) && { name: pick(NAMES) }), ...(next(4) && { id: pick(IDS) }), ...(next(5) === 0 && { input: next(2) ? pick(INPUTS) : piece(pick(INPUTS)) }), ...(next(8) === 0 && { raw: true }), ...(next(8) === 0 && { executed: "provider" }) });
    const what = next(12);
    if (what !== 5 && !started.has(key) && next(8)) all.push({ start: [slot, start()] });
    if (what !== 5) started.add(key);
    switch (what) {
      case 0:
        all.push({ start: [slot, start()] });
        break;
      case 3:
        all.push({ whole: [slot, next(3) ? pick(INPUTS) : (texts.get(key)?.whole ?? pick(INPUTS))] });
        break;
      case 4:
        all.push({ stop: [slot] });
        break;
      case 5:
        all.push(pick([{ finish: [pick(REASONS)] }, { finishChoice: [next(3), pick(REASONS)] }, { cut: [pick(["cancelled", "end-of-input"])] }, { cutCall: [slot, "timeout"] }, { beginMessage: [] }]));
        break;
      default: {
        const text = texts.get(key) ?? { whole: pick(INPUTS), at: 0 };
        texts.set(key, text);
        const characters = [...text.whole];
        const count = 1 + next(6);
        all.push({ delta: [slot, next(12) ? characters.slice(text.at, text.at + count).join("") : piece(pick(INPUTS))] });
        text.at += count;
        if (text.at > characters.length) texts.delete(key);
      }
    }
  }
  all.push({ finish: [pick(REASONS)] });
  return all;
}

const said = (calls, [[name, given]]) => calls[name](...given);

/** Returns the events as the library serializes them. */
function serialized(event) {
  const { kind, call, id = null, name = null } = event;
  const executed = { executed: event.executed };
  switch (kind) {
    case "call":
      return { event: kind, call, id, name, choice: event.choice, ...executed };
    case "warning":
      return { event: kind, kind: event.type, call };
    case "call-error":
      return { event: kind, ...(call !== undefined && { call }), kind: event.type };
    case "mismatch":
      return { event: kind, kind: "arguments", call, text: event.text, ...(event.choice > 0 && { choice: event.choice }) };
    case "input": {
      const { status, raw, values, repeated, deviations, more, error, reason } = event;
      const hasValue = status === "complete" || status === "accepted" || status === "empty";
      // Other tests compare values.
      const line = { event: kind, call, id, name, status, ...(hasValue ? { value: event.value } : { raw }) };
      if (deviations) line.deviations = deviations.map((place) => ({ kind: place.kind, offset: place.offset }));
      if (more) line.more = more;
      if (values) Object.assign(line, { values, repeated });
      if (error) line.error = { ...JSON.parse(errorLine(error)), event: undefined };
      else if (reason !== undefined) line.error = { kind: "incomplete" };
      if (reason !== undefined) line.error.reason = reason;
      return { ...line, ...executed };
    }
    case "begin":
      return { event: kind, call, pattern: event.pattern, path: event.path, kind: event.type === "boolean" ? "bool" : event.type };
    case "delta":
      return { event: kind, call, pattern: event.pattern, path: event.path, text: event.text };
    case "end":
      return { event: kind, call, pattern: event.pattern, path: event.path, value: event.value };
    default:
      return { event: kind };
  }
}

/** Removes the members about the library's own copies, and joins each match's deltas. */
function joined(events) {
  const all = [];
  const open = new Map();
  for (const { match: _, match_id, offset, ...event } of events) {
    if (event.event === "fragment") continue;
    const key = JSON.stringify([event.call, event.pattern, event.path]);
    if (event.event === "delta" && open.has(key)) {
      open.get(key).text += event.text;
      continue;
    }
    if (event.event === "delta") open.set(key, event);
    if (event.event === "begin") open.delete(key);
    all.push(event);
  }
  return JSON.parse(JSON.stringify(all));
}

test(`${cases} streams of signals, from seed ${seed}`, () => {
  if (!process.env.JSONSPIGOT_SIGNALS) execFileSync("cargo", ["build", "--quiet", "--package", "jsonspigot-cli", "--example", "signals"], { cwd: root, stdio: "inherit" });
  const command = process.env.JSONSPIGOT_SIGNALS ?? `${process.env.CARGO_TARGET_DIR ?? `${root}target`}/debug/examples/signals`;
  for (let left = cases; left > 0; left -= 1_000) {
    const streams = Array.from({ length: Math.min(left, 1_000) }, () => ({ chosen: options(), signals: signals() }));
    const input = streams.flatMap(({ chosen, signals }) => [{ new: chosen }, ...signals]).map((line) => `${JSON.stringify(line)}\n`).join("");
    const { stdout, stderr } = spawnSync(command, [], { input, encoding: "utf8", maxBuffer: 1 << 28 });
    const lines = stdout.split("\n");
    assert.equal(stderr, "");
    let at = 0;
    for (const { chosen, signals } of streams) {
      const [patterns, options] = given(chosen);
      const calls = new ToolCalls(patterns, options);
      const [all, expected] = [[], []];
      for (const signal of signals) {
        const line = JSON.parse(lines[at++]);
        all.push(...said(calls, Object.entries(signal)).map(serialized));
        expected.push(...line);
      }
      assert.deepEqual(joined(all), joined(expected), JSON.stringify({ chosen, signals }));
    }
  }
});

/** The options with what this entry takes for the names of deviations. */
const leniently = (options) => (options.lenient ? { ...options, lenient: tolerating(options.lenient) } : options);

/** Joins each match's deltas, and replaces errors by their properties. */
function joinedRecords(events) {
  const open = new Map();
  const all = [];
  for (const event of events) {
    const key = `${event.call} ${event.matchId}`;
    if (event.kind === "delta" && open.has(key)) open.get(key).text += event.text;
    else all.push(event.error ? { ...event, error: { ...event.error, message: event.error.message } } : { ...event });
    if (event.kind === "delta" && !open.has(key)) open.set(key, all.at(-1));
  }
  return all;
}

test("the records are those of `jsonspigot/providers`", () => {
  for (let left = cases / 4; left > 0; left--) {
    const lenient = next(3) === 0 ? { lenient: DEVIATIONS, accept: next(2) === 0 } : {};
    const chosen = { spelling: next(2) === 0, ...lenient, ...(next(4) === 0 && { numbers: "bigint" }) };
    const patterns = Array.from({ length: next(3) }, () => pick(["$", "a", "$..*", "b"]));
    const [calls, stream] = [new ToolCalls(patterns, leniently(chosen)), new ProviderStream("openai-chat", patterns, chosen)];
    const [all, expected] = [[], []];
    const chunk = (delta, finish_reason = null) => {
      expected.push(...stream.push({ choices: [{ index: 0, delta, finish_reason }] }));
    };
    const open = Array.from({ length: 1 + next(3) }, (_, index) => ({ index, rest: [...pick(INPUTS)] }));
    for (const { index } of open) {
      all.push(...calls.start(index, { id: `c${index}`, name: "f" }));
      chunk({ tool_calls: [{ index, id: `c${index}`, function: { name: "f", arguments: "" } }] });
    }
    while (open.some(({ rest }) => rest.length > 0)) {
      const { index, rest } = pick(open.filter(({ rest }) => rest.length > 0));
      const piece = rest.splice(0, 1 + next(6)).join("");
      all.push(...calls.delta(index, piece));
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
    const reason = pick(["tool_calls", "length", "stop"]);
    all.push(...calls.finish(reason));
    chunk({}, reason);
    expected.push(...stream.finish());
    stream.dispose();
    const kinds = ["call", "begin", "delta", "end", "input", "call-error", "mismatch"];
    // A stream ends the calls that are not whole last.
    const told = expected.filter(({ kind }) => kinds.includes(kind));
    const byCall = (events) => joinedRecords(events).sort((one, other) => one.call - other.call);
    assert.deepEqual(byCall(all), byCall(told), JSON.stringify({ patterns, chosen }));
  }
});
