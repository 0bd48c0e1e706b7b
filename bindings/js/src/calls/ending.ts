// The end of a call, and what that makes of its input: the verdict. Three things decide, in this order:
//
// 1. Missing input: a limit that was exceeded, a fragment that may have been this call's. Then the call is truncated, even if
//    its text is complete.
// 2. The text. A text that broke JSON's grammar is malformed or trailing, however it ended. An object, array,
//    string or literal that has closed is complete, however it ended.
// 3. How the call ended. For everything else, that is for no text at all, for a number (`12` may be the beginning of `120`)
//    and for text that is not JSON, the stream has to say that the call was not cut: by an end of its own, or by a reason that
//    is known to mean so. An unknown reason counts as a cut, because acting on half a command is worse than asking again.

import { payloadOf, type Verdict } from "./payload/outcome.js";
import type { CallInput, InputStatus } from "./payload/payload.js";
import type { TextError } from "../core/text-error.js";
import type { CallText, MatchReport } from "./call-text.js";

/** The end of a call. */
export interface Ending {
  /** False if the wire announced no end. */
  readonly isAnnounced: boolean;
  /** The wire's own, or ours if it announced none. */
  readonly reason: string | undefined;
}

export const ANNOUNCED: Ending = { isAnnounced: true, reason: undefined };

/** How calls end when nothing was cut. An unknown reason is not trusted. */
const REGULAR: readonly string[] = [
  "tool_use",
  "tool-use",
  "tool_calls",
  "tool-calls",
  "tool_call",
  "function_call",
  "requires_action",
  "stop",
  "stop_sequence",
  "end_turn",
  "pause_turn",
  "complete",
  "completed",
];

const lowered = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

export function isRegular({ isAnnounced, reason }: Ending): boolean {
  return isAnnounced && (reason === undefined || REGULAR.includes(lowered(reason)));
}

/** Returns the verdict on the input of a call. `leftOut` is the reason why a part of it is missing. */
export function payloadAtEnd(
  input: CallText | undefined,
  isText: boolean,
  ending: Ending,
  leftOut: string | undefined,
  isUnconfirmed: boolean,
  report: MatchReport,
): CallInput {
  const isWhole = leftOut === undefined && !isUnconfirmed;
  const isSure = isRegular(ending) && isWhole;
  const truncated: Verdict = { status: "truncated", reason: leftOut ?? ending.reason ?? "incomplete" };
  let verdict: Verdict;
  if (input?.text !== undefined) verdict = verdictOn(input, isSure || (isWhole && input.hasWholeValue), truncated, report);
  else if (!isSure) verdict = truncated;
  else verdict = { status: input === undefined && !isText ? "empty" : "raw" };
  const payload = payloadOf(verdict, input?.raw ?? "", input?.text, input?.error);
  return payload.status === "empty" ? { ...payload, value: {} } : payload;
}

function verdictOn(input: CallText, mayBeComplete: boolean, truncated: Verdict, report: MatchReport): Verdict {
  if (input.error !== undefined) return { status: input.error.kind === "trailing-bytes" ? "trailing" : "malformed" };
  input.finish(mayBeComplete ? report : () => undefined);
  const status = statusOfUnfinished(input.error);
  if (status !== undefined) return { status };
  if (!mayBeComplete || input.error !== undefined) return truncated;
  return { status: input.text!.isStrict ? "complete" : "accepted" };
}

/** Returns the status of an input whose last byte could have begun a deviation, and does not. */
function statusOfUnfinished(error: TextError | undefined): InputStatus | undefined {
  if (error?.kind === "unexpected-byte") return "malformed";
  return error?.kind === "trailing-bytes" ? "trailing" : undefined;
}
