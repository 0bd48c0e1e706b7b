// For engines that read files as Node does: replays all vectors through the entry that is named, and prints the outcome.

import { readdirSync, readFileSync } from "node:fs";

import { replayAll } from "./replay-all.mjs";

const entry = process.argv[2];
const folder = new URL("../../../../vectors/", import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => readFileSync(new URL(name, folder), "utf8"));
const jsonspigot = await import(`../../dist/${entry}.js`);
const providers = entry === "index" ? await import("../../dist/providers/index.js") : undefined;
const durable = entry === "index" ? await import("../../dist/durable/index.js") : undefined;
const durableProviders = entry === "index" ? await import("../../dist/durable/providers/index.js") : undefined;
console.log(JSON.stringify(replayAll(jsonspigot, files, providers, durable, durableProviders)));
