// `jsonspigot/compat`: incremental drop-ins for the partial parsers that applications have.

export { PartialJsonParser, type PartialJson } from "./ai-sdk.js";
export { fieldState, PartialJsonObjectParser, type PartialObject } from "./assistant-ui.js";
