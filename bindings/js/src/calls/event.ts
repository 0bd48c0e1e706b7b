// The events of tool calls.

import type { Event } from "../core/events.js";
import type { CallInput } from "./payload/payload.js";

/** The party that executes a call. */
export type Executor = "client" | "provider";

/** A tool call has begun. A structured answer is a call without an id and a name. */
export interface CallStartEvent {
  readonly kind: "call";
  /** The call's number in this stream. */
  readonly call: number;
  /** The provider's id, if it is known already. */
  readonly id?: string;
  /** The tool's name, if it is known already. */
  readonly name?: string;
  /** The index of the answer that it belongs to; 0 where there is only one. */
  readonly choice: number;
  readonly executed: Executor;
}

/** A begin, delta, end or inner error of a pattern's match in the input of a call. */
export type CallMatchEvent = Event & { readonly call: number };

/** The input of a call has ended, with a result that depends on its `status`. */
export type InputEvent = CallInput & {
  readonly kind: "input";
  readonly call: number;
  readonly id?: string;
  readonly name?: string;
  readonly executed: Executor;
};

/** A signal can't be part of a call, or exceeds a limit. The stream continues. */
export interface CallErrorEvent {
  readonly kind: "call-error";
  readonly call?: number;
  readonly type: "not-started" | "ended" | "mismatch" | "mixed" | "open-calls-limit" | "input-limit" | "name-limit" | "event-limit";
}

/** The first fragments of a call look as if each held all of the input so far, which the option `cumulative` is for. */
export interface CallWarningEvent {
  readonly kind: "warning";
  readonly call: number;
  readonly type: "cumulative";
}

/** A call's whole input is repeated, and contradicts what was reported of it. */
export interface CallMismatchEvent {
  readonly kind: "mismatch";
  readonly type: "arguments";
  readonly choice: number;
  readonly call: number;
  /** The whole, as the provider repeats it. */
  readonly text: string;
}

/** The events of tool calls. */
export type CallEvent = CallStartEvent | CallMatchEvent | InputEvent | CallErrorEvent | CallWarningEvent | CallMismatchEvent;
