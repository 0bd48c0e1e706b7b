// The same without the module, for runtimes that forbid compiling and for those who serve it on its own: `initSync` or
// `init` with `jsonspigot/durable/providers.wasm` comes first.

export * from "./core.js";
