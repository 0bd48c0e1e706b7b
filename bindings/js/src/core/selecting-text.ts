// A text with a user's patterns: values are kept for their ends, raw values are reported, and events have segments. Programs
// without patterns do not contain this.

import type { Automaton } from "./patterns/automaton.js";
import { compile } from "./patterns/compile.js";
import { KEEPING } from "./keeping.js";
import { textWith } from "./make-text.js";
import { carrySegments } from "./match-event.js";
import { MATCHING } from "./matching.js";
import { settingsOf, type ParserOptions, type Settings } from "./options.js";
import { beginRaw } from "./raw.js";
import type { Text } from "./text.js";

carrySegments();

/** Creates a text with these patterns. */
export const selectingText = (options: ParserOptions, patterns: string | readonly string[]): Text =>
  selectingWith(settingsOf(options), compile(patterns));

export const selectingWith = (settings: Settings, automaton: Automaton): Text =>
  textWith(settings, automaton, { matching: MATCHING, keeping: KEEPING, beginRaw });
