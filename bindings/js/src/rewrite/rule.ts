// The rules: what becomes of the values that a pattern selects.

import { NO_AUTOMATON } from "../core/patterns/automaton.js";
import { Engine, type Output } from "../core/engine.js";
import { Fault } from "../core/text-error.js";
import { Input } from "../core/input.js";
import { invalid, limitsOf } from "../core/options.js";

type RuleKind = "remove" | "redact" | "replace" | "map" | "map-text";

/** What becomes of the values that a pattern selects, when a {@link Rewriter} comes to them. */
export class Rule {
  readonly kind: RuleKind;
  readonly pattern: string;
  /** The JSON text that is put in. */
  readonly json: string;
  /** The function that gives it. */
  readonly call: (given: never) => unknown;

  private constructor(kind: RuleKind, pattern: string, json = "", call: Rule["call"] = () => undefined) {
    this.kind = kind;
    this.pattern = pattern;
    this.json = json;
    this.call = call;
  }

  /** The member or element goes, with the comma that belongs to it. */
  static remove(pattern: string): Rule {
    return new Rule("remove", pattern);
  }

  /** `"[redacted]"` comes out in its place, and a string whose text turns out not to be JSON is cut off there. */
  static redact(pattern: string): Rule {
    return new Rule("redact", pattern, '"[redacted]"');
  }

  /**
   * Another value comes out in its place, at its first byte: whatever `JSON.stringify` takes.
   *
   * @throws {JsonSpigotError} if that makes no JSON of it.
   */
  static replace(pattern: string, value: unknown): Rule {
    const json = checked(JSON.stringify(value));
    if (json === undefined) throw invalid("Rule.replace: the value can't be written as JSON");
    return new Rule("replace", pattern, json);
  }

  /** The function gets the value's JSON text once all of it has come, and gives another JSON text. */
  static map(pattern: string, map: (json: string) => string): Rule {
    return new Rule("map", pattern, "", callable(map));
  }

  /**
   * The function gets a string's decoded text in pieces, as they come, and gives what comes out for each; at the end it gets
   * `undefined`, so it may hold back as much as it likes. Values that are not strings pass.
   */
  static mapText(pattern: string, map: (piece: string | undefined) => string): Rule {
    return new Rule("map-text", pattern, "", callable(map));
  }
}

function callable(call: Rule["call"]): Rule["call"] {
  if (typeof call !== "function") throw new TypeError("the function of a rule can be called");
  return call;
}

/** The options of an engine that keeps nothing, and where it would report to. */
export const PLAIN = { retain: "nothing", spelling: false, numbers: "string", prototypeKeys: "keep" } as const;
export const outputOf = (): Output => ({ events: [], nextMatch: 0, refusal: undefined, keeping: undefined, beginRaw: undefined });

/** Reads one text after the other, to say whether it is JSON. */
let checking: Input | undefined;

/** A JSON text, without the white space around it; nothing of what is none. */
export function checked(json: unknown): string | undefined {
  if (typeof json !== "string") return undefined;
  checking ??= new Input(new Engine(NO_AUTOMATON, { ...PLAIN, limits: limitsOf(undefined), rejectsDuplicates: false }, outputOf()), true);
  checking.reset();
  try {
    checking.feed(json);
    checking.finish();
  } catch (thrown) {
    if (thrown instanceof Fault) return undefined;
    throw thrown;
  } finally {
    checking.engine.reading = "";
  }
  return json.trim();
}
