// The names of deviations from JSON.

import { invalid, oneOf, spelled } from "../core/options.js";

/** In the order of their bits in saved state. */
export const DEVIATIONS = [
  "control-characters",
  "bad-escapes",
  "lone-surrogates",
  "trailing-commas",
  "comments",
  "single-quotes",
  "bare-keys",
  "python-literals",
  "non-finite",
  "byte-order-mark",
] as const;

/** A deviation from JSON that can be tolerated. */
export type Deviation = (typeof DEVIATIONS)[number];

/** The bits of the first five and the last. */
const MODEL_OUTPUT = 0x21f;

/** Deviations by name. `model-output` stands for those that models make most often. */
export type DeviationNames = "model-output" | readonly (Deviation | "model-output")[];

/** Returns the bits of these deviations. */
export function bitsOf(names: DeviationNames): number {
  const asked = names === "model-output" ? [names] : names;
  if (!Array.isArray(asked)) {
    throw invalid(`lenient: ${spelled(asked)} is neither "model-output" nor a list of ${DEVIATIONS.join(", ")}`);
  }
  let bits = 0;
  for (const name of asked as readonly (Deviation | "model-output")[]) {
    bits |= name === "model-output" ? MODEL_OUTPUT : 1 << DEVIATIONS.indexOf(oneOf("lenient", name, DEVIATIONS, "comments"));
  }
  return bits;
}
