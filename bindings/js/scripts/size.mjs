// What a page downloads for each entry, and for one function of the core alone: `npm run size`, after a build.
//
// Each is bundled by esbuild, minified, as ES2022 for browsers, and gzipped at level 9. The bounds are what is measured and
// a little room, so that growth is noticed; exit status 1 if one is passed, or if the README states another size.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const { exports } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));

/** Gzipped kilobytes (1,000 bytes). An entry that is not here has to get a bound first. */
const BOUNDS = JSON.parse(readFileSync(join(here, "scripts/size-bounds.json"), "utf8"));

/** What pages import of an entry without the rest. The functions of the adapters count besides `ToolCalls`. */
const PARTS = {
  ".": ["deltas", "snapshots", "Parser"],
  "./openai": ["chatEvents", "responsesEvents"],
  "./anthropic": ["anthropicEvents"],
  "./gemini": ["geminiEvents"],
  "./ai-sdk": ["aiSdkEvents"],
};

const readme = readFileSync(join(here, "README.md"), "utf8");

/** Returns the kilobytes that the README states for an entry, or for a part of the core. */
function stated(name) {
  if (name === ".") return Number(/(\d+) KB gzipped; the types/.exec(readme)?.[1]);
  const part = /^ {2}(\w+) alone$/.exec(name)?.[1];
  const row = readme.split("\n").find((line) => line.includes(part ? `| \`${part}\`` : `| \`jsonspigot${name.slice(1)}\` (`));
  return Number(/`jsonspigot[^`]*` \((\d+)\)/.exec(row ?? "")?.[1]);
}

/** What the README states no size of: the files for runtimes that forbid compiling, and the adapters without `ToolCalls`. */
const isUnstated = (name) => ["./providers/slim", "./providers.wasm"].includes(name) || name.endsWith("besides ToolCalls");

let isWrong = false;
const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length / 1000;
const report = (name, kilobytes) => {
  const bound = BOUNDS[name];
  const isOver = bound === undefined || kilobytes > bound;
  const isStated = isUnstated(name) || Math.abs(stated(name) - kilobytes) <= Math.max(1, kilobytes / 100);
  isWrong ||= isOver || !isStated;
  const verdict = `${isOver ? "over" : "at most"} ${bound}${isStated ? "" : `, but the README states ${stated(name)}`}`;
  console.log(`${name.padEnd(36)} ${kilobytes.toFixed(1).padStart(8)} KB gzipped   ${verdict}`);
};
const alone = (part, path) =>
  bundled({ stdin: { contents: `export { ${part} } from ${JSON.stringify(join(here, path))}`, resolveDir: here } });

const toolCalls = gzipped(await alone("ToolCalls", exports["./calls"].default));
for (const [name, target] of Object.entries(exports)) {
  const file = typeof target === "string" ? target : target.default;
  if (name === "./package.json") continue;
  const path = join(here, file);
  report(name, gzipped(file.endsWith(".js") ? await bundled({ entryPoints: [path] }) : readFileSync(path)));
  for (const part of PARTS[name] ?? []) {
    const size = gzipped(await alone(part, file));
    if (name === ".") report(`  ${part} alone`, size);
    else report(`  ${part} besides ToolCalls`, size - toolCalls);
  }
}
process.exitCode = isWrong ? 1 : 0;

async function bundled(entry) {
  const { outputFiles } = await build({
    ...entry,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "browser",
    external: ["react", "react-dom"],
    logLevel: "error",
  });
  return outputFiles[0].contents;
}
