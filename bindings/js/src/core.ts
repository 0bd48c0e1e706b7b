// All of the package but the module itself, which `index.ts`, `slim.ts` and `workerd.ts` each get in their own way.

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
export { init, initSync, type ModuleSource } from "./module.js";
export type { Deviation, Limits, ParserOptions } from "./options.js";
export {
  Documents,
  Parser,
  type DeepPartial,
  type DocumentsOptions,
  type Framing,
  type ParserStatus,
  type PatchOp,
  type ValueState,
} from "./parser.js";
export { applyPatch } from "./patch.js";
export { FieldReader, type FieldPath } from "./reader.js";
export { PatternError } from "./patterns.js";
export { deltas, events, EventStream, snapshots, type Chunk, type Source, type StreamOptions } from "./streams.js";
export type { Json } from "./values.js";
