// The form in which the module reads patterns and options.

import { bitsOf, type DeviationNames } from "../lenient/deviations.js";
import { invalid, limitOf, settingsOf, type ParsingOptions } from "../core/options.js";
import { PatternError } from "../core/patterns/pattern.js";
import { encode, joinedAll } from "../core/utf8.js";
import { isWellFormed, type Instance } from "./instance.js";

/** The module has its own translator of nearly-JSON, so it takes the names of what to tolerate. */
export interface ModuleParsingOptions extends Omit<ParsingOptions, "lenient"> {
  /**
   * Deviations from JSON to tolerate. `model-output` stands for control characters, bad escapes, lone surrogates (shown as
   * U+FFFD), trailing commas, comments and a byte order mark.
   */
  readonly lenient?: DeviationNames;
}

/** Encodes options as `../../wasm/src/options.rs` reads them: a word of flags, six limits of 64 bits. */
export function encodeOptions({ lenient = [], ...options }: ModuleParsingOptions): Uint8Array {
  const { rejectsDuplicates, accept, spelling, limits } = settingsOf(options);
  let flags = bitsOf(lenient) << 8;
  if (rejectsDuplicates) flags |= 1 << 2;
  if (accept) flags |= 1 << 3;
  if (spelling) flags |= 1 << 30;
  const { depth, key, string, number, blank, total } = limits;
  return joinedAll([encodeWord(flags), encodeSizes([depth, key, string, number, blank, total])]);
}

/** Encodes options that count something, each with its name and its default. */
export function encodeLimits(limits: readonly (readonly [name: string, value: number | undefined, fallback: number])[]): Uint8Array {
  return encodeSizes(limits.map((limit) => limitOf(...limit)));
}

function encodeSizes(sizes: readonly number[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(sizes, (size) => (size === Infinity ? 0xffff_ffff_ffff_ffffn : BigInt(size))).buffer);
}

/** Encodes 32 bits. */
export function encodeWord(word: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(word).buffer);
}

/** Encodes texts, each after its length. */
export function encodeTexts(texts: readonly string[]): Uint8Array {
  return joinedAll(texts.map(encode).flatMap((text) => [encodeWord(text.length), text]));
}

/** How many sets of compiled patterns are kept. Users have few sets, and make a parser for each text. */
const COMPILED_SETS = 64;

/** Returns the number of these patterns in an instance, which compiles them only once. */
export function compile(module: Instance, patterns: readonly string[]): number {
  if (!Array.isArray(patterns)) throw invalid(`patterns: ${String(patterns)} is neither a string nor an array of strings`);
  for (const pattern of patterns) {
    if (typeof pattern !== "string") throw invalid(`patterns: ${String(pattern)} is not a string`);
    if (!isWellFormed(pattern)) throw invalid(`patterns: ${JSON.stringify(pattern)} holds half a surrogate pair`);
  }
  const sets = module.patterns;
  const name = JSON.stringify(patterns);
  const known = sets.get(name);
  if (known !== undefined) return known;
  const set = module.exports.compile(module.writeBytes(encodeTexts(patterns)));
  if (set < 0) {
    const output = module.read(0);
    const [index, column] = [output.word(), output.word()];
    throw new PatternError(patterns[index]!, index, column, output.string());
  }
  if (sets.size >= COMPILED_SETS) {
    const [oldest, number] = sets.entries().next().value!;
    sets.delete(oldest);
    module.exports.forget(number);
  }
  sets.set(name, set);
  return set;
}
