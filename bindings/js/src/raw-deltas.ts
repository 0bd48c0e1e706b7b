// Values of any kind as JSON text while they arrive, for whoever passes them on.

import { deltasOf, type DeltasOptions } from "./deltas.js";
import type { Loop } from "./loop.js";
import { beginRaw } from "./raw.js";
import type { Source } from "./source.js";

/**
 * The JSON text of the values that one pattern selects, as it comes.
 *
 * ```ts
 * for await (const text of rawDeltas(await fetch(url), "order")) passOn(text);
 * ```
 */
export function rawDeltas(source: Source, pattern: string, options?: DeltasOptions): Loop<string> {
  return deltasOf(source, pattern.startsWith("raw:") ? pattern : `raw:${pattern}`, options, beginRaw);
}
