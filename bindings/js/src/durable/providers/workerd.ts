// Where an imported `.wasm` is a compiled module: Cloudflare's workers.

// @ts-expect-error: what this is depends on the runtime; here it is a `WebAssembly.Module`.
import module from "../../durable-providers.wasm";
import { loader } from "./module.js";

loader.loadWith(() => module as WebAssembly.Module);

export * from "./core.js";
