// A text with a user's patterns: values are kept for their ends, raw values are reported, and events have segments. Programs
// without patterns do not contain this.

import { Automaton } from "./patterns/automaton.js";
import { compile } from "./patterns/compile.js";
import { KEEPING } from "./keeping.js";
import { textWith } from "./make-text.js";
import { carrySegments } from "./match-event.js";
import type { ParserOptions } from "./options.js";
import { beginRaw } from "./raw.js";
import type { Text } from "./text.js";

carrySegments();

/** Creates a text with these patterns. */
export function selectingText(options: ParserOptions, patterns: string | readonly string[] | Automaton): Text {
  return textWith(options, patterns instanceof Automaton ? patterns : compile(patterns), KEEPING, beginRaw);
}
