// Patterns in the module, by number.

import { encode, isWellFormed, type Exports, type Instance } from "./instance.js";
import { invalid } from "../options.js";
import { PatternError } from "../pattern.js";

/** How many sets of compiled patterns are kept. Users have few sets, and make a parser for each text. */
const COMPILED_SETS = 64;

/** The number of these patterns in an instance, which compiles them only once. */
export function compile(module: Instance<Exports>, patterns: readonly string[]): number {
  if (!Array.isArray(patterns)) throw invalid(`patterns: ${String(patterns)} is neither a string nor an array of strings`);
  for (const pattern of patterns) {
    if (typeof pattern !== "string") throw invalid(`patterns: ${String(pattern)} is not a string`);
    if (!isWellFormed(pattern)) throw invalid(`patterns: ${JSON.stringify(pattern)} holds half a surrogate pair`);
  }
  const sets = module.patterns;
  const name = patterns.length === 1 ? `=${patterns[0]}` : JSON.stringify(patterns);
  const known = sets.get(name);
  if (known !== undefined) return known;
  const parts: Uint8Array[] = [];
  for (const pattern of patterns) {
    const bytes = encode(pattern);
    parts.push(new Uint8Array(new Uint32Array([bytes.length]).buffer), bytes);
  }
  const set = module.exports.compile(module.writeAll(parts));
  if (set < 0) {
    const output = module.read(0);
    const index = output.word();
    const column = output.word();
    const reason = output.string();
    throw new PatternError(patterns[index]!, index, column, reason);
  }
  if (sets.size >= COMPILED_SETS) {
    const [oldest, number] = sets.entries().next().value!;
    sets.delete(oldest);
    module.exports.forget(number);
  }
  sets.set(name, set);
  return set;
}
