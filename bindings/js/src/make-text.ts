// A text with the options that a user may give, leniency among them.

import { Lenient } from "./lenient.js";
import { settingsOf, type ParserOptions } from "./options.js";
import { textOf, type Text } from "./text.js";

export function makeText(patterns: string | readonly string[], options: ParserOptions): Text {
  const settings = settingsOf(options);
  const { lenient, accept } = settings;
  return textOf(patterns, settings, (engine) => (lenient === 0 ? undefined : new Lenient(engine, lenient, accept)));
}
