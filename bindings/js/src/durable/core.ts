// All of `jsonspigot/durable` but its module, which `index.ts`, `slim.ts` and `workerd.ts` each get in their own way.

export { JsonSpigotError, type Place } from "../error.js";
export type {
  BeginEvent,
  DeltaEvent,
  Deviations,
  DeviationReport,
  DocumentEndEvent,
  DocumentErrorEvent,
  DocumentEvent,
  EndEvent,
  Event,
  InDocument,
  InnerErrorEvent,
  ValueType,
} from "../events.js";
export type { ModuleSource } from "../module.js";
export type { Deviation, Limits, ParserOptions } from "../options.js";
export type { DeepPartial, DocumentsOptions, Framing, ParserStatus, PatchOp, ValueState } from "../parser.js";
export { applyPatch } from "../patch.js";
export { PatternError } from "../patterns.js";
export type { Json } from "../values.js";
export { init, initSync } from "./module.js";
export { Documents, Parser } from "./parser.js";
