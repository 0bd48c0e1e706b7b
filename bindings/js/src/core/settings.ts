// What a parser may be asked for.

import { JsonSpigotError } from "../error.js";
import type { Deviation, Limits, ParserOptions } from "../options.js";
import type { Making } from "../values.js";

export type { Deviation, Limits, ParserOptions };

/** In the order of their bits in saved state. */
export const DEVIATIONS: readonly Deviation[] = [
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
];

const MODEL_OUTPUT: readonly Deviation[] = [
  "control-characters",
  "bad-escapes",
  "lone-surrogates",
  "trailing-commas",
  "comments",
  "byte-order-mark",
];

const LIMITS = ["depth", "key", "string", "number", "total"] as const;

const KNOWN: readonly (keyof ParserOptions)[] = [
  "snapshots",
  "provisional",
  "limits",
  "retain",
  "duplicateKeys",
  "lenient",
  "accept",
  "numbers",
  "prototypeKeys",
  "spelling",
  "strictByteOrderMark",
  "freeze",
];

/** The options of a parser, checked, with nothing left out. */
export interface Settings extends Making {
  readonly limits: Required<Limits>;
  readonly rejectsDuplicates: boolean;
  readonly retain: "all" | "matches" | "nothing";
  readonly spelling: boolean;
  readonly snapshots: boolean | "live";
  readonly provisional: boolean;
  /** A bit for each deviation that is tolerated, in the order of {@link DEVIATIONS}. */
  readonly lenient: number;
  readonly accept: boolean;
  readonly strictByteOrderMark: boolean;
  readonly freeze: boolean;
}

export function invalid(message: string): JsonSpigotError {
  return new JsonSpigotError("invalid-option", message);
}

/** One of a list of names, or an error that has the list. */
export function oneOf<N extends string>(option: string, value: unknown, names: readonly N[], fallback: N): N {
  if (value === undefined) return fallback;
  if (!names.includes(value as N)) throw invalid(`${option}: ${JSON.stringify(value)} is not one of ${names.join(", ")}`);
  return value as N;
}

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Whether snapshots are frozen unless the options say otherwise: while a program is developed. Bundlers replace the name. */
const freezesByDefault = /* @__PURE__ */ (() => {
  try {
    return process.env.NODE_ENV !== "production";
  } catch {
    return false;
  }
})();

const NO_LIMITS: Required<Limits> = { depth: 127, key: Infinity, string: Infinity, number: Infinity, total: Infinity };

export function settingsOf(options: ParserOptions): Settings {
  for (const name in options) {
    if (KNOWN.includes(name as keyof ParserOptions)) continue;
    throw invalid(`unknown option ${JSON.stringify(name)}: the options are ${KNOWN.join(", ")}`);
  }
  if (typeof options.snapshots === "string") oneOf("snapshots", options.snapshots, ["live"], "live");
  return {
    limits: limitsOf(options.limits),
    rejectsDuplicates: oneOf("duplicateKeys", options.duplicateKeys, ["last-wins", "reject"], "last-wins") === "reject",
    retain: oneOf("retain", options.retain, ["all", "matches", "nothing"], "all"),
    spelling: options.spelling === true,
    snapshots: options.snapshots === "live" ? "live" : Boolean(options.snapshots) || Boolean(options.provisional),
    provisional: Boolean(options.provisional),
    lenient: options.lenient === undefined ? 0 : leniencyOf(options.lenient),
    accept: Boolean(options.accept),
    numbers: oneOf("numbers", options.numbers, ["number", "bigint", "string"], "number"),
    prototypeKeys: oneOf("prototypeKeys", options.prototypeKeys, ["keep", "drop", "reject"], "keep"),
    strictByteOrderMark: Boolean(options.strictByteOrderMark),
    freeze: options.freeze ?? freezesByDefault,
  };
}

function limitsOf(limits: ParserOptions["limits"]): Required<Limits> {
  if (limits === undefined) return NO_LIMITS;
  const found = { ...NO_LIMITS };
  if (typeof limits !== "object" || limits === null) throw invalid(`limits: ${String(limits)} is not an object`);
  for (const name of Object.keys(limits)) oneOf("limits", name, LIMITS, "depth");
  for (const name of LIMITS) {
    const limit = limits[name] ?? found[name];
    if (!(limit >= 0) || (limit !== Infinity && !Number.isInteger(limit))) {
      throw invalid(`limits.${name} must be a non-negative integer, not ${limit}`);
    }
    (found as Record<typeof name, number>)[name] = limit > Number.MAX_SAFE_INTEGER ? Infinity : limit;
  }
  return found;
}

/** The bits of the deviations that are tolerated. */
function leniencyOf(lenient: NonNullable<ParserOptions["lenient"]>): number {
  const asked = lenient === "model-output" ? [lenient] : lenient;
  if (!Array.isArray(asked)) {
    throw invalid(`lenient: ${JSON.stringify(asked)} is neither "model-output" nor a list of ${DEVIATIONS.join(", ")}`);
  }
  const names = (asked as readonly (Deviation | "model-output")[]).flatMap((name) => (name === "model-output" ? MODEL_OUTPUT : name));
  let bits = 0;
  for (const name of names) bits |= 1 << DEVIATIONS.indexOf(oneOf("lenient", name, DEVIATIONS, "comments"));
  return bits;
}
