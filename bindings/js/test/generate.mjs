// What generated tests share: a fixed seed, which `JSONSPIGOT_SEED` changes as `JSONSPIGOT_CASES` does the number of cases.

import { random } from "../bench/texts.mjs";

export const seed = Number(process.env.JSONSPIGOT_SEED ?? 1);
export const cases = Number(process.env.JSONSPIGOT_CASES ?? 4_000);
/** A number below this one. */
export const next = random(seed);
export const pick = (list) => list[next(list.length)];

export const DEVIATIONS =
  "control-characters|bad-escapes|lone-surrogates|trailing-commas|comments|single-quotes|bare-keys|python-literals|non-finite|byte-order-mark".split("|");
