// Values of any kind as JSON text while they arrive, for whoever passes them on.

import { deltasOf, type DeltasOptions } from "./deltas.js";
import type { Loop } from "./loop.js";
import { beginRaw } from "./raw.js";
import type { Source } from "./source.js";

/**
 * Yields the JSON text of the values that one pattern selects, as it arrives, whatever their types.
 *
 * @param source - the body of a response, a web stream, or an iterable of strings or bytes, cut anywhere
 * @param pattern - a path; `raw:` before it may be left out
 *
 * @example
 * ```ts
 * import { rawDeltas } from "jsonspigot";
 *
 * for await (const text of rawDeltas(['{"order": {"id"', ": 1}}"], "order")) console.log(text); // "{\"id\"", then ": 1}"
 * ```
 */
export function rawDeltas(source: Source, pattern: string, options?: DeltasOptions): Loop<string> {
  return deltasOf(source, pattern.startsWith("raw:") ? pattern : `raw:${pattern}`, options, beginRaw);
}
