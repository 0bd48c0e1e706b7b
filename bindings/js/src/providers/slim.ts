// Provider streams and envelopes without their module: `initSync` or `init` with `jsonspigot/providers.wasm` comes first.

export * from "./core.js";
