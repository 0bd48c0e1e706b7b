// A text with the options that a user may give, leniency among them.

import { NO_AUTOMATON, type Automaton } from "./automaton.js";
import type { Engine, Output } from "./engine.js";
import type { Keeping } from "./keeping.js";
import { Lenient } from "./lenient.js";
import { LenientInput } from "./lenient-input.js";
import { settingsOf, type ParserOptions, type Settings } from "./options.js";
import { textOf, type Text } from "./text.js";

/** A text of which nothing is kept but what is shown. */
export function makeText(options: ParserOptions & { readonly retain: "nothing" }, automaton = NO_AUTOMATON): Text {
  return textWith(options, automaton);
}

/** The same with patterns, and with what is done for those of a user. */
export function textWith(options: ParserOptions, automaton: Automaton, keeping?: Keeping, beginRaw?: Output["beginRaw"]): Text {
  const settings = settingsOf(options);
  return textOf(automaton, settings, settings.lenient === 0 ? undefined : lenientInput, keeping, beginRaw);
}

function lenientInput(engine: Engine, { strictByteOrderMark, lenient, accept }: Settings): LenientInput {
  return new LenientInput(engine, strictByteOrderMark, new Lenient(engine, lenient, accept));
}
