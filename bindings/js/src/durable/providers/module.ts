// The module that saves and restores provider streams and envelopes besides, and what it exports.
// `../../../wasm/src/saved_streams.rs` is the other side.

import { ModuleLoader, type ModuleSource } from "../../module.js";
import type { ProviderExports } from "../../providers/module.js";

/** What it exports besides what the module of `jsonspigot/providers` does. */
export interface DurableProviderExports extends ProviderExports {
  save(slot: number): void;
  restore(slot: number, length: number): number;
}

export const loader = new ModuleLoader<DurableProviderExports>("jsonspigot/durable/providers.wasm", "`jsonspigot/durable/providers/slim`");

/**
 * Starts the module from these bytes, or from a module that was compiled elsewhere. Needed with
 * `jsonspigot/durable/providers/slim` only; a no-op once there is a module.
 */
export function initSync(source: ModuleSource): void {
  loader.initSync(source);
}

/** Like {@link initSync}, but compiles in the background: for browsers that compile only small modules synchronously. */
export async function init(source?: ModuleSource | Promise<ModuleSource> | Response | Promise<Response>): Promise<void> {
  await loader.init(source);
}
