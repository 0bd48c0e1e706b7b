// The one-call form: the value so far, after each piece of its text.

import { makeText, type ShownOptions } from "./make-text.js";
import { TextParser, type DeepPartial } from "./text-parser.js";
import type { Json } from "./values.js";

/** The options of {@link partial}. */
export type PartialOptions = ShownOptions;

/**
 * A value that is up to date after each piece of its text. A string, an array or an object is shown from its first unit on, and a
 * string grows by whole characters; a number or literal is shown once it is complete, unless `provisional` shows it earlier.
 * Nothing is guessed or closed.
 */
export class PartialJson<T = Json> {
  readonly #parser: TextParser;

  constructor(options: PartialOptions = {}) {
    this.#parser = new TextParser(makeText(options));
  }

  /**
   * Reads the next piece of the text, cut anywhere, and returns the value so far; `undefined` until something is shown. Unchanged
   * parts are the same objects as before, and a returned value never changes.
   *
   * @param delta - text, or bytes of UTF-8
   * @throws {JsonSpigotError} at the first byte that can't belong to the text. Later calls throw the same error, and
   * {@link PartialJson.current} stays what it was there. Of kind `finished` after {@link PartialJson.value} has given the value.
   */
  push(delta: string | Uint8Array): DeepPartial<T> | undefined {
    this.#parser.feed(delta);
    return this.current;
  }

  /** Returns the value so far, also after an error. */
  get current(): DeepPartial<T> | undefined {
    return this.#parser.snapshot<T>();
  }

  /**
   * Ends the text, and returns the complete value.
   *
   * @throws {JsonSpigotError} the error of {@link PartialJson.push}, if there was one; of kind `incomplete` if not all of the
   * text has arrived; the first deviation's, if deviations were passed over and not accepted.
   */
  value(): T {
    this.#parser.finish();
    return this.current as T;
  }
}

/**
 * Returns a value that grows with its text.
 *
 * @example
 * ```ts
 * import { partial } from "jsonspigot";
 *
 * const trip = partial<{ city: string; days: number[] }>();
 * for (const delta of ['{"city":"Os', 'lo","days":[3]}']) console.log(trip.push(delta)); // {"city":"Os"}, then {"city":"Oslo","days":[3]}
 * console.log(trip.value().days.length); // 1
 * ```
 *
 * @example From partial-json and best-effort-json-parser, which read the whole text each time
 * ```ts
 * import { parse as bestEffort } from "best-effort-json-parser";
 * import { lenient, partial } from "jsonspigot";
 * import { parse } from "partial-json";
 *
 * const chunks = ['{"city": "Kö', 'ln", "population": 1.0'];
 * console.log(parse(chunks.join(""))); // {"city":"Köln","population":1}
 * const city = partial({ provisional: true }); // otherwise a number is shown once it is complete
 * for (const chunk of chunks) city.push(chunk);
 * console.log(city.current); // {"city":"Köln","population":1}
 *
 * const text = "{city: 'Köln', days: [1, 2,";
 * console.log(bestEffort(text)); // {"city":"Köln","days":[1,2]}
 * const deviations = lenient(["bare-keys", "single-quotes", "trailing-commas"]);
 * console.log(partial({ provisional: true, lenient: deviations }).push(text)); // {"city":"Köln","days":[1,2]}
 * ```
 */
export function partial<T = Json>(options?: PartialOptions): PartialJson<T> {
  return new PartialJson<T>(options);
}
