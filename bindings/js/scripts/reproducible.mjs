// Builds twice, in two folders of different names, and compares `dist/` byte for byte: `npm run check:reproducible`.
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

function built(name) {
  const copy = join(mkdtempSync(join(tmpdir(), "jsonspigot-")), name);
  try {
    const files = execFileSync("git", ["ls-files", "-z"], { cwd: repository, encoding: "utf8", maxBuffer: 1 << 26 });
    for (const file of files.split("\0")) {
      // Links are between folders that this package needs nothing of.
      if (file === "" || !lstatSync(join(repository, file)).isFile()) continue;
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      copyFileSync(join(repository, file), join(copy, file));
    }
    symlinkSync(join(here, "node_modules"), join(copy, "bindings/js/node_modules"));
    execFileSync("npm", ["run", "--silent", "build"], { cwd: join(copy, "bindings/js"), stdio: "inherit" });
    const dist = join(copy, "bindings/js/dist");
    const entries = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return new Map(
      entries
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
        .sort()
        .map((path) => [path.slice(dist.length), readFileSync(path)]),
    );
  } finally {
    rmSync(dirname(copy), { recursive: true, force: true });
  }
}

const first = built("one");
const second = built("another-folder");
assert.deepEqual([...first.keys()], [...second.keys()], "the same files");
for (const [name, bytes] of first) assert.ok(bytes.equals(second.get(name)), `${name} differs`);
console.log(`${first.size} files, the same bytes twice.`);
