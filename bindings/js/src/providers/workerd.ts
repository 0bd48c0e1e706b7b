// Where an imported `.wasm` is a compiled module: Cloudflare's workers.

// @ts-expect-error: what this is depends on the runtime; here it is a `WebAssembly.Module`.
import module from "../providers.wasm";
import { initSync } from "./module.js";

initSync(module as WebAssembly.Module);

export * from "./slim.js";
