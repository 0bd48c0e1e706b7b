// The module with provider streams and envelopes, and what it exports. `../../wasm/src/readers.rs` is the other side.

import { ModuleLoader, type Exports, type ModuleSource } from "./instance.js";

/** What the module exports besides what every module does. */
export interface ProviderExports extends Exports {
  create_stream(patterns: number, provider: number, length: number): number;
  create_envelope(patterns: number, length: number): number;
  feed(slot: number, length: number): number;
  feed_unreadable(slot: number, length: number): number;
  feed_oversized(slot: number): number;
  finish(slot: number, length: number): number;
  message(slot: number, withCalls: number): number;
  unfinished(slot: number): number;
  provider(slot: number): number;
  save(slot: number): number;
  restore(slot: number, length: number): number;
}

/** Where the module comes from, and its instance. */
export const loader = new ModuleLoader<ProviderExports>("jsonspigot/providers.wasm", "`jsonspigot/providers/slim`", ", or import `jsonspigot/providers`");

/**
 * Starts the providers' module from its bytes, or from a module that was compiled elsewhere. Needed with
 * `jsonspigot/providers/slim` only. Does nothing once there is a module.
 *
 * Where compiling is forbidden (Vercel Edge, Next.js middleware), pass it the module of
 * `import module from "jsonspigot/providers.wasm?module"`.
 *
 * @param source - the bytes of `jsonspigot/providers.wasm`, or the compiled module
 */
export function initSync(source: ModuleSource): void {
  loader.initSync(source);
}

/**
 * Starts the providers' module as {@link initSync} does, but compiles it in the background: for browsers that compile only small
 * modules synchronously, and to cache the module on its own. Browsers compile WebAssembly if the policy's `script-src` has
 * `'wasm-unsafe-eval'`, or if there is no policy.
 *
 * @param source - the module, its bytes or a response with them; by default the inlined module
 *
 * @example
 * ```ts
 * import { init, ProviderStream } from "jsonspigot/providers/slim";
 *
 * await init(fetch("/providers.wasm")); // the package's file of this name
 * console.log(new ProviderStream("auto").finish().length); // 0
 * ```
 */
export async function init(source?: ModuleSource | Promise<ModuleSource> | Response | Promise<Response>): Promise<void> {
  await loader.init(source);
}
