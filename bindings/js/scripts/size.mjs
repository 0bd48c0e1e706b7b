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

/** The functions of the adapters, which add at most so many kilobytes to `ToolCalls`. */
const ADAPTERS = {
  "./openai": ["chatEvents", "responsesEvents"],
  "./anthropic": ["anthropicEvents"],
  "./gemini": ["geminiEvents"],
  "./ai-sdk": ["aiSdkEvents"],
};
const ADDED = 2.2;

/** What pages import of the core without the rest. */
const PARTS = ["deltas", "snapshots", "Parser"];

const readme = readFileSync(join(here, "README.md"), "utf8");

/** Returns the kilobytes that the README states for an entry, or for a part of the core. */
function stated(name) {
  if (name === ".") return Number(/(\d+) KB gzipped; the types/.exec(readme)?.[1]);
  const part = /^ {2}(\w+) alone$/.exec(name)?.[1];
  const row = readme.split("\n").find((line) => line.includes(part ? `| \`${part}\`` : `| \`jsonspigot${name.slice(1)}\` (`));
  return Number(/`jsonspigot[^`]*` \((\d+)\)/.exec(row ?? "")?.[1]);
}

/** The files that an entry has for runtimes that forbid compiling, which the table leaves out. */
const UNSTATED = ["./providers/slim", "./providers.wasm"];

let isWrong = false;
const report = (name, bytes) => {
  const gzipped = gzipSync(bytes, { level: 9 }).length;
  const bound = BOUNDS[name];
  const verdict = bound === undefined ? "no bound" : gzipped > bound * 1000 ? `over ${bound}` : `at most ${bound}`;
  const isStated = UNSTATED.includes(name) || Math.abs(stated(name) - gzipped / 1000) <= 1;
  isWrong ||= bound === undefined || gzipped > bound * 1000 || !isStated;
  const kilobytes = (count) => (count / 1000).toFixed(1).padStart(8);
  console.log(
    `${name.padEnd(20)} ${kilobytes(bytes.length)} KB ${kilobytes(gzipped)} KB gzipped   ${verdict}${isStated ? "" : `, but the README states ${stated(name)}`}`,
  );
};

for (const [name, target] of Object.entries(exports)) {
  const file = typeof target === "string" ? target : target.default;
  if (name === "./package.json") continue;
  const path = join(here, file);
  if (!file.endsWith(".js")) {
    report(name, readFileSync(path));
    continue;
  }
  report(name, await bundled({ entryPoints: [path] }));
  for (const part of name === "." ? PARTS : []) {
    const contents = `export { ${part} } from ${JSON.stringify(path)}`;
    report(`  ${part} alone`, await bundled({ stdin: { contents, resolveDir: here } }));
  }
}

const alone = async (name, file) => {
  const contents = `export { ${name} } from ${JSON.stringify(join(here, file))}`;
  return gzipSync(await bundled({ stdin: { contents, resolveDir: here } }), { level: 9 }).length;
};
const toolCalls = await alone("ToolCalls", exports["./calls"].default);
for (const [entry, names] of Object.entries(ADAPTERS)) {
  for (const name of names) {
    const added = (await alone(name, exports[entry].default)) - toolCalls;
    isWrong ||= added > ADDED * 1000;
    console.log(`  ${name.padEnd(18)} ${(added / 1000).toFixed(1).padStart(8)} KB gzipped besides ToolCalls   at most ${ADDED}`);
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
