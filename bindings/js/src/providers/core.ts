// All of `jsonspigot/providers` but its module, which `index.ts`, `slim.ts` and `workerd.ts` each get in their own way.

export { JsonSpigotError, type Place } from "../error.js";
export type { ModuleSource } from "../module.js";
export { PatternError } from "../patterns.js";
export { Envelope, type EnvelopeEvent, type EnvelopeOptions } from "./envelope.js";
export type * from "./events.js";
export { init, initSync } from "./module.js";
export { providerEvents, type EventSource, type ProviderEventsOptions } from "./source.js";
export { PROVIDERS, ProviderStream, type Provider, type ProviderOptions } from "./stream.js";
