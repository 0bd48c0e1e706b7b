// The parser of one JSON text: what a user calls.

import { JsonSpigotError } from "./error.js";
import type { Deviations } from "./events.js";
import { Growth } from "./tree/growth.js";
import { KEEPING } from "./keeping.js";
import type { ParserOptions } from "./options.js";
import { makePatch, type PatchOp } from "./tree/patch.js";
import { INSIDE } from "./patterns/path.js";
import { segmentsOf } from "./patterns/pattern.js";
import { compact } from "./json-text.js";
import { shownText } from "./tree/shown.js";
import { lookUp, type ValueState } from "./tree/state-of.js";
import { selectingText } from "./selecting-text.js";
import { Text } from "./text.js";
import { textOf, TextParser } from "./text-parser.js";
import { makeValue, type Json } from "./values.js";

const NO_OPTIONS: ParserOptions = {};

/** The state of a parser's input. */
export interface ParserStatus {
  /** Bytes that were parsed. */
  readonly bytes: number;
  /** True if the root value has closed, with nothing but white space after it so far. Only `finish` says that nothing follows. */
  readonly isComplete: boolean;
  /** True if it is strict JSON so far. */
  readonly isStrict: boolean;
  readonly deviations: Deviations;
  /** The first error, which every later call throws again. */
  readonly error: JsonSpigotError | undefined;
}

/**
 * A parser of one JSON text.
 *
 * A pattern is an RFC 9535 path without filters: `a.b`, `a[0]`, `a[*]`, `a[0:3]`, `a['b','c']`, `$..name`. `outer | inner` reads the
 * JSON inside the strings that `outer` selects. `raw:pattern` selects the same values, and its deltas are their JSON text as it
 * comes, of any type. Each selected value has a `begin` event, `delta` events if it is a string, and an `end` event with its value.
 *
 * Half a surrogate pair at a chunk's end waits for the next chunk. A byte order mark in front of bytes is skipped.
 *
 * By default only the depth of a text is limited: set `limits` for text that you do not trust.
 *
 * @example
 * ```ts
 * import { Parser } from "jsonspigot";
 *
 * const parser = new Parser(["city", "days[*].plan"], { snapshots: true });
 * for (const event of parser.feed('{"city": "Kö')) console.log(event.kind, event.path); // "begin" "city", then "delta" "city"
 * console.log(parser.snapshot()); // {"city":"Kö"}
 * parser.feed('ln"}');
 * parser.finish(); // throws if the text is not one complete JSON text
 * console.log(parser.value()); // {"city":"Köln"}
 * ```
 *
 * @example From `@streamparser/json`: `$.days.*` is `days[*]`, and its values are those of the events
 * ```ts
 * import { JSONParser } from "@streamparser/json";
 * import { Parser } from "jsonspigot";
 *
 * const text = '{"days": [{"id": 1}, {"id": 2}]}';
 * const old = new JSONParser({ paths: ["$.days.*"], keepStack: false });
 * old.onValue = ({ value }) => console.log(value); // {"id":1}, then {"id":2}
 * old.write(text);
 *
 * const parser = new Parser("days[*]", { retain: "matches" });
 * for (const event of parser.feed(text)) {
 *   if (event.kind === "end") console.log(event.value); // {"id":1}, then {"id":2}
 * }
 * parser.finish();
 * ```
 */
export class Parser extends TextParser {
  /**
   * @param patterns What is selected: RFC 9535 paths, `raw:` in front of those whose JSON text is wanted. Nothing by default.
   * @throws {PatternError} for a pattern that can't be compiled.
   * @throws {JsonSpigotError} of kind `invalid-option`.
   */
  constructor(patterns?: string | readonly string[], options?: ParserOptions);
  /** @internal */
  constructor(text: Text);
  constructor(given: string | readonly string[] | Text = [], options: ParserOptions = NO_OPTIONS) {
    super(given instanceof Text ? given : textOfParser(given, options));
  }

  /**
   * Returns the complete value, after `finish`.
   *
   * @throws {JsonSpigotError} if there is none, or if the text was not retained.
   */
  value<T = Json>(): T {
    const text = textOf(this);
    const complete = text.completeText();
    const { settings, input } = text;
    // The last snapshot is the complete value already.
    return (input.engine.tree ? this.snapshot() : makeValue(complete, settings)) as T;
  }

  /** Returns the complete value's text as it was spelt, without the white space between tokens. */
  valueText(): string {
    return compact(textOf(this).completeText());
  }

  /** Returns the document so far as JSON text: numbers as they are spelt, repeated keys in their places. */
  snapshotText(): string | undefined {
    const text = textOf(this);
    text.tree();
    return shownText(text.engine);
  }

  /**
   * Returns the document's gain since the last call. {@link applyPatch} brings a copy elsewhere up to date. Numbers and
   * `__proto__` are as the options say, as in a snapshot.
   */
  patch(): PatchOp[] {
    const texts = this.patchText();
    const tree = textOf(this).tree();
    try {
      if (!tree.refusal) return makePatch(texts, tree.options);
    } catch (thrown) {
      if (!(thrown instanceof JsonSpigotError)) throw thrown;
      tree.refusal = thrown;
    }
    throw tree.refusal;
  }

  /** Returns the operations of {@link patch} as JSON texts: numbers as they are spelt, and all keys of the document. */
  patchText(): string[] {
    const text = textOf(this);
    const tree = text.tree();
    const { engine } = text;
    const patchedTo = text.isOpen ? engine.base : Infinity;
    if (tree.growth) return tree.growth.take(engine, patchedTo);
    const shown = shownText(engine);
    tree.growth = new Growth(engine, patchedTo);
    return shown === undefined ? [] : [`{"op":"add","path":"","value":${shown}}`];
  }

  /**
   * Returns the state of the value at a concrete path: `ask_slots[0].message`.
   *
   * @throws {JsonSpigotError} of kind `invalid-path` for any other text.
   */
  stateOf(path: string): ValueState {
    const text = textOf(this);
    const tree = text.tree();
    const segments = segmentsOf(path);
    if (segments === undefined || segments.includes(INSIDE)) {
      const message = `invalid path: expected a concrete path, such as \`ask_slots[0].message\`, instead of ${JSON.stringify(path)}`;
      throw new JsonSpigotError("invalid-path", message);
    }
    if (tree.options.provisional) tree.look(text.engine);
    return lookUp(text, segments as readonly (string | number)[]).state;
  }

  /** Returns the state of the input: what was read, the deviations from JSON, the error if there is one. */
  get status(): ParserStatus {
    const text = textOf(this);
    const { input, output } = text;
    const refusal = (output.refusal ?? input.engine.tree?.refusal) as JsonSpigotError | undefined;
    return {
      bytes: text.offset,
      isComplete: text.hasRootEnded && text.error === undefined,
      isStrict: text.isStrict,
      deviations: text.deviations,
      error: text.error ?? refusal,
    };
  }

  /** Returns an independent parser in the same state. It costs a copy of everything that this one keeps. */
  clone(): Parser {
    return new Parser(textOf(this).clone());
  }
}

/** Creates the text of a parser, which also keeps the JSON text of its snapshots: for patches and saved states. */
export function textOfParser(patterns: string | readonly string[], options: ParserOptions): Text {
  const text = selectingText(options, patterns);
  if (text.engine.tree) text.engine.kept ??= KEEPING.begin();
  return text;
}
