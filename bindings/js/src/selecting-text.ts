// A text in which a user's patterns select: values are kept for their ends, raw ones are reported as they come, and events
// have segments. What reads without patterns need not contain any of it.

import { Automaton } from "./automaton.js";
import { compile } from "./compile.js";
import { KEEPING } from "./keeping.js";
import { textWith } from "./make-text.js";
import { carrySegments } from "./match-event.js";
import type { ParserOptions } from "./options.js";
import { beginRaw } from "./raw.js";
import type { Text } from "./text.js";

carrySegments();

export function selectingText(options: ParserOptions, patterns: string | readonly string[] | Automaton): Text {
  return textWith(options, patterns instanceof Automaton ? patterns : compile(patterns), KEEPING, beginRaw);
}
