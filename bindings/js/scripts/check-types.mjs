// Compiles the tests of the types with the oldest TypeScript that the README promises, the one that builds them, and the newest.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const NEWEST = "7.0";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const [, oldest] = /TypeScript (\d+\.\d+) or newer/.exec(readFileSync(`${here}/README.md`, "utf8"));
const { typescript } = JSON.parse(readFileSync(`${here}/package.json`, "utf8")).devDependencies;
for (const version of [oldest, typescript, NEWEST]) {
  execFileSync("npm", ["exec", "--yes", `--package=typescript@${version}`, "--", "tsc", "--project", "test/types"], {
    cwd: here,
    stdio: "inherit",
  });
  console.log(`TypeScript ${version}: the types compile`);
}
