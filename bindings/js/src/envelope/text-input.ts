// Text in chunks, strings and bytes, whose ends may cut a character; and where it stops being text.

import { JsonSpigotError } from "../core/error.js";
import type { Event } from "../core/events.js";
import { isBytes } from "../core/input.js";
import { breakOf, Characters, LONE, utf8Length } from "../core/utf8.js";

export class TextInput {
  readonly #characters = new Characters();
  /** The number of bytes and lines that were read, and of bytes in the open line. */
  #bytes = 0;
  #lines = 0;
  #column = 0;
  /** The error after which nothing is read. */
  error: JsonSpigotError | undefined;

  reset(): void {
    this.#characters.held = "";
    this.#bytes = this.#lines = this.#column = 0;
  }

  /** Returns the text of a chunk, in whole characters, up to the first bad byte. Sets `error` if there is one. */
  take(chunk: string | Uint8Array): string {
    if (typeof chunk !== "string" && !isBytes(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
    if (chunk.length === 0) return "";
    const { held } = this.#characters;
    // As bytes, half a pair would be wrong at the second one.
    if (held.length > 0 && typeof held !== typeof chunk) return this.#bad("", typeof held === "string" ? 1 : held.length);
    const text = this.#characters.take(chunk);
    const at = text.search(LONE);
    if (at < 0) return this.#count(text);
    return this.#bad(text.slice(0, at), typeof chunk === "string" ? 1 : breakOf(text.charCodeAt(at)));
  }

  /** Ends the text. Sets `error` if it ends inside a character. */
  finish(): void {
    // Of half a pair the first two bytes are known.
    const { held } = this.#characters;
    const waiting = typeof held === "string" ? 2 * held.length : held.length;
    if (waiting > 0) this.#fail("incomplete", "the text ends inside a character", waiting);
  }

  /** Returns the error with the events before it. */
  errorWith(events: readonly unknown[]): JsonSpigotError {
    const { kind, message, offset, line, column } = this.error!;
    return new JsonSpigotError(kind, message, { offset, line, column, events: events as readonly Event[] });
  }

  #bad(text: string, after: number): string {
    this.#count(text);
    this.#fail("invalid-utf8", "the text is not UTF-8", after);
    return text;
  }

  #fail(kind: string, what: string, after: number): void {
    this.#characters.held = "";
    const offset = this.#bytes + after;
    const [line, column] = [this.#lines + 1, this.#column + after + 1];
    this.error = new JsonSpigotError(kind, `${what} at byte ${offset} (line ${line}, column ${column})`, { offset, line, column });
  }

  #count(text: string): string {
    const length = utf8Length(text);
    this.#bytes += length;
    const last = text.lastIndexOf("\n");
    if (last < 0) {
      this.#column += length;
      return text;
    }
    this.#column = utf8Length(text, last + 1);
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#lines++;
    return text;
  }
}
