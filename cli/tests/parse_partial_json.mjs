// After every byte of a valid document, `jsonspigot --snapshots --provisional --chunk 1` has printed the value that
// `parsePartialJson` of the npm package `ai` gives for the text so far. Run by `.ci/parse-partial-json`:
//
//     node cli/tests/parse_partial_json.mjs COMMAND MODULE SUITE
//
// COMMAND is the command's binary, MODULE the file that exports `parsePartialJson`, SUITE the folder `test_parsing` of
// JSONTestSuite. Of the suite it takes each document that the command accepts, whole; then it generates documents, from
// the seed in the variable `SEED` if there is one.
//
// The command gets a byte only when the line that the byte before it brings has been read, so a line that comes too late
// is a failure. Values are compared as `JSON.parse` reads them: `-0` is not `0`, and of equal names the last one counts.
//
// Where `parsePartialJson` is wrong, `DIFFERENCES` says so: it is asked about the same text in a spelling that it reads
// rightly. Any other difference is a failure, and so is a row that no document needs any more.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const [command, module, suite] = process.argv.slice(2);
const { parsePartialJson } = await import(pathToFileURL(module));

const GENERATED = 1000;
/** How deep generated documents are at most; at the root they are hardly ever atoms. */
const DEEPEST = 5;
const OPTIONS = ["--snapshots", "--provisional", "--chunk", "1", "--max-depth", "1000"];
/** How long one document may take; a line that never comes is noticed by this. */
const LONGEST_MS = 60_000;

/** An escape, or a character that begins none; of a text, they are found one after the other. */
const UNIT = /\\u[0-9a-fA-F]{4}|\\[^u]|[^\\]/gsu;
/** A string, which may be open, or an exponent's plus. */
const STRING_OR_PLUS = /"(?:[^"\\]|\\.)*(?:"|\\?$)|(?<=[eE])\+/gsu;

/** What `parsePartialJson` gets wrong, and how to ask it for the same value so that it does not. */
const DIFFERENCES = [
    {
        reason: "it shows half of an escaped surrogate pair, which is no character (RFC 8259, section 7)",
        respell: (text) => {
            const half = /\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?$/u.exec(text);
            // The backslash may itself be escaped.
            const before = half && text.slice(0, half.index);
            return half && before.replace(UNIT, "") === "" ? before : text;
        },
    },
    {
        reason: "in an object it loses a number's digits after `e+` (RFC 8259, section 6)",
        respell: (text) => text.replace(STRING_OR_PLUS, (found) => (found === "+" ? "" : found)),
    },
    {
        reason: "it takes an escaped quote for the end of a name (RFC 8259, section 7)",
        respell: (text) => text.replace(UNIT, (unit) => (unit === '\\"' ? "\\u0022" : unit)),
    },
    {
        reason: "it refuses a text with the name `__proto__`, which is as good as any (RFC 8259, section 4)",
        respell: (text) => text.replaceAll("__proto__", "__other__"),
        respellOurs: (line) => line.replaceAll("__proto__", "__other__"),
    },
];
const needed = new Map(DIFFERENCES.map(({ reason }) => [reason, 0]));

/** The value that has to be shown after this text; undefined for none. */
async function expectedAfter(text) {
    let { value } = await parsePartialJson(text);
    let respelt = text;
    for (const { reason, respell } of DIFFERENCES) {
        const next = respell(respelt);
        if (next !== respelt) {
            respelt = next;
            const { value: right } = await parsePartialJson(respelt);
            if (!isDeepStrictEqual(right, value)) {
                needed.set(reason, needed.get(reason) + 1);
                value = right;
            }
        }
    }
    return value;
}

function parsed(line) {
    const respelt = DIFFERENCES.reduce((line, { respellOurs }) => respellOurs?.(line) ?? line, line);
    return JSON.parse(respelt);
}

/** Holds the command against the text after each of its bytes. */
async function check(name, bytes) {
    const child = spawn(command, OPTIONS, { stdio: ["pipe", "pipe", "inherit"] });
    const status = new Promise((resolve) => child.on("close", resolve));
    const timer = setTimeout(() => child.kill(), LONGEST_MS);
    const lines = createInterface({ input: child.stdout, crlfDelay: Infinity })[Symbol.asyncIterator]();
    // The text is cut between characters: what the bytes of a half one show is what came before it.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    let [text, shown, unsent] = ["", undefined, 0];

    const fail = (line, expected) => {
        child.kill();
        const after = JSON.stringify(text);
        throw new Error(`${name}: after ${after}\n  expected ${JSON.stringify(expected)}\n  shown    ${line ?? "nothing"}`);
    };
    for (const [at, byte] of bytes.entries()) {
        const decoded = decoder.decode(Uint8Array.of(byte), { stream: true });
        text += decoded;
        const expected = decoded === "" ? shown : await expectedAfter(text);
        if (isDeepStrictEqual(expected, shown)) {
            continue;
        }
        child.stdin.write(bytes.subarray(unsent, at + 1));
        unsent = at + 1;
        for (;;) {
            const { value: line } = await lines.next();
            const event = line === undefined ? {} : parsed(line);
            if (event.event === "snapshot" && isDeepStrictEqual(event.value, expected)) {
                break;
            }
            // What prints otherwise may be the same value: `1.5` and `1.50`.
            if (event.event !== "snapshot" || !isDeepStrictEqual(event.value, shown)) {
                fail(line, expected);
            }
        }
        shown = expected;
    }
    child.stdin.end(bytes.subarray(unsent));
    let last;
    for await (const line of lines) {
        last = parsed(line);
        if (last.event !== "done" && !(last.event === "snapshot" && isDeepStrictEqual(last.value, shown))) {
            fail(line, shown);
        }
    }
    clearTimeout(timer);
    if ((await status) !== 0 || last?.event !== "done" || !isDeepStrictEqual(shown, parsed(text))) {
        fail(`status ${await status}`, shown);
    }
}

/** Whether the command takes the document for a JSON text. */
function isAccepted(bytes) {
    const child = spawn(command, ["--max-depth", "1000"], { stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.on("error", () => {});
    child.stdin.end(bytes);
    return new Promise((resolve) => child.on("close", (status) => resolve(status === 0)));
}

/** Random numbers below a bound, the same ones from the same seed (mulberry32). */
function random(seed) {
    let state = seed;
    return (bound) => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), state | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
    };
}

/** A document of every kind of value in every spelling, with white space anywhere, few names, and so some twice. */
function generate(below) {
    const pick = (choices) => choices[below(choices.length)];
    const some = (most, make) => Array.from({ length: below(most + 1) }, make);
    const blank = () => (below(4) === 0 ? some(3, () => pick([" ", "\t", "\n", "\r"])).join("") : "");
    const escape = () => {
        const unit = (code) => `\\u${code.toString(16).padStart(4, "0")}`;
        const pair = () => unit(0xd800 + below(0x400)) + unit(0xdc00 + below(0x400));
        const spelt = below(3) === 0 ? pair() : unit(below(0xd800));
        return below(2) === 0 ? spelt : spelt.replace(/[a-f]/gu, (digit) => digit.toUpperCase());
    };
    const character = () =>
        pick([
            () => pick([..."abcdefgh tfn019,:[]{}/'+-.e"]),
            () => pick(['\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"]),
            () => pick([..."é₹日😀\u{7f}\u{2028}\u{10ffff}"]),
            escape,
        ])();
    const string = (most) => `"${some(most, character).join("")}"`;
    const digits = (most) => `${below(10)}${some(most, () => below(10)).join("")}`;
    const number = () => {
        const integer = below(4) === 0 ? "0" : `${1 + below(9)}${some(pick([2, 2, 2, 25]), () => below(10)).join("")}`;
        const fraction = below(3) === 0 ? `.${digits(pick([3, 3, 30]))}` : "";
        const exponent = below(3) === 0 ? pick(["e", "E"]) + pick(["", "+", "-"]) + digits(2) : "";
        return (below(3) === 0 ? "-" : "") + integer + fraction + exponent;
    };
    const odd = () => pick(['"__proto__"', '"\\":1"', '""', '"tru"', '"\\\\"']);
    const name = () => pick([() => string(4), () => pick(['"a"', '"b"', '"type"']), () => pick(['"a"', odd()])])();
    const value = (depth) => {
        const inner = () => blank() + value(depth - 1) + blank();
        const member = () => `${blank()}${name()}${blank()}:${inner()}`;
        const kind = depth === 0 ? below(4) : depth === DEEPEST ? 3 + below(4) : below(7);
        return [
            () => pick(["true", "false", "null"]),
            number,
            () => string(6),
            () => (depth === DEEPEST ? value(0) : string(12)),
            () => `[${some(4, inner).join(",") || blank()}]`,
            () => `{${some(4, member).join(",") || blank()}}`,
            () => `{${some(3, member).join(",") || blank()}}`,
        ][kind]();
    };
    return blank() + value(DEEPEST) + blank();
}

/** All documents, each with a name: the suite's that are accepted, then the generated ones. */
async function* documents() {
    for (const file of readdirSync(suite).sort()) {
        const bytes = readFileSync(join(suite, file));
        if (await isAccepted(bytes)) {
            yield [file, bytes];
        }
    }
    const seed = Number(process.env.SEED ?? 1);
    const below = random(seed);
    for (let count = 0; count < GENERATED; count++) {
        yield [`generated document ${count} of seed ${seed}`, Buffer.from(generate(below))];
    }
}

const all = documents();
let [count, prefixes, ofSuite] = [0, 0, 0];
async function work() {
    for (;;) {
        const { value, done } = await all.next();
        if (done) {
            return;
        }
        const [name, bytes] = value;
        await check(name, bytes);
        prefixes += bytes.length;
        count += 1;
        ofSuite += name.startsWith("y_") ? 1 : 0;
    }
}
await Promise.all(Array.from({ length: 4 }, work));
console.log(`${count} documents, ${prefixes} prefixes: as \`parsePartialJson\` reads them, but for`);
for (const [reason, times] of needed) {
    console.log(`${String(times).padStart(8)} prefixes: ${reason}`);
}
const unneeded = [...needed].filter(([, times]) => times === 0);
if (ofSuite !== 95 || unneeded.length > 0) {
    throw new Error(`${ofSuite} valid documents of the suite; differences that nothing needs: ${unneeded}`);
}
