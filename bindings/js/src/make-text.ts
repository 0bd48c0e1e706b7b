// A text with the options that a user may give, leniency among them.

import { NO_AUTOMATON } from "./automaton.js";
import { Lenient } from "./lenient.js";
import { settingsOf, type ParserOptions } from "./options.js";
import { textOf, type Text } from "./text.js";

export function makeText(options: ParserOptions, automaton = NO_AUTOMATON): Text {
  const settings = settingsOf(options);
  const { lenient, accept } = settings;
  return textOf(automaton, settings, (engine) => (lenient === 0 ? undefined : new Lenient(engine, lenient, accept)));
}
