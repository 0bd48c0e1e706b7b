// The comparison of two JSON texts by value, as far as a server that repeats one keeps it: members in any order, and numbers
// as its language writes them.

import { tokensOf } from "../../core/json-text.js";
import { textWith } from "../../core/make-text.js";
import { settingsOf } from "../../core/options.js";
import { NO_AUTOMATON } from "../../core/patterns/automaton.js";

type Tagged = string | boolean | null | Tagged[] | { [key: string]: Tagged };

/** Parses a text, with a letter before each string and number for its type. Returns `undefined` for invalid JSON. */
function read(text: string): Tagged | undefined {
  const reader = textWith(settingsOf({ retain: "nothing" }), NO_AUTOMATON);
  if (reader.read(text) !== undefined || reader.end() !== undefined) return undefined;
  let tagged = "";
  for (const token of tokensOf(text)) tagged += /^[-\d]/.test(token) ? `"n${token}"` : token.replace(/^"/, '"s');
  return JSON.parse(tagged) as Tagged;
}

/** Returns true if both are JSON texts of the same value: the last of duplicate members, and numbers of the same double. */
export function areAlike(one: string, other: string): boolean {
  const [first, second] = [read(one), read(other)];
  return first !== undefined && second !== undefined && areSame(first, second);
}

// Texts are within the default limit on depth.
function areSame(one: Tagged, other: Tagged): boolean {
  if (typeof one === "string" && typeof other === "string") {
    return one === other || (one[0] === "n" && other[0] === "n" && isSameNumber(one.slice(1), other.slice(1)));
  }
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other)) return false;
    return one.length === other.length && one.every((value, at) => areSame(value, other[at]!));
  }
  const keys = Object.keys(one);
  const isIn = (key: string): boolean => Object.hasOwn(other, key) && areSame(one[key]!, other[key]!);
  return keys.length === Object.keys(other).length && keys.every(isIn);
}

/** Returns true if two JSON numbers are the same double. Whole numbers that are spelt as such are exact: ids have more digits. */
function isSameNumber(one: string, other: string): boolean {
  const isWhole = !/[.eE]/.test(one + other);
  const [first, second] = [Number(one), Number(other)];
  if (isWhole || !Number.isFinite(first)) return one === other || (first === 0 && second === 0);
  return first === second;
}
