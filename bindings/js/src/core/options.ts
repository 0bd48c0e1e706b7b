// The options of a parser.

import { JsonSpigotError } from "./error.js";
import type { ReportingEngine } from "./reporting.js";
import type { Input } from "./input.js";
import type { Making } from "./values.js";

/**
 * The deviations from JSON that a parser tolerates, and what reads a text that has them. It is made by {@link lenient}, so that a
 * program that tolerates none does not contain it.
 */
export class Leniency {
  /** @internal */
  constructor(
    /** A bit for each deviation, in the order of `DEVIATIONS`. */
    readonly bits: number,
    readonly begin: (engine: ReportingEngine, readsMark: boolean, accepts: boolean) => Input<ReportingEngine>,
  ) {}
}

/** Limits on a text. With a limit of N, N is allowed, and N + 1 is an error at the byte that exceeds it. */
export interface Limits {
  /** Containers open at once; 127 unless set otherwise. */
  readonly depth?: number;
  /** Raw bytes between a key's quotes. */
  readonly key?: number;
  /** Raw bytes between a string's quotes. */
  readonly string?: number;
  /** Bytes of one number. */
  readonly number?: number;
  /** Bytes of white space in a row, between tokens or around the value. Some models never stop sending it. */
  readonly blank?: number;
  /** Bytes of the whole text. */
  readonly total?: number;
}

export interface ParserOptions {
  /**
   * For {@link Parser.snapshot}, `patch` and `stateOf`: the document so far is built. With `"live"`, `snapshot` gives one
   * value that it changes in place at each call: nothing is copied, but what was shown before does not stay as it was, and
   * `===` does not say what has changed. After `clone`, each parser has its own copy of what may still change.
   */
  readonly snapshots?: boolean | "live";
  /** Snapshots also show a number or literal that is still open: `12.` as 12, `tr` as true. */
  readonly provisional?: boolean;
  readonly limits?: Limits;
  /** The part of the input that is kept: all of it (for `value()` and every end's value), the matches' texts, or nothing. */
  readonly retain?: "all" | "matches" | "nothing";
  /** The meaning of a repeated key: the last one counts, as in `JSON.parse`, or an error at the second one. */
  readonly duplicateKeys?: "last-wins" | "reject";
  /** Deviations from JSON to tolerate, for display: `finish` still throws for them. Made by {@link lenient}. */
  readonly lenient?: Leniency;
  /** Lets a text with such deviations succeed as the strict JSON that it stands for. */
  readonly accept?: boolean;
  /**
   * The type of numbers: JavaScript's own (`number`), integers that these can't hold as `bigint`, or all numbers as they
   * are spelt (`string`).
   */
  readonly numbers?: "number" | "bigint" | "string";
  /**
   * The treatment of `__proto__` in values and snapshots: an own property, nothing, or an error. `reject` also refuses
   * `prototype` in a member named `constructor`.
   */
  readonly prototypeKeys?: "keep" | "drop" | "reject";
  /** Ends carry the value's text as it was spelt, as `raw`. */
  readonly spelling?: boolean;
  /**
   * True if a byte order mark at the start of bytes is an error, as RFC 8259 has it. Otherwise it is skipped, as
   * `Response.json()` does, and offsets count from the byte after it.
   */
  readonly strictByteOrderMark?: boolean;
  /**
   * True if the containers of snapshots that stay are frozen once they have ended, which helps to find code that changes
   * them. False by default: it takes up to twice as long.
   */
  readonly freeze?: boolean;
}

/** Options of the parsers that read arguments and payloads. */
export type ParsingOptions = Pick<ParserOptions, "limits" | "duplicateKeys" | "lenient" | "accept" | "numbers" | "spelling"> & {
  /** The treatment of `__proto__` in values: a member like any other, or nothing. */
  readonly prototypeKeys?: "keep" | "drop";
};

const KNOWN = [
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
] satisfies (keyof ParserOptions)[];

/** The options of a parser, checked, with nothing left out. */
export interface Settings extends Making, Required<Omit<ParserOptions, "limits" | "lenient" | "duplicateKeys" | keyof Making>> {
  readonly limits: Required<Limits>;
  readonly rejectsDuplicates: boolean;
  readonly lenient: Leniency | undefined;
}

export function invalid(message: string): JsonSpigotError {
  return new JsonSpigotError("invalid-option", message);
}

/** Returns a value of any type as text for a message. */
export function spelled(value: unknown): string {
  try {
    return typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** Refuses what is no object, and options of other names. */
export function checkOptions(options: object, known: readonly string[], others = ""): void {
  for (const name of Object.keys(optionsOf(options))) {
    if (!known.includes(name)) throw invalid(`unknown option ${JSON.stringify(name)}: the options are ${known.join(", ")}${others}`);
  }
}

/** Returns the options, unless they are no object. */
export function optionsOf<O extends object>(options: O): O {
  if (typeof options !== "object" || options === null) throw invalid(`options: ${spelled(options)} is not an object`);
  return options;
}

/** Returns the value if it is one of the names, or the fallback. Fails with the names otherwise. */
export function oneOf<N extends string>(option: string, value: unknown, names: readonly N[], fallback: N): N {
  if (value === undefined) return fallback;
  if (!names.includes(value as N)) throw invalid(`${option}: ${spelled(value)} is not one of ${names.join(", ")}`);
  return value as N;
}

const NO_LIMITS = { depth: 127, key: Infinity, string: Infinity, number: Infinity, blank: Infinity, total: Infinity };

export function settingsOf(options: ParserOptions): Settings {
  checkOptions(options, KNOWN);
  if (typeof options.snapshots === "string") oneOf("snapshots", options.snapshots, ["live"], "live");
  return {
    limits: limitsOf(options.limits),
    rejectsDuplicates: rejects(options.duplicateKeys),
    retain: oneOf("retain", options.retain, ["all", "matches", "nothing"], "all"),
    spelling: options.spelling === true,
    snapshots: options.snapshots === "live" ? "live" : Boolean(options.snapshots) || Boolean(options.provisional),
    provisional: Boolean(options.provisional),
    lenient: leniencyOf(options.lenient),
    accept: Boolean(options.accept),
    numbers: oneOf("numbers", options.numbers, ["number", "bigint", "string"], "number"),
    prototypeKeys: oneOf("prototypeKeys", options.prototypeKeys, ["keep", "drop", "reject"], "keep"),
    strictByteOrderMark: Boolean(options.strictByteOrderMark),
    freeze: Boolean(options.freeze),
  };
}

/** Returns true if a repeated key is an error. */
export function rejects(duplicateKeys: ParserOptions["duplicateKeys"]): boolean {
  return oneOf("duplicateKeys", duplicateKeys, ["last-wins", "reject"], "last-wins") === "reject";
}

/** Checks the limits that are set, and adds all others. */
export function limitsOf(limits: Limits | undefined): Required<Limits> {
  if (limits === undefined) return NO_LIMITS;
  if (typeof limits !== "object" || limits === null) throw invalid(`limits: ${spelled(limits)} is not an object`);
  const found = { ...NO_LIMITS };
  for (const name of Object.keys(limits) as (keyof Limits)[]) {
    oneOf("limits", name, Object.keys(NO_LIMITS), "depth");
    found[name] = limitOf(`limits.${name}`, limits[name], NO_LIMITS[name]);
  }
  return found;
}

function leniencyOf(lenient: ParserOptions["lenient"]): Leniency | undefined {
  if (lenient !== undefined && !(lenient instanceof Leniency)) {
    throw invalid(`lenient: ${spelled(lenient)} was not made by \`lenient\`: pass lenient(${spelled(lenient)})`);
  }
  return lenient?.bits === 0 ? undefined : lenient;
}

/** Checks the options of a parser of arguments or payloads, whose values are made when its text has ended. */
export function parsingSettings(options: ParserOptions): Settings {
  oneOf("prototypeKeys", options.prototypeKeys, ["keep", "drop"], "keep");
  return settingsOf(options);
}

/** Checks an option that counts something. */
export function limitOf(name: string, value: number | undefined, fallback: number): number {
  const limit = value ?? fallback;
  if (limit !== Infinity && !(Number.isInteger(limit) && limit >= 0)) {
    throw invalid(`${name} must be a non-negative integer or Infinity, not ${spelled(limit)}`);
  }
  return limit > Number.MAX_SAFE_INTEGER ? Infinity : limit;
}
