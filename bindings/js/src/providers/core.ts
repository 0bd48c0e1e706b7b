// All of `jsonspigot/providers` but its module, which `index.ts`, `slim.ts` and `workerd.ts` each get in their own way.

export { JsonSpigotError, type Place } from "../error.js";
export type { ModuleSource } from "../module.js";
export { PatternError } from "../patterns.js";
export type { Json } from "../values.js";
export { Envelope } from "./envelope.js";
export type {
  EnvelopeEvent,
  EnvelopeOptions,
  FragmentEvent,
  PayloadEvent,
  PayloadMatchEvent,
  PayloadStartEvent,
  VisibleTextEvent,
} from "./envelope.js";
export type {
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
  MessageStartEvent,
  OpaqueEvent,
  ProviderErrorEvent,
  RefusalEvent,
  SourceEvent,
  StopEvent,
  StopType,
  StreamEndEvent,
  StreamEvent,
  TextEvent,
  ToolResultEvent,
  UnknownEvent,
  UsageEvent,
} from "./events.js";
export { init, initSync } from "./module.js";
export { providerEvents, type EventSource, type ProviderEventsOptions } from "./source.js";
export { PROVIDERS, ProviderStream, type Provider, type ProviderOptions } from "./stream.js";
