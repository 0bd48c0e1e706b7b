// Patterns as users give them, compiled once.

import { Automaton, NO_AUTOMATON } from "./automaton.js";
import { JsonSpigotError } from "./error.js";
import { parsePattern } from "./pattern.js";

/** How many sets of compiled patterns are kept. Users have few sets, and make a parser for each text. */
const MOST_SETS = 64;

const compiled = new Map<string, Automaton>();

/** The automaton of these patterns, which is compiled only once. */
export function compile(patterns: string | readonly string[]): Automaton {
  const list = typeof patterns === "string" ? [patterns] : patterns;
  // No pattern has this unit in it, so equal names are equal lists.
  const known = Array.isArray(list) ? list.length === 0 ? NO_AUTOMATON : compiled.get(list.length === 1 ? (list[0] as string) : `${list.length}\0${list.join("\0")}`) : undefined;
  return known ?? compileAnew(list);
}

function compileAnew(list: readonly string[]): Automaton {
  if (!Array.isArray(list)) {
    throw new JsonSpigotError("invalid-option", `patterns: ${String(list)} is neither a string nor an array of strings`);
  }
  const texts = list as readonly string[];
  for (const text of texts) {
    const isText = typeof text === "string";
    if (isText && !/\p{Surrogate}/u.test(text)) continue;
    const problem = isText ? `${JSON.stringify(text)} holds half a surrogate pair` : `${String(text)} is not a string`;
    throw new JsonSpigotError("invalid-option", `patterns: ${problem}`);
  }
  const automaton = new Automaton(texts.map(parsePattern));
  if (compiled.size >= MOST_SETS) compiled.delete(compiled.keys().next().value!);
  compiled.set(texts.length === 1 ? texts[0]! : `${texts.length}\0${texts.join("\0")}`, automaton);
  return automaton;
}
