// The option of parsers that tolerates deviations from JSON.

import { bitsOf, type DeviationNames } from "./deviations.js";
import { Lenient } from "./translator.js";
import { LenientInput } from "./input.js";
import { Leniency } from "../core/options.js";

/**
 * Returns what the option `lenient` takes: the tolerance of these deviations from JSON. `model-output` stands for control
 * characters, bad escapes, lone surrogates (shown as U+FFFD), trailing commas, comments and a byte order mark.
 *
 * @example
 * ```ts
 * const parser = new Parser("city", { lenient: lenient("model-output"), accept: true });
 * ```
 */
export function lenient(deviations: DeviationNames): Leniency {
  const bits = bitsOf(deviations);
  return new Leniency(bits, (engine, readsMark, accepts) => new LenientInput(engine, readsMark, new Lenient(engine, bits, accepts)));
}
