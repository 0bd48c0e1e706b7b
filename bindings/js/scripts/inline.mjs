// Packs a module as text, with what unpacks it again.
//
// A download is gzipped in any case, and text of compressed bytes gains nothing from that; but six bits a character cost
// nothing either, while plain bytes as hexadecimal cost a tenth more and zopfli finds more than gzip.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";

import { deflateAsync } from "@gfx/zopfli";

/** The row of 64 characters that `unpack/src/lib.rs` reads: from `0` on, but for the backslash. */
const character = (bits) => (bits === 44 ? "p" : String.fromCharCode(48 + bits));

function sixBits(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const group = (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
    for (const shift of [18, 12, 6, 0]) text += character((group >> shift) & 63);
  }
  return text;
}

/**
 * Writes the file that stands for `inlined.js`: a function `inlined` that gives the module's bytes.
 *
 * @param unpack The function of `src/unpack.ts`, built.
 * @param unpackFrom Where that file finds it.
 */
export async function inline(module, unpacker, unpack, file, unpackFrom) {
  const stream = await deflateAsync(module, { numiterations: 15 });
  // The unpacker reads up to four bytes ahead.
  const padded = new Uint8Array(Math.ceil((stream.length + 4) / 3) * 3);
  padded.set(stream);
  const packed = sixBits(padded);
  const hexadecimal = Buffer.from(unpacker).toString("hex");
  assert.deepEqual(Buffer.from(unpack(hexadecimal, packed)), Buffer.from(module), "what is unpacked is what was packed");
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
