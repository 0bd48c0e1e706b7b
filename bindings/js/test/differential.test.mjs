// The core says what the command `jsonspigot` says, which is the Rust library: on generated texts, many of them no JSON, in
// generated cuts, with generated patterns and options. A fixed seed; `JSONSPIGOT_SEED` and `JSONSPIGOT_CASES` choose others:
//
//     JSONSPIGOT_SEED=7 JSONSPIGOT_CASES=1000000 node --test test/differential.test.mjs

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { before, test } from "node:test";

import * as jsonspigot from "./all.mjs";
import { theCommand } from "./command.mjs";
import { cases, DEVIATIONS, edited, next, pick, seed, value } from "./generate.mjs";
import { joined, replay } from "./replay.mjs";

const utf8 = new TextEncoder();

const PATTERNS = [
  ..."$|$..*|*|a|b|a.b|[*]|[0]|[1:3]|['a','b']|$..a|$..[0]|['é']|$..['a b']|[::2]|constructor".split("|"),
  ...["a | *", "$..* | $..*", "* | a", "a[*] | b", "* | * | *", "b | $"],
  ...["raw:$", "raw:$..*", "raw:a", "raw:*", "raw:$..a", "raw:* | *", "raw:a | $", "raw:$..* | $..*", "raw:[*] | $"],
];

const LIMITS = { maxDepth: 6, maxKey: 6, maxString: 6, maxNumber: 6, maxBlank: 2, maxTotal: 40 };

function options() {
  const chosen = {};
  chosen.retain = pick(["all", "all", "matches", "nothing"]);
  if (next(4) === 0) chosen.duplicateKeys = "reject";
  if (next(3) === 0) chosen.lenient = next(2) ? DEVIATIONS : DEVIATIONS.filter(() => next(2));
  if (chosen.lenient?.length === 0) delete chosen.lenient;
  if (chosen.lenient && next(2)) chosen.accept = true;
  if (next(4) === 0) for (const [name, most] of Object.entries(LIMITS)) if (next(3) === 0) chosen[name] = next(most);
  return chosen;
}

/** Returns the command's arguments for these options. */
function args({ patterns, options }, chunk) {
  const all = ["--chunk", String(chunk)];
  for (const [name, chosen] of Object.entries(options)) {
    // A state that is saved and restored changes nothing.
    if (name === "checkpoint") continue;
    all.push(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
    if (chosen !== true) all.push(String(chosen));
  }
  return [...all, "--", ...patterns];
}

let command;
before(() => {
  command = theCommand();
});

/** Cuts a text into chunks of `chunk` units, also inside surrogate pairs. Returns nothing if the bytes are not UTF-8. */
function stringsOf(bytes, chunk) {
  const text = Buffer.from(bytes).toString("utf8");
  if (text.includes("\ufffd") || text.startsWith("\ufeff")) return undefined;
  const strings = [];
  for (let at = 0; at < text.length; at += chunk) strings.push(text.slice(at, at + chunk));
  return strings;
}

function compare(header, bytes, chunk) {
  const chunks = [];
  for (let at = 0; at < bytes.length; at += chunk) chunks.push(Buffer.from(bytes.subarray(at, at + chunk)).toString("base64"));
  const { stdout } = spawnSync(command, args(header, chunk), { input: bytes, encoding: "utf8", maxBuffer: 1 << 28 });
  const expected = joined(stdout.split("\n").slice(0, -1));
  const told = { ...header, chunk, input: Buffer.from(bytes).toString("latin1").slice(0, 3_000) };
  let lines;
  try {
    // Snapshots and patches depend on where a chunk ends.
    const isShown = header.options.snapshots || header.options.patches;
    const strings = !isShown && next(2) ? stringsOf(bytes, chunk) : undefined;
    told.isText = strings !== undefined;
    lines = joined(replay({ header: { ...header, chunks, strings } }, jsonspigot));
  } catch (cause) {
    throw new Error(JSON.stringify(told), { cause });
  }
  if (lines.join("\n") === expected.join("\n")) return;
  const at = expected.findIndex((line, place) => line !== lines[place]);
  assert.deepEqual(lines.slice(at, at + 2), expected.slice(at, at + 2), JSON.stringify(told));
}

test(`${cases} texts in streams of documents, from seed ${seed}`, () => {
  for (let left = cases; left > 0; left -= 100) {
    const framing = pick(["lines", "lines", "lines", "sequence"]);
    const documents = Array.from({ length: 100 }, () => edited(utf8.encode(value(4) + pick(["", "", " "]))));
    const separated = documents.flatMap((document) => (framing === "lines" ? [...document, 10] : [0x1e, ...document, 10]));
    const patterns = Array.from({ length: next(4) }, () => pick(PATTERNS));
    compare({ patterns, options: { ...options(), documents: framing } }, Uint8Array.from(separated), pick([1, 2, 3, 7, 64, 100_000]));
  }
});

test("single texts with snapshots or patches, saved and restored", () => {
  for (let left = cases / 10; left > 0; left--) {
    const chosen = options();
    if (next(2)) chosen[pick(["snapshots", "patches"])] = true;
    if (chosen.snapshots || chosen.patches) if (next(2)) chosen.provisional = true;
    if (next(2) && (!chosen.lenient || chosen.retain === "all")) chosen.checkpoint = 1 + next(3);
    const patterns = Array.from({ length: next(4) }, () => pick(PATTERNS));
    const text = utf8.encode(value(4) + pick(["", "", " ", "x"]));
    compare({ patterns, options: chosen }, next(2) ? edited(text) : text, pick([1, 2, 3, 7, 64, 100_000]));
  }
});
