// The types that each adapter exports.

export type * from "../calls/event.js";
export type { ToolCallsOptions } from "../calls/options.js";
export type { InputStatus } from "../calls/payload/payload.js";
export type { Json } from "../core/values.js";
export type * from "./event.js";
export type { WireEvents, WireSource, WireStream } from "./wire-stream.js";
