// Refuses to pack a package that was not built.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const { exports } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const targets = (entry) => (typeof entry === "string" ? [entry] : Object.values(entry).flatMap(targets));
const missing = Object.values(exports)
  .flatMap(targets)
  .filter((target) => !existsSync(join(here, target)));
if (missing.length > 0) {
  console.error(`the package is not built: ${missing.join(", ")} is missing; run \`npm run build\` first`);
  process.exitCode = 1;
}
