// What a parser may be asked for, and how the module is told.

import { JsonSpigotError } from "./error.js";

/** A deviation from JSON that can be tolerated. */
export type Deviation =
  | "control-characters"
  | "bad-escapes"
  | "lone-surrogates"
  | "trailing-commas"
  | "comments"
  | "single-quotes"
  | "bare-keys"
  | "python-literals"
  | "non-finite"
  | "byte-order-mark";

/** Limits on a text. With a limit of N, N is allowed, and N + 1 is an error at the byte that exceeds it. */
export interface Limits {
  /** Containers open at once; 127 unless told otherwise. */
  readonly depth?: number;
  /** Raw bytes between a key's quotes. */
  readonly key?: number;
  /** Raw bytes between a string's quotes. */
  readonly string?: number;
  /** Bytes of one number. */
  readonly number?: number;
  /** Bytes of the whole text. */
  readonly total?: number;
}

export interface ParserOptions {
  /**
   * For {@link Parser.snapshot}, `patch` and `stateOf`: the document so far is built. With `"live"`, `snapshot` gives one
   * value that it changes in place at each call: nothing is copied, but what was shown before does not stay as it was, and
   * `===` does not say what has changed. After `clone`, both parsers go on with copies of what may still change.
   */
  readonly snapshots?: boolean | "live";
  /** Snapshots also show a number or literal that is still open: `12.` as 12, `tr` as true. */
  readonly provisional?: boolean;
  readonly limits?: Limits;
  /** What of the input is kept: all of it (for `value()` and every end's value), the matches' texts, or nothing. */
  readonly retain?: "all" | "matches" | "nothing";
  /** What a repeated key means: the last one counts, as in `JSON.parse`, or an error at the second one. */
  readonly duplicateKeys?: "last-wins" | "reject";
  /**
   * Deviations from JSON to tolerate, for display: `finish` still throws for them. `model-output` stands for control
   * characters, bad escapes, lone surrogates (shown as U+FFFD), trailing commas, comments and a byte order mark.
   */
  readonly lenient?: readonly (Deviation | "model-output")[] | "model-output";
  /** Lets a text with such deviations succeed as the strict JSON that it stands for. */
  readonly accept?: boolean;
  /**
   * What numbers become: JavaScript's own (`number`), integers that these can't hold as `bigint`, or all numbers as they
   * are spelt (`string`).
   */
  readonly numbers?: "number" | "bigint" | "string";
  /**
   * What `__proto__` becomes in values and snapshots: an own property, nothing, or an error. `reject` also refuses
   * `prototype` in a member named `constructor`.
   */
  readonly prototypeKeys?: "keep" | "drop" | "reject";
  /** Ends carry the value's text as it was spelt, as `raw`. */
  readonly spelling?: boolean;
  /**
   * Whether a byte order mark at the start of bytes is an error, as RFC 8259 has it. Otherwise it is skipped, as
   * `Response.json()` does, and offsets count from the byte after it.
   */
  readonly strictByteOrderMark?: boolean;
  /** Whether what `snapshot` gives is frozen: by default it is unless `process.env.NODE_ENV` is `production`. */
  readonly freeze?: boolean;
}

const DEVIATIONS: readonly Deviation[] = [
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

/** One of a list of names, or an error that has the list. */
function place(option: string, value: unknown, names: readonly string[], fallback: number): number {
  if (value === undefined) return fallback;
  const found = names.indexOf(value as string);
  if (found < 0) throw invalid(`${option}: ${JSON.stringify(value)} is not one of ${names.join(", ")}`);
  return found;
}

export function invalid(message: string): JsonSpigotError {
  return new JsonSpigotError("invalid-option", message);
}

const KNOWN: readonly string[] = [
  "snapshots", "provisional", "limits", "retain", "duplicateKeys", "lenient", "accept", "numbers", "prototypeKeys",
  "spelling", "strictByteOrderMark", "freeze",
];

/** The options as `../wasm/src/options.rs` reads them: a word of flags, five limits of 64 bits. */
export function encodeOptions(options: ParserOptions, framing: number): Uint8Array {
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) throw invalid(`unknown option ${JSON.stringify(name)}: the options are ${KNOWN.join(", ")}`);
  }
  let flags = framing << 6;
  if (typeof options.snapshots === "string") place("snapshots", options.snapshots, ["live"], 0);
  if (options.snapshots) flags |= 1;
  if (options.provisional) flags |= 3;
  flags |= place("duplicateKeys", options.duplicateKeys, ["last-wins", "reject"], 0) << 2;
  if (options.accept) flags |= 1 << 3;
  flags |= [0, 1 << 4, 1 << 5][place("retain", options.retain, ["all", "matches", "nothing"], 0)]!;
  place("numbers", options.numbers, ["number", "bigint", "string"], 0);
  place("prototypeKeys", options.prototypeKeys, ["keep", "drop", "reject"], 0);
  if (options.lenient !== undefined) flags |= leniency(options.lenient);
  if (options.spelling) flags |= 1 << 30;
  const words = new Uint32Array(11);
  words[0] = flags;
  words.fill(0xffff_ffff, 3);
  words[1] = 127;
  const { limits } = options;
  if (limits !== undefined) {
    if (typeof limits !== "object" || limits === null) throw invalid(`limits: ${String(limits)} is not an object`);
    for (const name of Object.keys(limits)) place("limits", name, LIMITS, 0);
    LIMITS.forEach((name, index) => {
      const limit = limits[name] ?? (name === "depth" ? 127 : Infinity);
      if (!(limit >= 0) || (limit !== Infinity && !Number.isInteger(limit))) {
        throw invalid(`limits.${name} must be a non-negative integer, not ${limit}`);
      }
      const isUnbounded = limit > Number.MAX_SAFE_INTEGER;
      words[1 + 2 * index] = isUnbounded ? 0xffff_ffff : limit;
      words[2 + 2 * index] = isUnbounded ? 0xffff_ffff : Math.floor(limit / 0x1_0000_0000);
    });
  }
  return new Uint8Array(words.buffer);
}

/** The flags of the deviations that are gone past. */
function leniency(lenient: NonNullable<ParserOptions["lenient"]>): number {
  const asked = lenient === "model-output" ? [lenient] : lenient;
  if (!Array.isArray(asked)) {
    throw invalid(`lenient: ${JSON.stringify(asked)} is neither "model-output" nor a list of ${DEVIATIONS.join(", ")}`);
  }
  const kinds = (asked as readonly (Deviation | "model-output")[]).flatMap((name) => (name === "model-output" ? MODEL_OUTPUT : name));
  let flags = 0;
  for (const name of kinds) flags |= 1 << (8 + place("lenient", name, DEVIATIONS, 0));
  return flags;
}
