// The options of tool calls.

import { compile } from "../core/patterns/compile.js";
import { limitOf, optionsOf, parsingSettings, type ParserOptions, type ParsingOptions } from "../core/options.js";

/** The options of tool calls. White space in a row is limited to 64 KiB, unless `limits.blank` is set. */
export interface ToolCallsOptions extends ParsingOptions, Pick<ParserOptions, "snapshots" | "provisional" | "freeze"> {
  /** The meaning of a repeated key in arguments: an error unless set otherwise, since a value may be used before the last one. */
  readonly duplicateKeys?: "last-wins" | "reject";
  /** Patterns for single tools, by their names. */
  readonly tools?: { readonly [name: string]: string | readonly string[] };
  /** True if each delta has all of the input so far, as some servers send it. False unless set otherwise. */
  readonly cumulative?: boolean;
  /** How much calls may make this process keep: 256 open calls, 16 MiB of input and 16 KiB of a name unless set otherwise. */
  readonly callLimits?: {
    readonly openCalls?: number;
    /** Bytes of one call's input. */
    readonly inputBytes?: number;
    /** Bytes of an id or a name. */
    readonly nameBytes?: number;
  };
}

/** The options, checked, with nothing left out. */
export type CallSettings = ReturnType<typeof callSettings>;

export function callSettings(patterns: string | readonly string[], options: ToolCallsOptions) {
  const { tools = {}, cumulative = false, callLimits = {}, duplicateKeys = "reject", ...own } = optionsOf(options);
  // Models that send more of it never stop sending it.
  const limits = { ...own.limits, blank: own.limits?.blank ?? 64 << 10 };
  return {
    parsing: parsingSettings({ ...own, limits, duplicateKeys, retain: "all" }),
    /** The patterns of all tools, and of those that have their own. */
    automaton: compile(patterns),
    automata: new Map(Object.entries(tools).map(([name, some]) => [name, compile(some)])),
    isCumulative: cumulative,
    ...callLimitsOf(callLimits),
  };
}

/** Returns the limits on calls, checked, with nothing left out. */
export const callLimitsOf = ({ openCalls, inputBytes, nameBytes }: NonNullable<ToolCallsOptions["callLimits"]>) => ({
  openCalls: limitOf("callLimits.openCalls", openCalls, 256),
  inputBytes: limitOf("callLimits.inputBytes", inputBytes, 16 << 20),
  nameBytes: limitOf("callLimits.nameBytes", nameBytes, 16 << 10),
});
