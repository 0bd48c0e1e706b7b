// How the module is told what its parsers are asked for.

import { settingsOf, type ParserOptions } from "../options.js";

const RETAIN = ["all", "matches", "nothing"];

/** The options as `../../wasm/src/options.rs` reads them: a word of flags, six limits of 64 bits. */
export function encodeOptions(options: ParserOptions): Uint8Array {
  const { rejectsDuplicates, accept, retain, lenient, spelling, limits } = settingsOf(options);
  let flags = lenient << 8;
  if (rejectsDuplicates) flags |= 1 << 2;
  if (accept) flags |= 1 << 3;
  flags |= [0, 1 << 4, 1 << 5][RETAIN.indexOf(retain)]!;
  if (spelling) flags |= 1 << 30;
  const words = new Uint32Array(13);
  words[0] = flags;
  [limits.depth, limits.key, limits.string, limits.number, limits.blank, limits.total].forEach((limit, index) => {
    const isUnbounded = limit === Infinity;
    words[1 + 2 * index] = isUnbounded ? 0xffff_ffff : limit;
    words[2 + 2 * index] = isUnbounded ? 0xffff_ffff : Math.floor(limit / 0x1_0000_0000);
  });
  return new Uint8Array(words.buffer);
}
