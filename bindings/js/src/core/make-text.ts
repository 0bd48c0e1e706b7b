// A text with the options that a user may give.

import { NO_AUTOMATON, type Automaton } from "./patterns/automaton.js";
import { ReportingEngine, type Output } from "./reporting.js";
import { invalid, optionsOf, settingsOf, type ParserOptions, type Settings } from "./options.js";
import { inputFor, Text } from "./text.js";
import { Tree } from "./tree/tree.js";

/** The options of what shows a document so far, and nothing else. */
export type ShownOptions = Omit<ParserOptions, (typeof FIXED)[number]>;

const FIXED = ["snapshots", "retain", "spelling"] as const;

/** Creates a text of which only snapshots are kept. */
export function makeText(options: ShownOptions): Text {
  for (const name of FIXED) {
    if ((optionsOf(options) as ParserOptions)[name] !== undefined) throw invalid(`${name}: only a \`Parser\` has this option`);
  }
  return textWith(settingsOf({ ...options, snapshots: true, retain: "nothing" }), NO_AUTOMATON);
}

/** What patterns of a user need. */
type Selecting = Pick<Output, "matching" | "keeping" | "beginRaw">;

const NO_SELECTING: Selecting = { matching: undefined, keeping: undefined, beginRaw: undefined };

/** Creates a text with patterns. */
export function textWith(settings: Settings, automaton: Automaton, selecting = NO_SELECTING): Text {
  const engine = new ReportingEngine(automaton, settings, { events: [], nextMatch: 0, refusal: undefined, ...selecting });
  if (settings.snapshots) engine.tree = new Tree(settings);
  return new Text(settings, inputFor(settings, engine));
}
