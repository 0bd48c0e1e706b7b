// The base of both drop-ins: the text so far, parsed as it arrives, and repaired as the originals do once it is not JSON.

import { Patterns } from "../core/patterns/automaton.js";
import { cloneEngine, ReportingEngine, type Output } from "../core/reporting.js";
import { MATCHING } from "../core/matching.js";
import { Fault } from "../core/text-error.js";
import type { Settings } from "../core/options.js";
import type { Step } from "../core/patterns/pattern.js";
import { mayEnd, NUMBER } from "../core/states.js";
import { opened } from "../core/text.js";
import { Tree } from "../core/tree/tree.js";
import { endsInHalf } from "../core/utf8.js";
import type { Json } from "../core/values.js";

import { Scanner, type Dialect } from "./scanner.js";

/** The value of a text so far: none, the complete value, or a part of it. */
export type Shown = { readonly value: Json | undefined; readonly state: "complete" | "partial" } | undefined;

const member = (name: string, isDescendant = false): Step => ({
  isDescendant,
  isInside: false,
  selectors: [name],
});

// The root, and the keys for which both consumers refuse the whole text: `$`, `$..__proto__`, `$..constructor.prototype`.
// They are made here, so that a page with nothing but this need not contain what reads patterns; so are the settings.
const AUTOMATON = /* @__PURE__ */ (() =>
  new Patterns(
    [[], [member("__proto__", true)], [member("constructor", true), member("prototype")]].map((steps) => ({ steps, isRaw: false })),
  ))();

const SETTINGS: Settings = {
  limits: { depth: Infinity, key: Infinity, string: Infinity, number: Infinity, blank: Infinity, total: Infinity },
  rejectsDuplicates: false,
  retain: "nothing",
  spelling: false,
  snapshots: true,
  provisional: true,
  lenient: undefined,
  accept: false,
  numbers: "number",
  prototypeKeys: "keep",
  strictByteOrderMark: false,
  freeze: false,
};

/** Errors over what `JSON.parse` takes: a half surrogate pair. */
const TAKEN_BY_THEM: readonly string[] = ["lone-surrogate", "invalid-utf8"];

/** A text that is not JSON. */
interface Broken {
  readonly scanner: Scanner;
  /** Where the first unit is that no JSON text has there. A repair that takes it can never be parsed. */
  readonly at: number;
  /** How the text was cut and closed, and what that gave. */
  repaired: string | undefined;
  shown: Shown;
}

export class Preview {
  readonly #dialect: Dialect;
  #output: Output = { events: [], nextMatch: 0, refusal: undefined, matching: MATCHING, keeping: undefined, beginRaw: undefined };
  /** The engine that reads the text, until that is not JSON. No `Input` is needed, since only strings are pushed. */
  #engine: ReportingEngine | undefined;
  #text = "";
  /** The first half of a surrogate pair, which the engine has not been given. */
  #half = "";
  #hasEnded = false;
  #isSuspicious = false;
  #broken: Broken | undefined;

  constructor(dialect: Dialect, origin?: Preview) {
    this.#dialect = dialect;
    if (origin === undefined) {
      this.#engine = new ReportingEngine(AUTOMATON, SETTINGS, this.#output);
      this.#engine.tree = new Tree(SETTINGS);
      return;
    }
    this.#engine = cloneEngine(opened(origin.#engine), this.#output);
    this.#text = origin.#text;
    this.#half = origin.#half;
    this.#hasEnded = origin.#hasEnded;
    this.#isSuspicious = origin.#isSuspicious;
    const broken = origin.#broken;
    this.#broken = broken && { ...broken, scanner: broken.scanner.clone() };
  }

  clone(): Preview {
    return new Preview(this.#dialect, this);
  }

  reset(): void {
    opened(this.#engine).reset();
    this.#output.events = [];
    this.#text = this.#half = "";
    this.#hasEnded = this.#isSuspicious = false;
    this.#broken = undefined;
  }

  dispose(): void {
    this.#engine = undefined;
  }

  push(delta: string): void {
    const engine = opened(this.#engine);
    this.#text += delta;
    if (this.#broken) {
      this.#broken.scanner.scan(delta);
      return;
    }
    try {
      this.#read(engine, this.#half + delta);
      for (const event of this.#output.events) {
        if (event.pattern !== 0) this.#isSuspicious = true;
        else if (event.kind === "end") this.#hasEnded = true;
      }
      this.#output.events = [];
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      const at = TAKEN_BY_THEM.includes(fault.kind) ? Infinity : unitAt(this.#text, fault.offset);
      const scanner = new Scanner(this.#dialect);
      scanner.scan(this.#text);
      this.#broken = { scanner, at, repaired: undefined, shown: undefined };
    }
  }

  /** Reads a text. The first half of a pair at its end waits for the other one where a character may be. */
  #read(engine: ReportingEngine, text: string): void {
    const isCut = endsInHalf(text);
    this.#half = isCut ? text.slice(-1) : "";
    engine.feed(isCut ? text.slice(0, -1) : text);
    if (isCut && !engine.takesCharacters) engine.feed(this.#half);
  }

  shown(): Shown {
    if (this.#broken) return this.#shownBroken(this.#broken);
    const engine = opened(this.#engine);
    const value = engine.tree!.look(engine);
    if (value === undefined || (this.#isSuspicious && reachesPrototype(value))) return undefined;
    // A number that is still open is whole if it may end here.
    const isComplete = this.#hasEnded || (engine.depth === 0 && engine.state === NUMBER && mayEnd(engine.part));
    return { value, state: isComplete ? "complete" : "partial" };
  }

  #shownBroken(broken: Broken): Shown {
    const { scanner, at } = broken;
    if (scanner.isBroken || scanner.cut > at) return undefined;
    if (at === Infinity) {
      // A text that only `JSON.parse` takes: theirs reads it whole each time too.
      const whole = parsed(this.#text);
      if (whole !== undefined) return reachesPrototype(whole) ? undefined : { value: whole, state: "complete" };
    }
    const closers = scanner.closers();
    const repair = `${scanner.cut}${closers}`;
    if (repair !== broken.repaired) {
      broken.repaired = repair;
      const value = parsed(this.#text.slice(0, scanner.cut) + closers);
      broken.shown = value === undefined || reachesPrototype(value) ? undefined : { value, state: "partial" };
    }
    return broken.shown;
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Returns true if an object has a member of its own that could be taken for a way to a prototype. */
function reachesPrototype(value: Json): boolean {
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) {
      if (Object.hasOwn(next, "__proto__")) return true;
      const made = Object.hasOwn(next, "constructor") ? next.constructor : undefined;
      if (typeof made === "object" && made !== null && Object.hasOwn(made, "prototype")) return true;
    }
    for (const child of Object.values(next)) if (typeof child === "object") open.push(child);
  }
  return false;
}

/** Returns the index in a string of an offset in UTF-8. */
function unitAt(text: string, offset: number): number {
  let bytes = 0;
  let at = 0;
  while (at < text.length && bytes < offset) {
    const point = text.codePointAt(at)!;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    at += point < 0x10000 ? 1 : 2;
  }
  return at;
}
