// Builds once more, in another folder, and compares with `dist/` byte for byte: `npm run build && npm run check:reproducible`.
//
// The sources are those that git knows in the working tree; the packages are those in `node_modules/`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const repository = dirname(dirname(here));

/** The files of a folder, by their paths in it. */
function filesOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  return new Map(paths.map((path) => [path.slice(folder.length), readFileSync(path)]));
}

const first = filesOf(join(here, "dist"));
const elsewhere = mkdtempSync(join(tmpdir(), "jsonspigot-"));
try {
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: repository, encoding: "utf8", maxBuffer: 1 << 26 });
  for (const file of files.split("\0")) {
    // Links are between folders that this package needs nothing of.
    if (file === "" || !lstatSync(join(repository, file)).isFile()) continue;
    mkdirSync(dirname(join(elsewhere, file)), { recursive: true });
    copyFileSync(join(repository, file), join(elsewhere, file));
  }
  symlinkSync(join(here, "node_modules"), join(elsewhere, "bindings/js/node_modules"));
  execFileSync("npm", ["run", "--silent", "build"], { cwd: join(elsewhere, "bindings/js"), stdio: "inherit" });
  const second = filesOf(join(elsewhere, "bindings/js/dist"));
  assert.deepEqual([...first.keys()], [...second.keys()], "the same files");
  for (const [name, bytes] of first) assert.ok(bytes.equals(second.get(name)), `${name} differs`);
} finally {
  rmSync(elsewhere, { recursive: true, force: true });
}
console.log(`${first.size} files, the same bytes in two folders.`);
