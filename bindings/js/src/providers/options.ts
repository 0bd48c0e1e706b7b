// How the module is told what its parsers are asked for.

import { bitsOf, type DeviationNames } from "../deviations.js";
import { settingsOf, type ParserOptions, type ParsingOptions } from "../options.js";

/** The module has its own translator of nearly-JSON, so it takes the names of what to tolerate. */
export interface ModuleParsingOptions extends Omit<ParsingOptions, "lenient"> {
  /**
   * Deviations from JSON to tolerate. `model-output` stands for control characters, bad escapes, lone surrogates (shown as
   * U+FFFD), trailing commas, comments and a byte order mark.
   */
  readonly lenient?: DeviationNames;
}

type ModuleOptions = Omit<ParserOptions, "lenient"> & Pick<ModuleParsingOptions, "lenient">;

const RETAIN = ["all", "matches", "nothing"];

/** The options as `../../wasm/src/options.rs` reads them: a word of flags, six limits of 64 bits. */
export function encodeOptions({ lenient = [], ...options }: ModuleOptions): Uint8Array {
  const { rejectsDuplicates, accept, retain, spelling, limits } = settingsOf(options);
  let flags = bitsOf(lenient) << 8;
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
