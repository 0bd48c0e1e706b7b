// What is packed comes out again, by zlib and without it: long and short, in blocks with codes of their own in those with the format's, and as they are.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import * as ways from "../dist/unpack.js";
import { inline } from "../scripts/inline.mjs";

const unpacker = readFileSync(new URL("../unpack/target/unpack.wasm", import.meta.url));

test("bytes of any length come out of the packed text", async () => {
  const folder = mkdtempSync(join(tmpdir(), "jsonspigot-"));
  try {
    const module = readFileSync(new URL("../dist/jsonspigot.wasm", import.meta.url));
    for (const length of [1, 2, 3, 8, 100, 1_000, 10_000, module.length]) {
      // It compares what it has packed.
      await inline(module.subarray(0, length), unpacker, ways, join(folder, "inlined.js"), "./unpack.js");
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("bytes that can't be packed come out too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "jsonspigot-"));
  try {
    // Noise between what can be packed: blocks of bytes as they are, which have at most 65,535 each.
    let state = 1;
    const noise = Uint8Array.from({ length: 70_000 }, () => {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
      return state >>> 24;
    });
    const all = Buffer.concat([Buffer.alloc(5_000, "text "), noise, Buffer.alloc(5_000, "text ")]);
    await inline(all, unpacker, ways, join(folder, "inlined.js"), "./unpack.js");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
