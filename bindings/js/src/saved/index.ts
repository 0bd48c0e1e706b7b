// Saved state, as functions, so that a parser that is not saved does not contain it: the entry `jsonspigot/saved`.

import { parserOf, textOf, textOfParser, type Parser } from "../parser.js";
import type { ParserOptions } from "../options.js";
import { restore, save } from "./envelope.js";
import { checkSavable, noteOf, ownerOf, restoreText, saveText, takeNote } from "./parser.js";

export { restoreDocuments, saveDocuments } from "./documents.js";

/**
 * Returns a parser's state as bytes, between two chunks. {@link restoreParser} makes a parser from them that continues as if
 * nothing had happened, in another process or on another machine. The state is a header, a few bytes for each open container,
 * the open key or number, and whatever the options retain: the text, the document so far.
 *
 * @throws {JsonSpigotError} of kind `not-retained` if the parser is `lenient` and does not retain `"all"` its text: only
 * the text as it came leads to where it is
 */
export function saveParser(parser: Parser): Uint8Array {
  const text = textOf(parser);
  checkSavable(text);
  return save(ownerOf(text), noteOf(text), (out) => saveText(text, out));
}

/**
 * Returns a parser that continues from a state, with the patterns and options that it was saved with: these are not in the
 * state. Only `numbers`, `prototypeKeys`, `spelling`, `freeze` and `"live"` may differ, since they only affect how values are
 * represented.
 *
 * The bytes are read as hostile, and any bytes give a parser or an error. But anyone who can write them can forge the
 * parser's input, so protect them as you would protect the text.
 *
 * @throws {JsonSpigotError} of kind `not-saved-state`, `other-version`, `cut`, `changed`, `other-kind` (that of a
 * `Documents`, say), `other-patterns`, `other-choices`, or `impossible` for bytes that were made up.
 */
export function restoreParser(patterns: string | readonly string[], state: Uint8Array, options: ParserOptions = {}): Parser {
  const text = textOfParser(patterns, options);
  restore(ownerOf(text), state, (reader, note) => {
    restoreText(text, reader);
    takeNote(text, note);
  });
  return parserOf(text);
}
