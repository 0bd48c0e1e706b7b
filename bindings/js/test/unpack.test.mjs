// What is packed comes out again: long and short, in blocks with codes of their own and in those with the format's.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { unpack } from "../dist/unpack.js";
import { inline } from "../scripts/inline.mjs";

const unpacker = readFileSync(new URL("../unpack/target/unpack.wasm", import.meta.url));

test("bytes of any length come out of the packed text", async () => {
  const folder = mkdtempSync(join(tmpdir(), "jsonspigot-"));
  try {
    const module = readFileSync(new URL("../dist/jsonspigot.wasm", import.meta.url));
    for (const length of [1, 2, 3, 8, 100, 1_000, 10_000, module.length]) {
      // It compares what it has packed.
      await inline(module.subarray(0, length), unpacker, unpack, join(folder, "inlined.js"));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
