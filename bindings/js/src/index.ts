// The package: everything of the core, and the streams on it.

export { JsonSpigotError, type Place } from "./error.js";
export type {
  BeginEvent,
  DeltaEvent,
  DeviationReport,
  Deviations,
  EndEvent,
  Event,
  InnerErrorEvent,
  ValueType,
} from "./events.js";
export type { Deviation, DeviationNames } from "./deviations.js";
export { lenient } from "./leniency.js";
export type { Leniency, Limits, ParserOptions } from "./options.js";
export { Parser, type ParserStatus } from "./parser.js";
export { applyPatch, type PatchOp } from "./patch.js";
export { partial, PartialJson, type PartialOptions } from "./partial.js";
export { pathOf, type PathNotation } from "./path-of.js";
export { PatternError } from "./pattern.js";
export type { ValueState } from "./state-of.js";
export type { DeepPartial } from "./text-parser.js";
export { FieldReader } from "./reader.js";
export type { FieldPath, ReadOptions } from "./fields.js";
export { deltas, type DeltasOptions } from "./deltas.js";
export { rawDeltas } from "./raw-deltas.js";
export type { Loop } from "./loop.js";
export type { Chunk, Source } from "./source.js";
export { SchemaError, type SchemaIssue, type SchemaResult, type StandardSchema } from "./schema.js";
export { events, EventStream, snapshots, type SnapshotsOptions, type StreamOptions } from "./streams.js";
export type { Json } from "./values.js";
