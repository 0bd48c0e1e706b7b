// The envelope says what the one of `jsonspigot/providers` says, which is the Rust library's: of generated texts with marks,
// payloads and what looks like them, in generated cuts, as strings and as bytes. A fixed seed; `JSONSPIGOT_SEED` and
// `JSONSPIGOT_CASES` choose others.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Envelope, lenient as tolerating } from "./all.mjs";
import * as providers from "../dist/providers/index.js";
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
  if (next(4) === 0) chosen.retain = pick(["all", "matches", "nothing"]);
  if (next(5) === 0) chosen.holdLimit = next(24);
  if (next(5) === 0) chosen.payloadLimit = next(16);
  if (next(6) === 0) chosen.limits = { [pick(["depth", "key", "string", "number", "blank", "total"])]: next(6) };
  return chosen;
}

/** The options with what this entry takes for the names of deviations. */
const leniently = (options) => (options.lenient ? { ...options, lenient: tolerating(options.lenient) } : options);

function chunks(whole) {
  const isText = next(2);
  let all = isText ? whole : new TextEncoder().encode(whole);
  if (!isText && next(12) === 0 && all.length > 0) all[next(all.length)] = pick([0xff, 0xc3, 0xe2, 0x80, 0xed]);
  if (isText && next(12) === 0) all = all.slice(0, next(all.length + 1)) + pick(["\ud83d", "\ude00"]) + all.slice(next(all.length + 1));
  const most = pick([1, 2, 3, 9, 1000]);
  const cut = [];
  while (all.length > 0) {
    const length = 1 + next(most);
    cut.push(all.slice(0, length));
    all = all.slice(length);
  }
  if (next(10) === 0) cut.splice(next(cut.length + 1), 0, next(2) ? "" : new Uint8Array(0));
  return cut;
}

/** Joins the deltas, pieces of text and fragments of an envelope's events, and replaces errors by their properties. */
function told(envelope, cut) {
  const all = [];
  const open = new Map();
  // Each implementation words the errors of malformed texts in its own way.
  const worded = /, and this may be .*?(?= at line)| \((?:is|are) th.*?\?.*?\)|(?<=^depth limit: expected ).*?(?= at line)/;
  const told = (error) => ({ ...error, message: error.message.replace(worded, ""), events: undefined });
  const add = (event) => {
    const before = all.at(-1);
    if (event.kind === "begin") open.delete(event.matchId);
    if (event.kind === "payload") open.clear();
    if ((event.kind === "text" || event.kind === "fragment") && before?.kind === event.kind && before.mark === event.mark) before.text += event.text;
    else if (event.kind === "delta" && open.has(event.matchId)) open.get(event.matchId).text += event.text;
    else all.push(event.error ? { ...event, error: told(event.error) } : { ...event });
    if (event.kind === "delta" && !open.has(event.matchId)) open.set(event.matchId, all.at(-1));
  };
  const call = (run) => {
    try {
      run().forEach(add);
    } catch (error) {
      error.events?.forEach(add);
      all.push({ thrown: told(error) });
    }
  };
  for (const chunk of cut) call(() => envelope.feed(chunk));
  call(() => envelope.finish());
  return all;
}

test(`${cases} texts, from seed ${seed}`, () => {
  for (let left = cases; left > 0; left--) {
    const marks = Array.from({ length: 1 + next(3) }, () => pick(MARKS));
    const patterns = Array.from({ length: next(3) }, () => pick(["$", "a", "$..*", "*", "raw:$", "raw:a"]));
    const chosen = options();
    const whole = Array.from({ length: 1 + next(3) }, () => (next(3) ? text() + payload(pick(marks)) : text())).join("");
    const cut = chunks(whole);
    const input = cut.map((chunk) => (typeof chunk === "string" ? chunk : { bytes: Buffer.from(chunk).toString("latin1") }));
    const what = JSON.stringify({ marks, patterns, chosen, input });
    const theirs = new providers.Envelope(marks, patterns, chosen);
    const expected = told(theirs, cut);
    theirs.dispose();
    assert.deepEqual(told(new Envelope(marks, patterns, leniently(chosen)), cut), expected, what);
  }
});

test("the vectors", () => {
  const vectors = readVectors(readFileSync(new URL("../../../vectors/envelope.jsonl", import.meta.url), "utf8"));
  assert.ok(vectors.length > 30);
  class Core extends Envelope {
    constructor(marks, patterns, options) {
      super(marks, patterns, leniently(options));
    }

    dispose() {}
  }
  for (const vector of vectors) assert.deepEqual(joined(replayProviders(vector, { Envelope: Core })), joined(vector.lines), vector.header.vector);
});
