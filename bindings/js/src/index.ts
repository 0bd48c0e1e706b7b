// The package: everything of the core, and the streams on it.

export { JsonSpigotError, type Place } from "./error.js";
export type {
  BeginEvent,
  DeltaEvent,
  DeviationReport,
  Deviations,
  DocumentEndEvent,
  DocumentErrorEvent,
  DocumentEvent,
  EndEvent,
  Event,
  InDocument,
  InnerErrorEvent,
  ValueType,
} from "./events.js";
export { ToolCalls } from "./calls/tool-calls.js";
export type { Slot } from "./calls/call-index.js";
export type { CallErrorEvent, CallEvent, CallMatchEvent, CallMismatchEvent, CallStartEvent, Executor, InputEvent } from "./calls/event.js";
export type { CallStart } from "./calls/open-call.js";
export type { ToolCallsOptions } from "./calls/options.js";
export type { InputStatus, Payload } from "./payload/payload.js";
export { Envelope, type EnvelopeOptions } from "./envelope/envelope.js";
export type {
  EnvelopeEvent,
  FragmentEvent,
  PayloadEvent,
  PayloadMatchEvent,
  PayloadStartEvent,
  VisibleTextEvent,
} from "./envelope/event.js";
export { Documents, type DocumentsOptions, type Framing } from "./documents.js";
export type { Deviation, Limits, ParserOptions } from "./options.js";
export { Parser, type ParserStatus } from "./parser.js";
export { applyPatch, type PatchOp } from "./patch.js";
export { pathOf, type PathNotation } from "./path-of.js";
export { PatternError } from "./pattern.js";
export type { ValueState } from "./state-of.js";
export type { DeepPartial } from "./text-parser.js";
export { FieldReader, type FieldPath } from "./reader.js";
export { deltas, type DeltasOptions } from "./deltas.js";
export { rawDeltas } from "./raw-deltas.js";
export type { Loop } from "./loop.js";
export type { Chunk, Source } from "./source.js";
export { events, EventStream, snapshots, type StreamOptions } from "./streams.js";
export type { Json } from "./values.js";
