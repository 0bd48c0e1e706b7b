// Inlines a module as text: packed, with what unpacks it again, or plain.
//
// A download is gzipped in any case, and text of compressed bytes gains nothing from that; but Base64 costs nothing
// either, while plain bytes as hexadecimal cost a tenth more and zopfli finds more than gzip.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";

import { deflateAsync } from "@gfx/zopfli";

import { split } from "./split.mjs";

/** Writes the file that stands for `plain.js`: a function `plain` that gives the module's bytes. */
export function inlinePlain(module, file, fromBase64From) {
  writeFileSync(
    file,
    `// The module; made by \`npm run build\`.
import { fromBase64 } from "${fromBase64From}";
const text = "${Buffer.from(module).toString("base64")}";
export function plain() {
  return fromBase64(text);
}
`,
  );
}

/** A module as text that `unpack` of `src/providers/unpack.ts` makes a module again. */
export async function pack(module) {
  const stream = await deflateAsync(split(module), { numiterations: 15 });
  // The unpacker reads up to eight bytes ahead.
  const padded = new Uint8Array(Math.ceil((stream.length + 8) / 3) * 3);
  padded.set(stream);
  return Buffer.from(padded).toString("base64");
}

/**
 * Writes the file that stands for `inlined.js`: the packed module, and what unpacks it.
 *
 * It has no code in it: a bundle then begins with the packed text, which is like nothing, and the unpacker stands beside the
 * rest. That way it gzips best.
 *
 * @param unpack The function of `src/providers/unpack.ts`, built.
 */
export async function inline(module, unpacker, unpack, file) {
  const packed = await pack(module);
  const hexadecimal = Buffer.from(unpacker).toString("hex");
  assert.deepEqual(Buffer.from(unpack(hexadecimal, packed)), Buffer.from(module), "what is unpacked is what was packed");
  writeFileSync(
    file,
    `// The module, packed; made by \`npm run build\`.
export const packed = "${packed}";
export const unpacker = "${hexadecimal}";
`,
  );
}
