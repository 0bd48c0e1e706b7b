// For engines that read files as Node does: replays all vectors, and prints the outcome. Where nothing may be compiled
// (`node --jitless`), those of the core alone.

import { readdirSync, readFileSync } from "node:fs";

import { replayAll } from "./replay-all.mjs";

const folder = new URL("../../../../vectors/", import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => readFileSync(new URL(name, folder), "utf8"));
const jsonspigot = await import("../all.mjs");
const providers = process.argv[2] === "core" ? undefined : await import("../../dist/providers/index.js");
console.log(JSON.stringify(replayAll(jsonspigot, files, providers)));
