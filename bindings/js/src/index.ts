// The package: everything of the core, and the streams on it.

export { JsonSpigotError, type Place } from "./core/error.js";
export type {
  BeginEvent,
  DeltaEvent,
  DeviationReport,
  Deviations,
  EndEvent,
  Event,
  InnerErrorEvent,
  ValueType,
} from "./core/events.js";
export type { Deviation, DeviationNames } from "./lenient/deviations.js";
export { lenient } from "./lenient/index.js";
export type { Leniency, Limits, ParserOptions } from "./core/options.js";
export { Parser, type ParserStatus } from "./core/parser.js";
export { applyPatch, type PatchOp } from "./core/tree/patch.js";
export { partial, PartialJson, type PartialOptions } from "./core/partial.js";
export { pathOf, type PathNotation } from "./core/patterns/pattern.js";
export { PatternError } from "./core/patterns/pattern.js";
export type { ValueState } from "./core/tree/state-of.js";
export type { DeepPartial } from "./core/text-parser.js";
export { FieldReader } from "./loops/reader.js";
export type { FieldPath, ReadOptions } from "./loops/fields.js";
export { deltas, rawDeltas, type DeltasOptions } from "./loops/deltas.js";
export type { Loop } from "./loops/loop.js";
export type { Chunk, Source } from "./loops/source.js";
export { SchemaError, type SchemaIssue, type SchemaResult, type StandardSchema } from "./loops/schema.js";
export { events, EventStream, snapshots, type SnapshotsOptions, type StreamOptions } from "./loops/streams.js";
export type { Json } from "./core/values.js";
