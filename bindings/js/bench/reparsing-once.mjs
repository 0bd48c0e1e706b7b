// The 120-byte call once, in a fresh process, a snapshot after each chunk: processor time of each in
// milliseconds, everything but imports.

import { Parser } from "../dist/index.js";
import { ONE_SHOT } from "./contestants.mjs";
import { CUTS, TEXTS } from "./texts.mjs";

const chunks = CUTS[0].cut(TEXTS[0].text);
const times = {};
const processorTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
let start = processorTime();
const parser = new Parser([], { snapshots: true, retain: "nothing" });
for (const chunk of chunks) {
  parser.feed(chunk);
  parser.snapshot();
}
parser.dispose();
times.jsonspigot = processorTime() - start;
for (const { name, snapshots } of ONE_SHOT) {
  // It throws where an escape is cut.
  if (name === "best-effort-json-parser") continue;
  start = processorTime();
  await snapshots(chunks);
  times[name] = processorTime() - start;
}
console.log(JSON.stringify(times));
