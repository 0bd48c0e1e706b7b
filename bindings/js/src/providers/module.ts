// The second module of the package, and what it exports. `../../wasm/src/providers.rs` is the other side.

import { ModuleLoader, type Exports, type ModuleSource } from "../module.js";

/** What the module exports besides what every module does. */
export interface ProviderExports extends Exports {
  create_stream(patterns: number, provider: number, length: number): number;
  create_envelope(patterns: number, length: number): number;
  feed(slot: number, length: number): number;
  feed_unreadable(slot: number, length: number): number;
  feed_oversized(slot: number): number;
  finish(slot: number, length: number): number;
  message(slot: number): number;
  provider(slot: number): number;
}

export const loader = new ModuleLoader<ProviderExports>("jsonspigot/providers.wasm", "`jsonspigot/providers/slim`");

/**
 * Starts the providers' module from these bytes, or from a module that was compiled elsewhere. Needed with
 * `jsonspigot/providers/slim` only; harmless afterwards.
 */
export function initSync(source: ModuleSource): void {
  loader.initSync(source);
}

/** The same, compiled in the background: for browsers that compile only small modules at once. */
export async function init(source?: ModuleSource | Promise<ModuleSource> | Response | Promise<Response>): Promise<void> {
  await loader.init(source);
}
