// The base of both drop-ins: their methods, and the text so far, parsed as it arrives, and repaired as the originals do once it is not JSON.

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

/** The state of a text that is still arriving. */
interface Progress {
  readonly engine: ReportingEngine;
  text: string;
  /** The first half of a surrogate pair, which the engine has not been given. */
  half: string;
  hasEnded: boolean;
  isSuspicious: boolean;
  /** The scanner of the text, if that is broken or its open path is asked for. */
  scanner: Scanner | undefined;
  /** Where the first unit is that no JSON text has there: a repair that takes it can never be parsed. `undefined` for JSON. */
  brokenAt: number | undefined;
  /** How a broken text was cut and closed, and what that gave. */
  repaired: string | undefined;
  shown: Shown;
}

const newOutput = (): Output => ({
  ...{ events: [], nextMatch: 0, refusal: undefined },
  ...{ matching: MATCHING, keeping: undefined, beginRaw: undefined },
});

/** A drop-in, which reads each delta once. */
export abstract class DropIn<Result> {
  readonly #dialect: Dialect;
  readonly #none: Result;
  #progress: Progress | undefined;
  #current: Result;

  protected constructor(dialect: Dialect, none: Result) {
    this.#dialect = dialect;
    this.#none = this.#current = none;
    this.#progress = this.#begin();
  }

  /** Begins a text. No `Input` is needed, since only strings are pushed. */
  #begin(): Progress {
    const engine = new ReportingEngine(AUTOMATON, SETTINGS, newOutput());
    engine.tree = new Tree(SETTINGS);
    const scanner = this.#dialect.hasPath ? new Scanner(this.#dialect) : undefined;
    const whole = { text: "", half: "", hasEnded: false, isSuspicious: false };
    return { engine, scanner, ...whole, brokenAt: undefined, repaired: undefined, shown: undefined };
  }

  /** Returns the result for the shown part of the text, or the result before if nothing has changed. */
  protected abstract result(shown: Shown, before: Result): Result;

  /** Appends text. Returns the value and state of all of it, in the same object as before if nothing has changed. */
  push(delta: string): Result {
    const progress = opened(this.#progress);
    progress.text += delta;
    progress.scanner?.scan(delta);
    if (progress.brokenAt === undefined) this.#read(progress, delta);
    return (this.#current = this.result(progress.brokenAt === undefined ? shown(progress) : shownBroken(progress), this.#current));
  }

  /** Returns the result of the last push. */
  get current(): Result {
    return this.#current;
  }

  /** Returns the path of the innermost open value. */
  protected openPath(): string[] {
    return this.#progress!.scanner!.openPath();
  }

  /** Makes this new parser the same as another one. */
  protected copy(origin: DropIn<Result>): this {
    const progress = opened(origin.#progress);
    this.#progress = { ...progress, engine: cloneEngine(progress.engine, newOutput()), scanner: progress.scanner?.clone() };
    this.#current = origin.#current;
    return this;
  }

  /** Starts over with a new text. */
  reset(): void {
    opened(this.#progress);
    this.#progress = this.#begin();
    this.#current = this.#none;
  }

  /** Drops what the parser keeps. Calling it again is a no-op; a push then throws. */
  dispose(): void {
    this.#progress = undefined;
  }

  #read(progress: Progress, delta: string): void {
    const { engine } = progress;
    const { output } = engine;
    try {
      // The first half of a pair waits for the other one where a character may be.
      const text = progress.half + delta;
      const isCut = endsInHalf(text);
      progress.half = isCut ? text.slice(-1) : "";
      engine.feed(isCut ? text.slice(0, -1) : text);
      if (isCut && !engine.takesCharacters) engine.feed(progress.half);
      for (const event of output.events) {
        if (event.pattern !== 0) progress.isSuspicious = true;
        else if (event.kind === "end") progress.hasEnded = true;
      }
      output.events = [];
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      progress.brokenAt = TAKEN_BY_THEM.includes(fault.kind) ? Infinity : unitAt(progress.text, fault.offset);
      if (progress.scanner !== undefined) return;
      progress.scanner = new Scanner(this.#dialect);
      progress.scanner.scan(progress.text);
    }
  }
}

function shown({ engine, isSuspicious, hasEnded }: Progress): Shown {
  const value = engine.tree!.look(engine);
  if (value === undefined || (isSuspicious && reachesPrototype(value))) return undefined;
  // A number that is still open is whole if it may end here.
  const isComplete = hasEnded || (engine.depth === 0 && engine.state === NUMBER && mayEnd(engine.part));
  return { value, state: isComplete ? "complete" : "partial" };
}

function shownBroken(progress: Progress): Shown {
  const { text, brokenAt } = progress;
  const scanner = progress.scanner!;
  if (scanner.isBroken || scanner.cut > brokenAt!) return undefined;
  if (brokenAt === Infinity) {
    // A text that only `JSON.parse` takes: theirs reads it whole each time too.
    const whole = parsed(text);
    if (whole !== undefined) return reachesPrototype(whole) ? undefined : { value: whole, state: "complete" };
  }
  const closers = scanner.closers();
  const repair = `${scanner.cut}${closers}`;
  if (repair !== progress.repaired) {
    progress.repaired = repair;
    const value = parsed(text.slice(0, scanner.cut) + closers);
    progress.shown = value === undefined || reachesPrototype(value) ? undefined : { value, state: "partial" };
  }
  return progress.shown;
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
