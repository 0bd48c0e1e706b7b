// A text with the options that a user may give.

import { NO_AUTOMATON, type Automaton } from "./patterns/automaton.js";
import { ReportingEngine, type Output } from "./reporting.js";
import { Input } from "./input.js";
import { settingsOf, type ParserOptions, type Settings } from "./options.js";
import { Text } from "./text.js";
import { Tree } from "./tree/tree.js";

/** Creates a text of which only snapshots are kept. */
export function makeText(options: ParserOptions & { readonly retain: "nothing" }): Text {
  return textWith(settingsOf(options), NO_AUTOMATON);
}

/** What patterns of a user need. */
type Selecting = Pick<Output, "matching" | "keeping" | "beginRaw">;

const NO_SELECTING: Selecting = { matching: undefined, keeping: undefined, beginRaw: undefined };

/** Creates a text with patterns. */
export function textWith(settings: Settings, automaton: Automaton, selecting = NO_SELECTING): Text {
  const { accept, lenient, snapshots, strictByteOrderMark } = settings;
  const engine = new ReportingEngine(automaton, settings, { events: [], nextMatch: 0, refusal: undefined, ...selecting });
  if (snapshots) engine.tree = new Tree(settings);
  const input = lenient?.begin(engine, strictByteOrderMark, accept) ?? new Input(engine, strictByteOrderMark);
  return new Text(settings, input);
}
