// Loads the WebAssembly module, and keeps the instance of it that is in use.

import { JsonSpigotError } from "../core/error.js";
import { Instance } from "./instance.js";

/** A compiled module, or the bytes of one. */
export type ModuleSource = WebAssembly.Module | ArrayBuffer | Uint8Array;

let bytes: (() => Uint8Array) | undefined;
let compiled: WebAssembly.Module | undefined;
let current: Instance | undefined;

/** Sets the source of the module's bytes, unless {@link init} is called first. */
export function loadBytesWith(source: () => Uint8Array): void {
  bytes = source;
}

/** Returns the instance that new streams live in, which the first of them starts, as does the first one after a trap. */
export function instance(): Instance {
  if (!current || current.failure) current = new Instance((compiled ??= compile()));
  return current;
}

function compile(): WebAssembly.Module {
  if (!bytes) {
    const message = "no WebAssembly module: call initSync() with `jsonspigot/providers.wasm` first, or import `jsonspigot/providers`";
    throw new JsonSpigotError("not-started", message);
  }
  try {
    return new WebAssembly.Module(bytes() as BufferSource);
  } catch (cause) {
    const error = new JsonSpigotError(
      "not-started",
      "the WebAssembly module can't be compiled here: await init() first where only synchronous compilation is " +
        "refused, allow 'wasm-unsafe-eval' in the content security policy, hand a compiled module to " +
        "`jsonspigot/providers/slim`",
    );
    error.cause = cause;
    throw error;
  }
}

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
  compiled ??= source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source as BufferSource);
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
  if (compiled) return;
  let from: ModuleSource | Response | undefined = (await source) ?? bytes?.();
  if (typeof Response !== "undefined" && from instanceof Response) from = await from.arrayBuffer();
  from ??= compile();
  compiled ??= from instanceof WebAssembly.Module ? from : await WebAssembly.compile(from as BufferSource);
}
