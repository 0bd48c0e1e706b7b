// Patterns as users give them, compiled once.

import { NO_AUTOMATON, Patterns, type Automaton } from "./automaton.js";
import { JsonSpigotError } from "../error.js";
import { parsePattern } from "./pattern.js";

/** How many sets of compiled patterns are kept. Users have few sets, and make a parser for each text. */
export const MOST_SETS = 64;

const compiled = new Map<string, Automaton>();

/** Returns the list of patterns that a user has given. Fails for what is no text. */
export function listOf(patterns: string | readonly string[]): readonly string[] {
  const list = typeof patterns === "string" ? [patterns] : patterns;
  if (!Array.isArray(list)) throw refused(`${String(list)} is neither a string nor an array of strings`);
  for (const text of list) {
    if (typeof text !== "string") throw refused(`${String(text)} is not a string`);
    if (/\p{Surrogate}/u.test(text)) throw refused(`${JSON.stringify(text)} holds half a surrogate pair`);
  }
  return list;
}

/** Returns the automaton of these patterns, which is compiled only once. */
export function compile(patterns: string | readonly string[]): Automaton {
  const list = listOf(patterns);
  if (list.length === 0) return NO_AUTOMATON;
  // No JSON text begins like the name of one alone, which is most often asked for.
  const name = list.length === 1 ? `'${list[0]!}` : JSON.stringify(list);
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const automaton = new Patterns(list.map(parsePattern));
  if (compiled.size >= MOST_SETS) compiled.delete(compiled.keys().next().value!);
  compiled.set(name, automaton);
  return automaton;
}

const refused = (problem: string): JsonSpigotError => new JsonSpigotError("invalid-option", `patterns: ${problem}`);
