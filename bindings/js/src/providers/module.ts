// The modules with provider streams, and what they export: one has all wire formats, and envelopes, and others have one wire
// format each. `../../wasm/src/providers.rs` is the other side.

import { ModuleLoader, type Exports, type ModuleSource } from "../module.js";

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
}

const newLoader = () =>
  new ModuleLoader<ProviderExports>(
    "jsonspigot/providers.wasm",
    "`jsonspigot/providers/slim`",
    ", or import `jsonspigot/providers`",
  );

/** Of the module that has all. */
export const loader = newLoader();

/** Of those that have one wire format, by the provider whose it is. */
const formats = new Map<string, ModuleLoader<ProviderExports>>();

/** Where the bytes of the module for this provider alone come from. Gives how it is compiled in the background. */
export function loadFormatWith(provider: string, source: () => Uint8Array): () => Promise<void> {
  const own = newLoader();
  own.loadBytesWith(source);
  formats.set(provider, own);
  return () => own.init();
}

/** The loader of the module that has this provider alone, if there is one. */
export function formatLoader(provider: string): ModuleLoader<ProviderExports> | undefined {
  return formats.get(provider);
}

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
