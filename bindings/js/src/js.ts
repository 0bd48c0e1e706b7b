// The package without WebAssembly: the same module as JavaScript, several times slower. For React Native, for pages whose
// content security policy has no 'wasm-unsafe-eval', and for old web views.

import { runWith } from "./module.js";
import { translated } from "./translated.js";

runWith(translated);

export * from "./core.js";
