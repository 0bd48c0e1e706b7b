// The 120-byte call once, in a fresh process, a snapshot after each chunk: milliseconds of each, everything but imports.

import { Parser } from "../dist/index.js";
import { ONE_SHOT } from "./contestants.mjs";
import { CUTS, TEXTS } from "./texts.mjs";

const chunks = CUTS[0].cut(TEXTS[0].text);
const times = {};
let start = performance.now();
const parser = new Parser([], { snapshots: true, retain: "nothing" });
for (const chunk of chunks) {
  parser.feed(chunk);
  parser.snapshot();
}
parser.dispose();
times.jsonspigot = performance.now() - start;
for (const { name, snapshots } of ONE_SHOT) {
  start = performance.now();
  await snapshots(chunks);
  times[name] = performance.now() - start;
}
console.log(JSON.stringify(times));
