// First use in a fresh process: one parser. The median of several processes.

import { execFileSync } from "node:child_process";

const RUNS = 30;
const script = `
  import { Parser } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)};
  const used = process.cpuUsage();
  const start = performance.now();
  const parser = new Parser("a", { snapshots: true });
  const time = performance.now() - start;
  const { user, system } = process.cpuUsage(used);
  process.stdout.write(JSON.stringify([time, (user + system) / 1000]));
`;
const runs = [];
for (let run = 0; run < RUNS; run++) {
  runs.push(JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })));
}
const [wall, processor] = [0, 1].map((place) => {
  const sorted = runs.map((run) => run[place]).sort((a, b) => a - b);
  return `${sorted[RUNS >> 1].toFixed(1)} ms (${sorted[0].toFixed(1)} to ${sorted[RUNS - 1].toFixed(1)})`;
});
console.log(`First use, median of ${RUNS} fresh processes: ${wall}, of which processor time ${processor}.`);
