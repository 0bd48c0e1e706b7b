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
 * Starts the providers' module from these bytes, or from a module that was compiled elsewhere. Needed with
 * `jsonspigot/providers/slim` only; a no-op once there is a module.
 */
export function initSync(source: ModuleSource): void {
  loader.initSync(source);
}

/** Like {@link initSync}, but compiles in the background: for browsers that compile only small modules synchronously. */
export async function init(source?: ModuleSource | Promise<ModuleSource> | Response | Promise<Response>): Promise<void> {
  await loader.init(source);
}
