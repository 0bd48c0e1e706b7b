// The options of a stream, and the form in which the module reads them and patterns.

import { bitsOf, type DeviationNames } from "../lenient/deviations.js";
import { callLimitsOf, type ToolCallsOptions } from "../calls/options.js";
import { checkOptions, limitOf, parsingSettings, type ParserOptions, type Settings } from "../core/options.js";
import { listOf, MOST_SETS } from "../core/patterns/compile.js";
import { PatternError } from "../core/patterns/pattern.js";
import { encode, joinedAll } from "../core/utf8.js";
import type { Instance } from "./instance.js";

/** {@link ToolCallsOptions} without snapshots, and what only a provider's stream has. */
export interface ProviderOptions extends Omit<ToolCallsOptions, "snapshots" | "provisional" | "freeze" | "lenient" | "callLimits"> {
  /**
   * Deviations from JSON to tolerate. `model-output` stands for control characters, bad escapes, lone surrogates (shown as
   * U+FFFD), trailing commas, comments and a byte order mark. The module has its own translator, so it takes their names.
   */
  readonly lenient?: DeviationNames;
  /** The assistant's text is itself JSON: each answer is reported as a call without an id or a name. */
  readonly structured?: boolean;
  /** Keeps the assistant's message for `ProviderStream.message`. */
  readonly message?: boolean;
  /**
   * Buffers the events since the message began, so that `ProviderStream.save` works: up to 1 MiB, or this many bytes.
   */
  readonly saveable?: boolean | number;
  /**
   * Reports when a call's value closes, and when each of these patterns has selected a value that has closed, for work that starts
   * early and is committed or discarded at `input`.
   */
  readonly closed?: string | readonly string[];
  /** Reports each provider's event, before the events that it means. */
  readonly providerEvents?: boolean;
  /**
   * Looks for payloads between these marks in the assistant's text, as `Envelope` of `jsonspigot/envelope` does; the patterns
   * apply to them too.
   */
  readonly envelope?: string | readonly string[];
  /** How much a stream may make this process keep: that of calls, and 32 MiB of one event unless set otherwise. */
  readonly callLimits?: NonNullable<ToolCallsOptions["callLimits"]> & {
    /** Bytes of one event. */
    readonly eventBytes?: number;
  };
}

const KNOWN = [
  ...["limits", "duplicateKeys", "lenient", "accept", "numbers", "spelling", "prototypeKeys", "tools", "structured"],
  ...["message", "saveable", "providerEvents", "envelope", "cumulative", "closed", "callLimits"],
];
const SAVE_LIMIT = 1 << 20;

/** Checks a stream's options, and encodes them as `../../wasm/src/options.rs` reads them: flags and limits, in 64 bits each. */
export function encodeOptions(options: ProviderOptions): { readonly settings: Settings; readonly encoded: Uint8Array } {
  checkOptions(options, KNOWN);
  const { limits, duplicateKeys, lenient = [], accept, numbers, spelling, prototypeKeys, callLimits = {}, saveable = false } = options;
  const settings = parsingSettings({ limits, duplicateKeys, accept, numbers, spelling, prototypeKeys } as ParserOptions);
  const { structured, message, cumulative, providerEvents } = options;
  const isLast = duplicateKeys === "last-wins";
  const flags = [structured, message, cumulative, isLast, providerEvents, settings.rejectsDuplicates, settings.accept];
  const { depth, key, string, number, blank, total } = settings.limits;
  const { openCalls, inputBytes, nameBytes } = callLimitsOf(callLimits);
  const sizes = [
    flags.reduce<number>((bits, isSet, place) => bits | (isSet ? 1 << place : 0), bitsOf(lenient) << 8),
    ...[depth, key, string, number, blank, total],
    ...[openCalls, inputBytes, nameBytes],
    limitOf("callLimits.eventBytes", callLimits.eventBytes, 32 << 20),
    limitOf("saveable", saveable === true ? SAVE_LIMIT : saveable || 0, 0),
  ];
  const longs = BigUint64Array.from(sizes, (size) => (size === Infinity ? 0xffff_ffff_ffff_ffffn : BigInt(size)));
  return { settings, encoded: new Uint8Array(longs.buffer) };
}

/** Encodes texts, each after its length. */
export function encodeTexts(texts: readonly string[]): Uint8Array {
  return joinedAll(texts.map(encode).flatMap((text) => [new Uint8Array(Uint32Array.of(text.length).buffer), text]));
}

/** Returns the number of these patterns in an instance, which compiles them only once. */
export function compile(module: Instance, patterns: string | readonly string[]): number {
  const list = listOf(patterns);
  const sets = module.patterns;
  const name = JSON.stringify(list);
  const known = sets.get(name);
  if (known !== undefined) return known;
  const set = module.exports.compile(module.writeBytes(encodeTexts(list)));
  if (set < 0) {
    const {
      reason,
      numbers: [index, column],
    } = module.refusal(set);
    throw new PatternError(list[index!]!, index!, column!, reason);
  }
  sets.set(name, set);
  return set;
}

/** Forgets compiled patterns, the oldest first, until there is room for others. Called before those of a stream are compiled. */
export function forgetOldest({ patterns, exports }: Instance): void {
  for (const [name, number] of patterns) {
    if (patterns.size < MOST_SETS) return;
    patterns.delete(name);
    exports.forget(number);
  }
}
