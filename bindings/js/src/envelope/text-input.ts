// Text in chunks, strings and bytes, whose ends may cut a character; and where it stops being text.

import { JsonSpigotError } from "../core/error.js";
import type { Event } from "../core/events.js";
import { isBytes } from "../core/input.js";
import { breakOf, decode, endsInHalf, joined, LONE, openTail, utf8Length } from "../core/utf8.js";

export class TextInput {
  /** The first half of a surrogate pair, or the first bytes of a character, from the end of the last chunk. */
  #held: string | Uint8Array = "";
  /** The number of bytes and lines that were read, and of bytes in the open line. */
  #bytes = 0;
  #lines = 0;
  #column = 0;
  /** The error after which nothing is read. */
  error: JsonSpigotError | undefined;

  reset(): void {
    this.#held = "";
    this.#bytes = this.#lines = this.#column = 0;
  }

  /** Returns the text of a chunk, in whole characters, up to the first bad byte. Sets `error` if there is one. */
  take(chunk: string | Uint8Array): string {
    const held = this.#held;
    this.#held = "";
    if (typeof chunk !== "string") {
      if (!isBytes(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
      if (chunk.length === 0) {
        this.#held = held;
        return "";
      }
      if (typeof held === "string" && held !== "") return this.#bad("", 1);
      const bytes = typeof held === "string" ? chunk : joined(held, chunk);
      const end = bytes.length - openTail(bytes);
      this.#held = bytes.slice(end);
      const text = decode(bytes.subarray(0, end));
      const at = text.search(LONE);
      return at < 0 ? this.#count(text) : this.#bad(text.slice(0, at), breakOf(text.charCodeAt(at)));
    }
    if (typeof held !== "string" && held.length > 0) {
      if (chunk !== "") return this.#bad("", held.length);
      this.#held = held;
      return "";
    }
    let text = held + chunk;
    if (endsInHalf(text)) {
      this.#held = text.slice(-1);
      text = text.slice(0, -1);
    }
    const at = text.search(LONE);
    // As bytes, half a pair would be wrong at the second one.
    return at < 0 ? this.#count(text) : this.#bad(text.slice(0, at), 1);
  }

  /** Ends the text. Sets `error` if it ends inside a character. */
  finish(): void {
    // Of half a pair the first two bytes are known.
    const waiting = typeof this.#held === "string" ? 2 * this.#held.length : this.#held.length;
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
    this.#held = "";
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
