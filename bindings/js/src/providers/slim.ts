// Provider streams without their module: `initSync` or `init` with `jsonspigot/providers.wasm` comes first.

export { JsonSpigotError, type Place } from "../core/error.js";
export { PatternError } from "../core/patterns/pattern.js";
export type { Json } from "../core/values.js";
export type * from "./events.js";
export { init, initSync, type ModuleSource } from "./module.js";
export { providerEvents, type EventSource, type ProviderEventsOptions } from "./source.js";
export { PROVIDERS, ProviderStream, type Provider, type ProviderOptions, type Unfinished } from "./stream.js";
export type { CallErrorEvent, CallMatchEvent, CallStartEvent, CallWarningEvent, Executor, InputEvent } from "../calls/event.js";
export type { FragmentEvent, PayloadEvent, PayloadMatchEvent, PayloadStartEvent } from "../envelope/event.js";
export type { InputStatus } from "../calls/payload/payload.js";
