// The rules for values that a pattern selects.

import { NO_AUTOMATON } from "../core/patterns/automaton.js";
import { Engine } from "../core/engine.js";
import { Fault } from "../core/text-error.js";
import { Input } from "../core/input.js";
import { invalid, limitsOf } from "../core/options.js";

type RuleKind = "remove" | "redact" | "replace" | "map" | "map-text";

/** A rule of a {@link Rewriter} for the values that a pattern selects. */
export class Rule {
  private constructor(
    readonly kind: RuleKind,
    readonly pattern: string,
    /** The JSON text that is put in. */
    readonly json = "",
    /** The function that gives it. */
    readonly call: (given: never) => unknown = () => undefined,
  ) {}

  /** Removes the member or element and its comma. */
  static remove(pattern: string): Rule {
    return new Rule("remove", pattern);
  }

  /** Replaces the value with `"[redacted]"`. A string that a pattern leads into is cut off where its text is not JSON. */
  static redact(pattern: string): Rule {
    return new Rule("redact", pattern, '"[redacted]"');
  }

  /**
   * Replaces the value with another one, which is written as soon as the value begins.
   *
   * @throws {JsonSpigotError} if `JSON.stringify` can't write it.
   */
  static replace(pattern: string, value: unknown): Rule {
    const json = checked(stringified(value));
    if (json === undefined) throw invalid("Rule.replace: the value can't be written as JSON");
    return new Rule("replace", pattern, json);
  }

  /** Replaces the value with the JSON text that a function returns for its whole JSON text. */
  static map(pattern: string, map: (json: string) => string): Rule {
    return new Rule("map", pattern, "", callable(map));
  }

  /**
   * Replaces each piece of a string's decoded text with the text that a function returns for it. At the end it is called with
   * `undefined`, so it may hold text back. Values that are not strings pass.
   */
  static mapText(pattern: string, map: (piece: string | undefined) => string): Rule {
    return new Rule("map-text", pattern, "", callable(map));
  }
}

/** Returns a value's JSON text; `undefined` if it has none, is circular or too deep. */
function stringified(value: unknown): unknown {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function callable(call: Rule["call"]): Rule["call"] {
  if (typeof call !== "function") throw new TypeError("the function of a rule can be called");
  return call;
}

/** Reads one text after the other, to say whether it is JSON. */
let checking: Input | undefined;

/** Returns a JSON text without the white space around it; `undefined` if it is invalid. */
export function checked(json: unknown): string | undefined {
  if (typeof json !== "string") return undefined;
  checking ??= new Input(new Engine(NO_AUTOMATON, { limits: limitsOf(undefined), rejectsDuplicates: false }, {}), true);
  checking.reset();
  try {
    checking.feed(json);
    checking.finish();
  } catch (thrown) {
    if (thrown instanceof Fault) return undefined;
    throw thrown;
  }
  return json.trim();
}
