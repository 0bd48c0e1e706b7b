// What every entry with provider streams has besides their class, whether or not it can be saved: errors, types, names.

export { JsonSpigotError, type Place } from "../error.js";
export { PatternError } from "../pattern.js";
export type { Json } from "../values.js";
export type {
  AgentEvent,
  ApprovalRequestEvent,
  BlockEndEvent,
  BlockStartEvent,
  CallCancelledEvent,
  CallErrorEvent,
  CallMatchEvent,
  CallStartEvent,
  ContentFilterEvent,
  Executor,
  IncompleteEvent,
  InputEvent,
  InputStatus,
  MediaEvent,
  MessageStartEvent,
  MismatchEvent,
  OpaqueEvent,
  PartEvent,
  ProviderErrorEvent,
  ProviderEventEvent,
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
  UsageEvent,
} from "./events.js";
export { PROVIDERS, type Provider, type ProviderOptions, type Unfinished } from "./stream.js";
