// What every entry with provider streams has: all wire formats, or one.

export * from "./names.js";
export { providerEvents, type EventSource, type ProviderEventsOptions } from "./source.js";
export { ProviderStream } from "./stream.js";
