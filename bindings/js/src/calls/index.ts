// Tool calls, whatever the SDK: the entry `jsonspigot/calls`.

export { JsonSpigotError } from "../core/error.js";
export { ToolCalls } from "./tool-calls.js";
export type { Slot } from "./call-index.js";
export type * from "./event.js";
export type { CallStart } from "./open-call.js";
export type { ToolCallsOptions } from "./options.js";
export type * from "./payload/payload.js";
