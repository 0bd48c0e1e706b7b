// Whether what `npm pack` packs is what it should be, and nothing else; and what publint and attw say of it.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const run = (command, args, options = {}) => execFileSync(command, args, { cwd: here, encoding: "utf8", ...options });
const fail = (message) => {
  console.error(message);
  process.exitCode = 1;
};

const [{ files, size, unpackedSize }] = JSON.parse(run("npm", ["pack", "--dry-run", "--json"], { stdio: ["ignore", "pipe", "ignore"] }));
const packed = new Set(files.map(({ path }) => path));
const FIXED = ["package.json", "README.md", "LICENSE-MIT", "LICENSE-APACHE"];
for (const path of FIXED) if (!packed.has(path)) fail(`${path} is not packed`);
for (const path of packed) {
  // What TypeScript and the build write for a source, and the modules.
  const source = path.replace(/^dist\//, "src/").replace(/(?:\.d)?\.[jt]s$/, ".ts");
  const isBuilt = /^dist\/.*\.(?:d\.ts|js)$/.test(path) && (existsSync(join(here, source)) || existsSync(join(here, `${source}x`)));
  if (!FIXED.includes(path) && !isBuilt && !/^dist\/[a-z]+(?:-[a-z]+)*\.wasm$/.test(path)) fail(`${path} should not be packed`);
}

const { exports, repository, homepage, bugs } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
// The registry refuses a package with provenance whose repository is not the one that published it.
const [, address] = /^repository = "(.+)"$/m.exec(readFileSync(join(here, "../../Cargo.toml"), "utf8"));
const EXPECTED = { repository: `git+${address}.git`, homepage: `${address}/tree/main/bindings/js`, bugs: `${address}/issues` };
for (const [member, value] of Object.entries({ repository: repository?.url, homepage, bugs })) {
  if (value !== EXPECTED[member])
    fail(`package.json's ${member} is ${value}, not ${EXPECTED[member]}, which Cargo.toml's repository gives`);
}
if (repository?.directory !== "bindings/js") fail("package.json's repository names no directory bindings/js");

for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) {
  const [ours, top] = [join(here, name), join(here, "../..", name)].map((path) => readFileSync(path, "utf8"));
  if (ours !== top) fail(`${name} differs from the repository's`);
}
const lock = readFileSync(join(here, "package-lock.json"), "utf8");
for (const [, host] of lock.matchAll(/"resolved": "https?:\/\/([^/"]+)/g)) {
  if (host !== "registry.npmjs.org") fail(`package-lock.json names ${host}`);
}
console.log(`${packed.size} files, ${size} bytes packed, ${unpackedSize} unpacked`);

const modules = Object.keys(exports)
  .filter((name) => name.endsWith(".wasm"))
  .map((name) => name.slice(2));
const CHECKS = {
  publint: ["run", "--strict", "--pack", "npm"],
  attw: ["--pack", ".", "--profile", "esm-only", "--format", "ascii", "--exclude-entrypoints", ...modules],
};
for (const [program, args] of Object.entries(CHECKS)) {
  try {
    run(`node_modules/.bin/${program}`, args, { stdio: "pipe" });
    console.log(`${program}: nothing to say`);
  } catch (failed) {
    fail(`${program}:\n${failed.stdout}${failed.stderr}`);
  }
}
