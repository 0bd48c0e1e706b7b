// The option of parsers that tolerates deviations from JSON.

import { bitsOf, type DeviationNames } from "./deviations.js";
import { Lenient } from "./translator.js";
import { LenientInput } from "./input.js";
import { Leniency } from "../core/options.js";

/**
 * Returns what the option `lenient` takes: the tolerance of these deviations from JSON. `model-output` stands for control
 * characters, bad escapes, lone surrogates (shown as U+FFFD), trailing commas, comments and a byte order mark. The others have to
 * be named: `single-quotes`, `bare-keys`, `python-literals` and `non-finite`.
 *
 * Without the option `accept`, a text with deviations is for display alone: `finish` throws for the first one.
 *
 * @example
 * ```ts
 * import { lenient, Parser } from "jsonspigot";
 *
 * const parser = new Parser([], { lenient: lenient(["model-output", "single-quotes"]), accept: true });
 * parser.feed("{'city': \"Köln\",}");
 * parser.finish();
 * console.log(parser.value(), parser.status.deviations.count); // {"city":"Köln"} 2
 * ```
 */
export function lenient(deviations: DeviationNames): Leniency {
  const bits = bitsOf(deviations);
  return new Leniency(bits, (engine, readsMark, accepts) => new LenientInput(engine, readsMark, new Lenient(engine, bits, accepts)));
}
