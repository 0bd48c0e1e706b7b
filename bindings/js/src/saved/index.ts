// Saved state, as functions, so that a parser that is not saved does not contain it: the entry `jsonspigot/saved`.

import { Parser, textOfParser } from "../core/parser.js";
import { textOf } from "../core/text-parser.js";
import type { ParserOptions } from "../core/options.js";
import { ownerOf, restoreText, saveText, textData } from "./parser.js";
import { dataOf, stateOf, type SavedState } from "./state.js";

export type { SavedState } from "./state.js";
export { restoreDocuments, saveDocuments } from "./documents.js";

/**
 * Returns a parser's state between two chunks, as plain data that JSON can store. {@link restoreParser} makes a parser from it
 * that continues as if nothing had happened, in another process or on another machine. The state is a few units for each open
 * container, the open key or number, and the data that the options retain: the text, the document so far.
 *
 * Save after you have handled the events of a chunk, and store the state with its place in your source, which is `status.bytes`.
 *
 * @throws {JsonSpigotError} of kind `not-retained` if the parser is `lenient` and does not retain `"all"` its text: only
 * the text as it came leads to where it is
 *
 * @example
 * ```ts
 * import { Parser } from "jsonspigot";
 * import { restoreParser, saveParser } from "jsonspigot/saved";
 *
 * const options = { retain: "nothing" } as const;
 * const parser = new Parser("ask_slots[*].message", options);
 * parser.feed('{"ask_slots": [{"message": "Which co');
 * const stored = JSON.stringify(saveParser(parser));
 * console.log(stored.length < 300); // true
 *
 * // In another process:
 * const restored = restoreParser("ask_slots[*].message", JSON.parse(stored), options);
 * for (const event of restored.feed("lour?")) if (event.kind === "delta") console.log(event.text); // "lour?"
 * ```
 */
export function saveParser(parser: Parser): SavedState {
  const text = textOf(parser);
  return stateOf(ownerOf(text), saveText(text));
}

/**
 * Returns a parser that continues from a state, with the patterns and options that it was saved with. Only `numbers`,
 * `prototypeKeys`, `spelling`, `freeze` and `"live"` may differ, since they only affect how values are represented.
 *
 * The data is not trusted: any data gives a parser or an error. But anyone who can write it can forge the
 * parser's input, so protect it as you would protect the text.
 *
 * @param patterns The patterns of the saved parser.
 * @param state What {@link saveParser} returned, for example after `JSON.parse`.
 * @param options The options of the saved parser.
 * @throws {JsonSpigotError} of kind `not-saved-state`, `other-version`, `other-kind` (that of a `Documents`, say),
 * `other-patterns`, `other-choices`, or `impossible` for data that was made up.
 */
export function restoreParser(patterns: string | readonly string[], state: SavedState, options: ParserOptions = {}): Parser {
  const text = textOfParser(patterns, options);
  restoreText(text, dataOf(ownerOf(text), state, textData));
  return new Parser(text);
}
