// The envelope says what the Rust library's says: of generated texts with marks, payloads and what looks like them, in
// generated cuts, as strings and as bytes. `jsonspigot/providers` reads most of them, as the text of an answer, and the
// command those with bytes that are no text, or options that a stream does not have. A fixed seed; `JSONSPIGOT_SEED` and
// `JSONSPIGOT_CASES` choose others.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as core from "./all.mjs";
import { Envelope, lenient as tolerating } from "./all.mjs";
import { ProviderStream } from "../dist/providers/index.js";
import { theCommand } from "./command.mjs";
import { cases, DEVIATIONS, next, pick, seed } from "./generate.mjs";
import { replayProviders } from "./replay-providers.mjs";
import { joined, readVectors } from "./replay.mjs";

const MARKS = [
  ..."comment:a|comment:ctx|comment:a:raw|fence:json|fence:js|fence:*|fence:*:raw|fence:text:raw|tag:t|tag:t:json|tag:call:raw|tag:é|bare|bare:object".split("|"),
  ..."between:[ARGS]:[END]|between:{{:}}|between:<|x|>:<|y|>|between:é:😀|between:\\::;|between:[[[:]:raw|between:<:>|between:[CALL]:|between:[:|between:{:|between:<:[]a]|between:<c>::led|between:[ARGS]:[END]:led|between:{{:}}:led".split("|").reduce((all, part) => {
    // Some of these have a bar in them.
    if (part.startsWith("between:")) all.push(part);
    else all[all.length - 1] += `|${part}`;
    return all;
  }, []),
];
const JSONS = [
  ...'{"a":1}|{"a": "é😀\\n"}|[1, 2]|[]|{}|12|-|1.5e3|true|nul|null|"text"|"-->"|{"a":"</t>"}|{"a":["```"]}|{"a":[{"b":"x"}]}|{"a":1,"a":2}'.split("|"),
  ...'{"a":1,}|{a: 1}|{"a":"it\'s" // c\n}|[1]x|{"a":1}{"b":2}|[1] [2]|{"a":|{"a":-|[1,|"open|{"k":"\\ud800"}|{}}|[[]]|[ ]|/* c */ 1|{"a":1}/'.split("|"),
];
const PIECES = [
  ..."[CALL]|[]a|[]a]|<[]a|<c>|<c>say[ARGS]|<!--a |<!--ctx|<!-- ctx\n|<!--ctxx |-->|--|->|<!--|<t>|</t>|<call>|</call>|<|</|<<t>|</é>|<é>|[ARGS]|[END]|{{|}}|<|x|>|<|y|>|é|😀|:|[[[|]|>".split("|"),
  ..."```|````|``|`|```json\n|```json {|```js\n|```\n|```text\n| ```\n|```{r}\n|```[a.js]\n|\n```|~".split("|"),
  ..."text |\n|\t| |see [1] |{ braces } |[x] |- |1. |\r\n|{|[|\"|'|\\".split("|"),
];

function text() {
  let all = "";
  for (let left = 1 + next(9); left > 0; left--) {
    all += next(3) ? pick(PIECES) : pick(JSONS);
    if (next(6) === 0) all += pick([" ", "\n", "\n\n"]);
  }
  return all;
}

/** Generates a payload between the marks of a delimiter, with or without mistakes. */
function payload(mark) {
  const [shape, name, close, content] = mark.split(/(?<!\\):/);
  const json = pick(JSONS);
  const space = () => pick(["", "", " ", "\n"]);
  const body = space() + json + space();
  switch (shape) {
    case "comment":
      return `<!--${space()}${name}${pick([" ", "", "\n"])}${body}-->`;
    case "fence":
      return `\`\`\`${name === "*" ? pick(["", "json", "js", "x y"]) : name}${pick(["\n", " ", ""])}${body}\`\`\``;
    case "tag":
      return `<${name}>${body}</${name}>`;
    case "between":
      return name.replace(/\\(.)/g, (_, unit) => (unit === "n" ? "\n" : unit)) + (content === "led" ? pick(PIECES) : "") + body + close.replace(/\\(.)/g, (_, unit) => (unit === "n" ? "\n" : unit));
    default:
      return body;
  }
}

function options() {
  const chosen = { spelling: true };
  if (next(3) === 0) chosen.lenient = next(2) ? DEVIATIONS : "model-output";
  if (chosen.lenient && next(2)) chosen.accept = true;
  if (next(4) === 0) chosen.duplicateKeys = "reject";
  if (next(6) === 0) chosen.limits = { [pick(["depth", "key", "string", "number", "blank", "total"])]: next(6) };
  return chosen;
}

/** The options with what this entry takes for the names of deviations. */
const leniently = (options) => (options.lenient ? { ...options, lenient: tolerating(options.lenient) } : options);

/** The pieces of a text or of bytes. */
function chunks(whole) {
  const most = pick([1, 2, 3, 9, 1000]);
  const cut = [];
  for (let at = 0; at < whole.length; ) {
    const length = 1 + next(most);
    cut.push(whole.slice(at, at + length));
    at += length;
  }
  if (next(10) === 0) cut.splice(next(cut.length + 1), 0, next(2) ? "" : new Uint8Array(0));
  return cut;
}

/** Joins the deltas, pieces of text and fragments of events, and replaces errors by their properties. */
function told(events) {
  const all = [];
  const open = new Map();
  // Each implementation words the errors of malformed texts in its own way.
  const worded = /, and this may be .*?(?= at line)| \((?:is|are) th.*?\?.*?\)|(?<=^depth limit: expected ).*?(?= at line)/;
  for (const event of events) {
    const before = all.at(-1);
    if (event.kind === "begin") open.delete(event.matchId);
    if (event.kind === "payload") open.clear();
    if ((event.kind === "text" || event.kind === "fragment") && before?.kind === event.kind && before.mark === event.mark) before.text += event.text;
    else if (event.kind === "delta" && open.has(event.matchId)) open.get(event.matchId).text += event.text;
    else all.push(event.error ? { ...event, error: { ...event.error, message: event.error.message.replace(worded, ""), events: undefined } } : { ...event });
    if (event.kind === "delta" && !open.has(event.matchId)) open.set(event.matchId, all.at(-1));
  }
  return all;
}

/** What the library finds in an answer with this text. */
function foundInAnswer(text, marks, patterns, options) {
  const stream = new ProviderStream("openai-chat", patterns, { duplicateKeys: "last-wins", ...options, envelope: marks });
  const events = [...stream.push({ choices: [{ index: 0, delta: { content: text } }] }), ...stream.finish()];
  stream.dispose();
  const isOfText = ({ kind, mark }) => kind === "text" || mark !== undefined;
  return events.filter(isOfText).map(({ choice: _, block: __, ...event }) => event);
}

/** Lines with pieces of text and fragments in the first of them. */
function withoutCuts(lines) {
  const all = [];
  for (const line of joined(lines)) {
    const [event, before] = [line, all.at(-1) ?? "{}"].map((line) => JSON.parse(line));
    const isMore = (event.event === "text" || event.event === "fragment") && event.event === before.event && event.mark === before.mark;
    if (isMore) all[all.length - 1] = JSON.stringify({ ...before, text: before.text + event.text });
    else all.push(line);
  }
  return all;
}

function chosenCase() {
  const marks = Array.from({ length: 1 + next(3) }, () => pick(MARKS));
  const patterns = Array.from({ length: next(3) }, () => pick(["$", "a", "$..*", "*", "raw:$", "raw:a"]));
  const whole = Array.from({ length: 1 + next(3) }, () => (next(3) ? text() + payload(pick(marks)) : text())).join("");
  return { marks, patterns, options: options(), whole };
}

test(`${cases} texts, from seed ${seed}`, () => {
  for (let left = cases; left > 0; left--) {
    const { marks, patterns, options, whole } = chosenCase();
    const cut = chunks(next(2) ? whole : new TextEncoder().encode(whole));
    const envelope = new Envelope(marks, patterns, leniently(options));
    const found = [...cut.flatMap((chunk) => envelope.feed(chunk)), ...envelope.finish()];
    const input = cut.map((chunk) => (typeof chunk === "string" ? chunk : { bytes: Buffer.from(chunk).toString("latin1") }));
    const what = JSON.stringify({ marks, patterns, options, input });
    assert.deepEqual(told(found), told(foundInAnswer(whole, marks, patterns, options)), what);
  }
});

test("bytes that may be no text, as the command reads them", () => {
  const command = theCommand();
  for (let left = Math.ceil(cases / 20); left > 0; left--) {
    const { marks, patterns, options: { limits = {}, spelling: _, ...rest }, whole } = chosenCase();
    const bytes = new TextEncoder().encode(whole);
    if (next(2) && bytes.length > 0) bytes[next(bytes.length)] = pick([0xff, 0xc3, 0xe2, 0x80, 0xed]);
    const options = { ...rest, ...(next(2) && { retain: pick(["all", "matches", "nothing"]) }) };
    const args = marks.map((mark) => `--envelope=${mark}`);
    if (options.lenient) args.push(`--lenient=${[options.lenient].flat().join(",")}`);
    if (options.accept) args.push("--accept");
    if (options.duplicateKeys) args.push(`--duplicate-keys=${options.duplicateKeys}`);
    if (options.retain) args.push(`--retain=${options.retain}`);
    const most = {};
    for (const [name, limit] of Object.entries(limits)) {
      args.push(`--max-${name}=${limit}`);
      most[`max${name[0].toUpperCase()}${name.slice(1)}`] = limit;
    }
    const { stdout } = spawnSync(command, [...args, "--", ...patterns], { input: bytes, encoding: "utf8" });
    const pieces = chunks(bytes).filter((chunk) => typeof chunk !== "string");
    const header = { patterns, options: { ...options, ...most, envelope: marks }, chunks: pieces.map((chunk) => Buffer.from(chunk).toString("base64")) };
    const expected = withoutCuts(stdout.split("\n").filter((line) => line !== ""));
    assert.deepEqual(withoutCuts(replayProviders({ header }, core)), expected, JSON.stringify({ args, patterns, input: Buffer.from(bytes).toString("latin1") }));
  }
});

test("the vectors", () => {
  const vectors = readVectors(readFileSync(new URL("../../../vectors/envelope.jsonl", import.meta.url), "utf8"));
  assert.ok(vectors.length > 30);
  for (const vector of vectors) assert.deepEqual(joined(replayProviders(vector, core)), joined(vector.lines), vector.header.vector);
});
