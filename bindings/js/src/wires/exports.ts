// The types that each adapter exports.

export type {
  CallErrorEvent,
  CallEvent,
  CallMatchEvent,
  CallMismatchEvent,
  CallStartEvent,
  CallWarningEvent,
  Executor,
  InputEvent,
} from "../calls/event.js";
export type { ToolCallsOptions } from "../calls/options.js";
export type { InputStatus } from "../calls/payload/payload.js";
export type { Json } from "../core/values.js";
export type { ProviderEvent, StopEvent, TextEvent, WireEvent } from "./event.js";
export type { WireSource, WireStream } from "./wire-stream.js";
