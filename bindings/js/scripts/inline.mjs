// Packs a module as text, with what unpacks it again.
//
// A download is gzipped in any case, and text of compressed bytes gains nothing from that; but Base64 costs nothing
// either, while plain bytes as hexadecimal cost a tenth more and zopfli finds more than gzip.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";

import { deflateAsync } from "@gfx/zopfli";

/**
 * Writes the file that stands for `inlined.js`: a function `inlined` that gives the module's bytes.
 *
 * @param ways The functions of `src/unpack.ts`, built.
 * @param unpackFrom Where that file finds it.
 */
export async function inline(module, unpacker, ways, file, unpackFrom) {
  const stream = await deflateAsync(module, { numiterations: 15 });
  // The unpacker reads up to four bytes ahead.
  const padded = new Uint8Array(Math.ceil((stream.length + 4) / 3) * 3);
  padded.set(stream);
  const packed = Buffer.from(padded).toString("base64");
  const hexadecimal = Buffer.from(unpacker).toString("hex");
  for (const unpacked of [ways.unpackNatively(packed), ways.unpackByModule(hexadecimal, packed)]) {
    assert.deepEqual(Buffer.from(unpacked), Buffer.from(module), "what is unpacked is what was packed");
  }
  writeFileSync(
    file,
    `// The module, packed; made by \`npm run build\`.
import { unpack } from "${unpackFrom}";
const unpacker = "${hexadecimal}";
const packed = "${packed}";
export function inlined() {
  return unpack(unpacker, packed);
}
`,
  );
}
