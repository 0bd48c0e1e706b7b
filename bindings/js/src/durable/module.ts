// The module that saves and restores besides, and what it exports. `../../wasm/src/saved.rs` is the other side.

import { ModuleLoader, type ModuleSource, type ParserExports } from "../module.js";

/** What it exports besides what the module of the package's main entry does. */
export interface DurableExports extends ParserExports {
  save(parser: number, note: number): void;
  restore(parser: number, patterns: number, length: number): number;
}

export const loader = new ModuleLoader<DurableExports>("jsonspigot/durable.wasm", "`jsonspigot/durable/slim`");

/**
 * Starts the module from these bytes, or from a module that was compiled elsewhere. Needed with `jsonspigot/durable/slim`
 * only; a no-op once there is a module.
 */
export function initSync(source: ModuleSource): void {
  loader.initSync(source);
}

/** Like {@link initSync}, but compiles in the background: for browsers that compile only small modules synchronously. */
export async function init(source?: ModuleSource | Promise<ModuleSource> | Response | Promise<Response>): Promise<void> {
  await loader.init(source);
}
