// From which chunk on it pays not to parse again: the cost of all chunks so far, a snapshot after each, the parser's making
// included. In a process that has done it before; and in fresh ones, where compiling counts too.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { Parser } from "../dist/index.js";
import { ONE_SHOT as ALL } from "./contestants.mjs";
import { CUTS, pieces, TEXTS } from "./texts.mjs";

/** The third one throws where an escape is cut. */
const ONE_SHOT = ALL.filter(({ name }) => name !== "best-effort-json-parser");

const CALL = TEXTS[0].text;
/** In thirds, as it may come in three network packets; and as a model's tokens fall. */
const WAYS = [
  { name: "3 chunks", chunks: pieces(CALL, Math.ceil(CALL.length / 3)) },
  { name: "16", chunks: pieces(CALL, 16) },
  { name: "1–8", chunks: CUTS[0].cut(CALL) },
];

const ours = (chunks) => {
  const parser = new Parser([], { snapshots: true, retain: "nothing" });
  for (const chunk of chunks) {
    parser.feed(chunk);
    parser.snapshot();
  }
  parser.dispose();
};

/** Microseconds for the first chunks, of each: the best of rounds that go round. */
async function measure(timeOnce, chunks) {
  const runs = [() => ours(chunks), ...ONE_SHOT.map(({ snapshots }) => () => snapshots(chunks))];
  for (const run of runs) await timeOnce(run, 500);
  const best = runs.map(() => Infinity);
  for (let round = 0; round < 7; round++) {
    for (const [at, run] of runs.entries()) best[at] = Math.min(best[at], 1000 * (await timeOnce(run, 200)));
  }
  return best;
}

/** Returns the first chunk from which on this package costs less than another parser. */
function ahead(costs, at) {
  let first = costs.length + 1;
  while (first > 1 && costs[first - 2][0] < costs[first - 2][at]) first -= 1;
  return first > costs.length ? "never" : String(first);
}

export async function againstReparsing(timeOnce) {
  console.log("\nThe 120-byte call, microseconds for all chunks so far, a snapshot after each, the parser's making included:\n");
  console.log(`| characters per chunk | chunks so far | jsonspigot | ${ONE_SHOT.map(({ name }) => name).join(" | ")} |`);
  console.log(`| --- | ---: | ---: |${" ---: |".repeat(ONE_SHOT.length)}`);
  const verdicts = [];
  for (const { name, chunks } of WAYS) {
    const costs = [];
    for (let count = 1; count <= chunks.length; count++) {
      costs.push(await measure(timeOnce, chunks.slice(0, count)));
      if (count <= 3 || count === chunks.length) {
        console.log(`| ${name} | ${count} | ${costs[count - 1].map((cost) => cost.toFixed(1)).join(" | ")} |`);
      }
    }
    verdicts.push(`${name}: ${ONE_SHOT.map((contestant, at) => `${contestant.name} from chunk ${ahead(costs, at + 1)}`).join(", ")}`);
  }
  console.log(`\nAhead of reparsing from then on:\n${verdicts.join("\n")}`);
  const script = fileURLToPath(new URL("reparsing-once.mjs", import.meta.url));
  const runs = [];
  for (let run = 0; run < 15; run++) runs.push(JSON.parse(execFileSync(process.execPath, [script], { encoding: "utf8" })));
  const median = (name) => runs.map((times) => times[name]).sort((a, b) => a - b)[runs.length >> 1].toFixed(1);
  console.log(`\nThe first such call of a fresh process in chunks of 1 to 8, compiling included, processor time: ${Object.keys(runs[0]).map((name) => `${name} ${median(name)} ms`).join(", ")}.`);
}
