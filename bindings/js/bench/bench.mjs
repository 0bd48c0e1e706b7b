// Costs as ratios to one `JSON.parse` of the whole text, all in one run: `npm run bench`.
//
// `node bench.mjs ours` leaves the one-shot parsers out, which take most of the time. Every output is compared with the
// expected one before anything is timed. The rounds of a cell go round among the contestants; the best round counts,
// since what else the machine does only ever adds.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { Parser } from "../dist/index.js";
import { againstReparsing } from "./reparsing.mjs";
import { expectedDeltas, INCREMENTAL, ONE_SHOT } from "./contestants.mjs";
import { CUTS, pieces, TEXTS } from "./texts.mjs";

/** The 120-byte call in three chunks: from here on it must pay not to parse again. */
const THIRDS = { name: "3 chunks", cut: (text) => pieces(text, Math.ceil(text.length / 3)) };

const withOneShot = process.argv[2] !== "ours";
const only = process.argv[3];
const ROUNDS = 7;
const ROUND_MS = 8;

/** Milliseconds of this process, its garbage collection included, and without what other processes take. */
function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function timeOnce(run, count) {
  const start = processorTime();
  for (let left = count; left > 0; left--) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  return (processorTime() - start) / count;
}

/** Milliseconds a run, for each of these. */
async function measure(runs) {
  const counts = [];
  for (const run of runs) {
    // Warm-up and calibration: what takes long runs once.
    let each = await timeOnce(run, 1);
    if (each < 20) each = await timeOnce(run, Math.ceil(20 / Math.max(each, 0.01)));
    counts.push(each > 200 ? 0 : Math.max(1, Math.round(ROUND_MS / each)));
  }
  const best = runs.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++) {
    for (let at = 0; at < runs.length; at++) {
      const count = counts[at] || (round === 0 ? 1 : 0);
      if (count) best[at] = Math.min(best[at], await timeOnce(runs[at], count));
    }
  }
  return best;
}

const figure = (ratio) => (ratio < 10 ? ratio.toFixed(1) : Math.round(ratio).toLocaleString("en"));
const row = (cells) => console.log(`| ${cells.join(" | ")} |`);

console.log(`Node ${process.versions.node}; how many times one JSON.parse of the whole text.\n`);
const behind = { deltas: 0, snapshots: 0, live: 0 };
/** The fewest times that we are ahead of the best peer, where it should be at least two: for each duty. */
const leads = { deltas: Infinity, snapshots: Infinity, live: Infinity };
const oneShot = withOneShot ? ONE_SHOT : [];
for (const duty of ["deltas", "snapshots"]) {
  console.log(duty === "deltas" ? "Deltas of one field:\n" : "\nA snapshot after each chunk:\n");
  // Deltas by a one-shot parser are the differences between its snapshots: timed once, in the second table.
  const contestants = [...INCREMENTAL.filter((contestant) => contestant[duty]), ...(duty === "snapshots" ? oneShot : [])];
  const isLive = ({ isLive }) => duty === "snapshots" && isLive;
  row(["text", "characters a chunk", ...contestants.map((contestant) => contestant.name + (isLive(contestant) ? " (live)" : ""))]);
  row(["---", "---", ...contestants.map(() => "---:")]);
  for (const { name, text, path } of TEXTS) {
    if (only && name !== only) continue;
    const value = JSON.parse(text);
    const expected = duty === "deltas" ? expectedDeltas(value, path) : value;
    for (const { name: cutName, cut } of [...CUTS, ...(name === "120-byte call" ? [THIRDS] : [])]) {
      const chunks = cut(text);
      const runs = contestants.map((contestant) => () => contestant[duty](chunks, path));
      for (const [at, run] of runs.entries()) {
        assert.deepEqual(await run(), expected, `${contestants[at].name}: ${duty} of ${name} in ${cutName}`);
      }
      const [whole, ...times] = await measure([() => JSON.parse(text), ...runs]);
      row([name, cutName, ...times.map((time) => figure(time / whole))]);
      const peers = contestants.flatMap((contestant, at) => (INCREMENTAL.includes(contestant) && !contestant.isOurs ? [[contestant, times[at]]] : []));
      for (const [at, contestant] of contestants.entries()) {
        if (!contestant.isOurs) continue;
        // A loop over a generator is compared with peers that read a generator: each chunk costs several microtasks. Snapshots
        // that stay are compared with the peers' live values, since no peer has others.
        const alike = peers.filter(([peer]) => !contestant.isOfGenerator || peer.isOfGenerator);
        const best = Math.min(...alike.map(([, time]) => time));
        const kind = isLive(contestant) ? "live" : duty;
        if (times[at] > best) behind[kind] += 1;
        if (cutName === "1–8" && /tool call|records/.test(name)) leads[kind] = Math.min(leads[kind], best / times[at]);
      }
    }
  }
}
const cells = (kind) => `${behind[kind]} cells, and at least ${leads[kind].toFixed(1)} times ahead`;
console.log(`
Behind the best incremental peer, and how far ahead of it with chunks of 1 to 8 characters on tool call and records:
deltas in ${cells("deltas")}; live values in ${cells("live")}; snapshots that stay, against live values, in ${cells("snapshots")}.`);
if (!only) await againstReparsing(timeOnce);

{
  const text = `{"text":"${"a ".repeat(58_333)}"}`.slice(0, 116_665) + '"}';
  const chunks = [...text];
  const run = () => {
    const parser = new Parser([], { snapshots: true, retain: "nothing" });
    let value;
    for (const chunk of chunks) {
      parser.feed(chunk);
      value = parser.snapshot();
    }
    parser.dispose();
    return value;
  };
  assert.deepEqual(run(), JSON.parse(text));
  const times = [];
  for (let round = 0; round < 5; round++) times.push(await timeOnce(run, 1));
  times.sort((a, b) => a - b);
  console.log(`\n${chunks.length.toLocaleString("en")} one-character deltas, a snapshot after each: ${times[2].toFixed(0)} ms of processor time.`);
}
console.log(execFileSync(process.execPath, [new URL("first-use.mjs", import.meta.url).pathname], { encoding: "utf8" }).trim());
