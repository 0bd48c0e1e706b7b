// What every entry with provider streams has besides their class, whether or not it can be saved: errors, types, names.

export { JsonSpigotError, type Place } from "../error.js";
export { PatternError } from "../pattern.js";
export type { Json } from "../values.js";
export type {
  AgentEvent,
  ApprovalRequestEvent,
  BadFrameEvent,
  BlockEndEvent,
  BlockStartEvent,
  CallCancelledEvent,
  ContentFilterEvent,
  DataEvent,
  IncompleteEvent,
  MediaEvent,
  MessageStartEvent,
  MismatchEvent,
  OpaqueEvent,
  ProviderErrorEvent,
  ProviderEventEvent,
  ReasoningEvent,
  RefusalEvent,
  SourceEvent,
  StopEvent,
  StopType,
  StreamEndEvent,
  StreamEvent,
  StreamPayloadEvent,
  TextEvent,
  ToolResultEvent,
  UnknownEvent,
  UnknownPartEvent,
  UsageEvent,
} from "./events.js";
export { PROVIDERS, type Provider, type ProviderOptions, type Unfinished } from "./stream.js";
export type { CallErrorEvent, CallMatchEvent, CallStartEvent, CallWarningEvent, Executor, InputEvent } from "../calls/event.js";
export type { InputStatus } from "../payload/payload.js";
