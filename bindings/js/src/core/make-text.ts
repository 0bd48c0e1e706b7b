// A text with the options that a user may give.

import { NO_AUTOMATON, type Automaton } from "./patterns/automaton.js";
import { ReportingEngine, type Output } from "./reporting.js";
import { Input } from "./input.js";
import type { Keeping } from "./keeping.js";
import { settingsOf, type ParserOptions } from "./options.js";
import { Text } from "./text.js";
import { Tree } from "./tree/tree.js";

/** Creates a text of which only snapshots are kept. */
export function makeText(options: ParserOptions & { readonly retain: "nothing" }): Text {
  return textWith(options, NO_AUTOMATON);
}

/** Creates a text with patterns, and with the functions that patterns of a user need. */
export function textWith(options: ParserOptions, automaton: Automaton, keeping?: Keeping, beginRaw?: Output["beginRaw"]): Text {
  const settings = settingsOf(options);
  const { accept, lenient, snapshots, strictByteOrderMark } = settings;
  const engine = new ReportingEngine(automaton, settings, { events: [], nextMatch: 0, refusal: undefined, keeping, beginRaw });
  if (snapshots) engine.tree = new Tree(settings);
  const input = lenient?.begin(engine, strictByteOrderMark, accept) ?? new Input(engine, strictByteOrderMark);
  return new Text(settings, input);
}
