// A rewriter lets out what the Rust library's does: of generated texts, many of them no JSON, by generated rules, in generated
// cuts, as strings and as bytes. A fixed seed; `JSONSPIGOT_SEED` and `JSONSPIGOT_CASES` choose others:
//
//     JSONSPIGOT_SEED=7 JSONSPIGOT_CASES=200000 node --test test/rewrite.differential.test.mjs

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { before, test } from "node:test";

import { Rewriter, Rule } from "../dist/rewrite/index.js";
import { cases, edited, next, pick, seed, value } from "./generate.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const utf8 = new TextEncoder();

const PATTERNS = [
  ..."*|a|b|a.b|[*]|[0]|[1:3]|['a','b']|$..a|$..[0]|['é']|$..['a b']|[::2]|constructor|$..*|*.*|a[*]".split("|"),
  ...["a | *", "$..* | $..*", "* | a", "a[*] | b", "* | * | *", "* | ..a", "b | [0]", "a | a | a", "* | * | ..b"],
];
const ROOTS = ["$", "a | $", "* | $", "b | a | $"];
const REPLACEMENTS = ["0", '"x"', '[1,"\\n\\\\😀"]', '{"a":[]}', "null", '"\u2028\u007f"'];
const KEYS = ["a", "b", "é", "0", "a b", "constructor", "\\u0061", "c"];
/** Keys that serde_json uses itself. A rewriter that redacts refuses the first one, however it is spelled. */
const PRIVATE_KEYS = ["$serde_json::private::RawValue", "$serde_json::private::\\u0052awValue", "$serde_json::private::Number"];

/** Spells a text as a JSON string in one of several ways. */
function quoted(text) {
  const spelt = text.split("").map((unit) => {
    const isHalf = unit >= "\ud800" && unit <= "\udfff";
    return next(isHalf ? 1 : 9) === 0 && !isHalf ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}` : isHalf ? unit : JSON.stringify(unit).slice(1, -1);
  });
  return `"${spelt.join("")}"`;
}

/** Generates a value that is likely to contain what the patterns select. */
function text(depth) {
  const space = () => pick(["", "", " ", "\n "]);
  switch (next(depth > 0 ? 6 : 2)) {
    case 0:
    case 1:
      return value(Math.min(depth, 2));
    case 2:
      return quoted(text(depth - 1) + pick(["", "", "", " ", "x"]));
    case 3:
      return `[${space()}${Array.from({ length: next(4) }, () => text(depth - 1) + space()).join(`,${space()}`)}]`;
    default:
      return `{${space()}${Array.from({ length: next(5) }, () => `"${pick(next(40) ? KEYS : PRIVATE_KEYS)}"${space()}:${space()}${text(depth - 1)}${space()}`).join(`,${space()}`)}}`;
  }
}

function rule() {
  const kind = pick(["remove", "remove", "remove", "redact", "replace", "map", "mapText"]);
  const pattern = pick(kind !== "remove" && next(6) === 0 ? ROOTS : PATTERNS);
  const isBad = kind === "map" && next(12) === 0;
  return [kind, pattern, ...(kind === "replace" ? [pick(REPLACEMENTS)] : isBad ? [pick(["oops", "1 2", "\0", '"\\ud800"'])] : [])];
}

function made([kind, pattern, given]) {
  switch (kind) {
    case "replace":
      return Rule.replace(pattern, JSON.parse(given));
    case "map":
      return Rule.map(pattern, (json) => given ?? `{"was": ${json}} `);
    case "mapText":
      return Rule.mapText(pattern, (piece) => piece?.replace(/[a-z]/g, (letter) => letter.toUpperCase()) ?? "!");
    default:
      return Rule[kind](pattern);
  }
}

function options() {
  const chosen = {};
  if (next(5) === 0) chosen.duplicateKeys = "reject";
  if (next(4) === 0) chosen.heldLimit = next(40);
  if (next(5) === 0) chosen.limits = { [pick(["depth", "key", "string", "number", "blank", "total"])]: next(12) };
  return chosen;
}

/** Cuts into pieces of at most this many bytes or units. */
function cut(whole, most) {
  const pieces = [];
  for (let at = 0; at < whole.length; ) pieces.push(whole.slice(at, (at += 1 + next(most))));
  return pieces;
}

function said(error) {
  const { kind, message, offset, line, column } = error;
  return line > 0 ? { kind, offset, line, column } : { message, offset };
}

/** Returns the output of each call, and the error. */
function run(rewriter, chunks) {
  const out = [];
  try {
    for (const chunk of chunks) out.push(rewriter.write(chunk));
    out.push(rewriter.finish());
    return { out, error: null };
  } catch (error) {
    if (error.name !== "RewriteError") throw error;
    out.push(error.output);
    assert.throws(() => rewriter.write(" "), { message: error.message, output: "" });
    return { out, error: said(error) };
  }
}

/** Removes the beginning of a character at the end. */
function whole(bytes) {
  const last = bytes.subarray(-3).findLastIndex((byte) => byte >= 0xc0);
  const at = bytes.length - Math.min(3, bytes.length) + last;
  const length = bytes[at] >= 0xf0 ? 4 : bytes[at] >= 0xe0 ? 3 : 2;
  return last < 0 || at + length <= bytes.length ? bytes : bytes.subarray(0, at);
}

before(() => {
  if (!process.env.JSONSPIGOT_REWRITING) execFileSync("cargo", ["build", "--quiet", "--package", "jsonspigot-cli", "--example", "rewriting"], { cwd: root, stdio: "inherit" });
});

test(`${cases} texts, from seed ${seed}`, () => {
  const command = process.env.JSONSPIGOT_REWRITING ?? `${process.env.CARGO_TARGET_DIR ?? `${root}target`}/debug/examples/rewriting`;
  for (let left = cases; left > 0; left -= 1_000) {
    const texts = Array.from({ length: Math.min(left, 1_000) }, () => {
      const document = utf8.encode(text(5) + pick(["", "", " ", "\n"]));
      const bytes = next(3) ? document : edited(document);
      const rules = Array.from({ length: 1 + next(3) }, rule);
      return { rules, ...options(), bytes, pieces: cut(bytes, pick([1, 2, 3, 7, 64, 100_000])) };
    });
    const input = texts.map(({ bytes: _, pieces, ...given }) => `${JSON.stringify({ ...given, chunks: pieces.map((piece) => Buffer.from(piece).toString("base64")) })}\n`).join("");
    const { stdout, stderr } = spawnSync(command, [], { input, encoding: "utf8", maxBuffer: 1 << 28 });
    assert.equal(stderr, "");
    const lines = stdout.split("\n");
    texts.forEach(({ rules, bytes, pieces, ...options }, place) => {
      const { out, error } = JSON.parse(lines[place]);
      const expected = whole(Buffer.concat(out.map((piece) => Buffer.from(piece, "base64")))).toString("utf8");
      const told = JSON.stringify({ rules, options, pieces: pieces.map((piece) => Buffer.from(piece).toString("latin1")) });
      const rewriter = new Rewriter(rules.map(made), { ...options, strictByteOrderMark: true });
      const ours = run(rewriter, pieces);
      assert.deepEqual({ out: ours.out.join(""), error: ours.error }, { out: expected, error }, told);
      // As promptly, where no character is cut; what is over a limit may be found later there, in an escape that is cut.
      const places = (out) => out.flatMap((piece, at) => (piece.length > 0 ? [[at, piece]] : []));
      const prompt = places(out.map((piece) => Buffer.from(piece, "base64").toString()));
      if (bytes.every((byte) => byte < 0x80)) assert.deepEqual(places(ours.out), prompt, told);
      const document = Buffer.from(bytes).toString("utf8");
      if (document.includes("\ufffd") || document.startsWith("\ufeff")) return;
      rewriter.reset();
      const strings = run(rewriter, cut(document, pick([1, 2, 3, 7, 64, 100_000])));
      assert.deepEqual({ out: strings.out.join(""), error: strings.error }, { out: expected, error }, told);
    });
  }
});
