// The parser and the stream of documents that can be saved and restored.

import type { Instance } from "../module.js";
import type { ParserOptions } from "../options.js";
import { Documents as AnyDocuments, FRAMINGS, Parser as AnyParser, type DocumentsOptions, type Framing } from "../parser.js";
import { loader } from "./module.js";
import { restore, save } from "./state.js";

/**
 * A parser of one JSON text that outlives its process: the same as that of `jsonspigot`, and can be saved.
 *
 * ```ts
 * const parser = state ? Parser.restore("message", state) : new Parser("message");
 * for (const event of parser.feed(chunk)) show(event);
 * state = parser.save();
 * ```
 */
export class Parser extends AnyParser {
  protected static override instance(): Instance {
    return loader.instance();
  }

  /**
   * The state as bytes, between two chunks. {@link Parser.restore} makes a parser from them that goes on as if nothing had
   * happened, in another process or on another machine. The state is a header, a few bytes for each open container, the
   * open key or number, and whatever the options retain: the text, the document so far.
   */
  save(): Uint8Array {
    return save(this);
  }

  /**
   * A parser that goes on from a state, with the patterns and options that it was saved with: these are not in the state.
   * Only `numbers`, `prototypeKeys`, `spelling` and `"live"` may differ, since they only affect how values are represented.
   *
   * The bytes are read as hostile, and any bytes give a parser or an error. But whoever can write them can make up what has
   * been read, so protect them as you would the text.
   *
   * @throws {JsonSpigotError} of kind `not-saved-state`, `other-version`, `cut`, `changed`, `other-kind` (that of a
   * {@link Documents}, say), `other-patterns`, `other-choices`, or `impossible` for bytes that were made up.
   */
  static restore(patterns: string | readonly string[], state: Uint8Array, options: ParserOptions = {}): Parser {
    return restore(new Parser(patterns, options), patterns, 0, state);
  }

  override clone(): Parser {
    return new Parser(this as unknown as string);
  }
}

/** A stream of JSON texts that outlives its process: the same as that of `jsonspigot`, and can be saved. */
export class Documents extends AnyDocuments {
  protected static override instance(): Instance {
    return loader.instance();
  }

  /** The stream's state as bytes, between two chunks: see {@link Parser.save}. */
  save(): Uint8Array {
    return save(this);
  }

  /** The stream that was saved, with the framing, patterns and options that it had: see {@link Parser.restore}. */
  static restore(
    framing: Framing,
    patterns: string | readonly string[],
    state: Uint8Array,
    options: DocumentsOptions = {},
  ): Documents {
    return restore(new Documents(framing, patterns, options), patterns, FRAMINGS.indexOf(framing) + 1, state);
  }
}
