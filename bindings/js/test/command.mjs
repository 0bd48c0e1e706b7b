// The command that the library is compared with: the one that `JSONSPIGOT_COMMAND` names, one that is built, or a new build.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Returns the path of the command. */
export function theCommand() {
  const target = process.env.CARGO_TARGET_DIR ?? `${root}target`;
  const built = ["release", "debug"].map((profile) => `${target}/${profile}/jsonspigot`).find((file) => existsSync(file));
  if (process.env.JSONSPIGOT_COMMAND ?? built) return process.env.JSONSPIGOT_COMMAND ?? built;
  execFileSync("cargo", ["build", "--quiet", "--package", "jsonspigot-cli"], { cwd: root, stdio: "inherit" });
  return `${target}/debug/jsonspigot`;
}
