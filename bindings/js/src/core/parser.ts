// The parser of one JSON text: what a user calls.

// The declarations name `Symbol.dispose`, which users' own `lib` need not have.
/// <reference lib="esnext.disposable" preserve="true" />

import { JsonSpigotError } from "../error.js";
import type { Deviations, Event } from "../events.js";
import { makePatch } from "../patch.js";
import { makeValue, type Json } from "../values.js";
import { compile, type Automaton } from "./automaton.js";
import { DONE, Engine, Fault, type Output } from "./engine.js";
import { errorOf, TextError } from "./errors.js";
import { Growth } from "./growth.js";
import { Input } from "./input.js";
import { Kept } from "./kept.js";
import { Lenient } from "./lenient.js";
import { INSIDE, segmentsOf } from "./path.js";
import { compact } from "./places.js";
import { restore, save } from "./saved/envelope.js";
import { noteOf, ownerOf, restoreText, saveText, takeNote } from "./saved/parser.js";
import { invalid, settingsOf, type ParserOptions, type Settings } from "./settings.js";
import { shownText } from "./shown.js";
import { hasOpenLeaf, Tree } from "./tree.js";

/** A value of which any part may not be there yet. */
export type DeepPartial<T> = T extends string | number | bigint | boolean | null | undefined
  ? T
  : T extends readonly (infer E)[]
    ? DeepPartial<E>[]
    : T extends object
      ? { [K in keyof T]?: DeepPartial<T[K]> }
      : T;

/**
 * What is known of the value at a path: not there but may still arrive, begun and may still grow, can't change any more,
 * can't arrive any more.
 */
export type ValueState = "pending" | "partial" | "complete" | "absent";

/** One operation of a patch: RFC 6902's `add` or `replace`, or an `append` of text to a string. Paths are RFC 6901 pointers. */
export type PatchOp =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "append"; readonly path: string; readonly value: string };

/** What a parser knows of its input. */
export interface ParserStatus {
  /** Bytes that were parsed. */
  readonly bytes: number;
  /** Whether the root value has closed, with nothing but white space after it so far. Only `finish` says that nothing follows. */
  readonly isComplete: boolean;
  /** Whether it is strict JSON so far. */
  readonly isStrict: boolean;
  readonly deviations: Deviations;
  /** The first error, which every later call throws again. */
  readonly error: JsonSpigotError | undefined;
}

/** What belongs to a parser, for those who read and save many texts with it. */
export interface Parts {
  readonly settings: Settings;
  readonly automaton: Automaton;
  readonly output: Output;
  readonly input: Input;
}

/** The parts of a parser of these patterns and options. */
export function makeParts(patterns: string | readonly string[], options: ParserOptions): Parts {
  const settings = settingsOf(options);
  const automaton = compile(patterns);
  const output: Output = { events: [], nextMatch: 0, refusal: undefined };
  const engine = new Engine(automaton, settings, output);
  if (settings.snapshots) {
    const { numbers, prototypeKeys, provisional, freeze } = settings;
    const isLive = settings.snapshots === "live";
    engine.tree = new Tree({ numbers, prototypeKeys, isLive, isProvisional: provisional, freezes: freeze && !isLive });
    // What is shown as text is made of it.
    engine.kept ??= new Kept();
  }
  const translator = settings.lenient === 0 ? undefined : new Lenient(engine, settings.lenient, settings.accept);
  return { settings, automaton, output, input: new Input(engine, translator, settings.strictByteOrderMark) };
}

const NO_OPTIONS: ParserOptions = {};

const OPEN = 0;
const FINISHED = 1;
const FAILED = 2;

/** How a text stands, and what is asked of it. Texts of a stream of documents are read by it too. */
export class Text {
  readonly parts: Parts;
  outcome: typeof OPEN | typeof FINISHED | typeof FAILED = OPEN;
  /** What has stopped the text. */
  stoppedBy: TextError | undefined;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  get engine(): Engine {
    return this.parts.input.engine;
  }

  get isOpen(): boolean {
    return this.outcome === OPEN;
  }

  get hasFailed(): boolean {
    return this.outcome === FAILED;
  }

  get hasRootEnded(): boolean {
    return this.engine.state === DONE && this.outcome !== FAILED && this.parts.input.translator?.mayEnd !== false;
  }

  /** How many bytes have been read; after an error, the offset of the first bad one. */
  get offset(): number {
    return this.verdict?.offset ?? this.parts.input.offset;
  }

  /** The first error: a deviation that is not accepted, or what has stopped the text. */
  get error(): TextError | undefined {
    return this.parts.input.translator?.first ?? this.stoppedBy;
  }

  /** The text's error, once it has ended. */
  get verdict(): TextError | undefined {
    return this.outcome === OPEN ? undefined : this.error;
  }

  reset(): void {
    this.parts.input.reset();
    this.parts.output.events = [];
    this.parts.output.nextMatch = 0;
    this.parts.output.refusal = undefined;
    this.outcome = OPEN;
    this.stoppedBy = undefined;
  }

  clone(): Text {
    const { settings, automaton, input, output } = this.parts;
    const copied: Output = { ...output, events: [] };
    const clone = new Text({ settings, automaton, output: copied, input: input.clone(input.engine.clone(copied)) });
    clone.outcome = this.outcome;
    clone.stoppedBy = this.stoppedBy;
    return clone;
  }

  /** Reads a chunk; its events are in the output. Returns the error that has stopped it. */
  read(chunk: string | Uint8Array): TextError | undefined {
    try {
      this.parts.input.feed(chunk);
      return undefined;
    } catch (thrown) {
      return this.failAt(thrown);
    }
  }

  /** The engine, if a string that does not end with half a pair can be given to it as it is. */
  readyEngine(): Engine | undefined {
    const { input, settings, output } = this.parts;
    const isPlain = input.translator === undefined && settings.limits.total === Infinity && !input.engine.readsBytes;
    const isReady = isPlain && this.outcome === OPEN && input.half === "" && output.refusal === undefined;
    return isReady ? input.engine : undefined;
  }

  /** The end of the text. Returns its error. */
  end(): TextError | undefined {
    if (this.outcome !== OPEN) return this.error;
    try {
      this.parts.input.finish();
    } catch (thrown) {
      return this.failAt(thrown);
    }
    this.outcome = FINISHED;
    return this.error;
  }

  /** The error that this was, unless it is no fault of the text. */
  failAt(thrown: unknown): TextError {
    if (!(thrown instanceof Fault)) throw thrown;
    return this.fail(errorOf(thrown, this.engine));
  }

  fail(error: TextError): TextError {
    this.stoppedBy = error;
    this.outcome = FAILED;
    return this.error!;
  }

  /** An error about a call, which leaves the text as it is. */
  errorOfCall(kind: string, expected: string): TextError {
    const { verdict, engine } = this;
    if (verdict) return new TextError(kind, expected, verdict.offset, verdict.line, verdict.column, verdict.path);
    return errorOf(new Fault(kind, this.parts.input.offset, expected, 0), engine);
  }

  /** The strict text of the complete value. */
  completeText(): string {
    const { verdict, engine, parts } = this;
    if (verdict) throw verdict.with([]);
    if (this.outcome === OPEN) throw this.errorOfCall("incomplete", "expected `finish` to be called at the end of input");
    if (parts.settings.retain !== "all") throw this.errorOfCall("not-retained", "expected a parser that retains all of its text");
    return engine.kept!.whole();
  }

  get deviations(): Deviations {
    const { translator } = this.parts.input;
    return translator === undefined ? { count: 0, list: [] } : { count: translator.count, list: translator.list.slice() };
  }
}

/**
 * A parser of one JSON text.
 *
 * ```ts
 * const parser = new Parser(["city", "days[*].plan"], { snapshots: true });
 * for (const event of parser.feed('{"city": "Kö')) show(event);
 * parser.snapshot(); // {"city":"Kö"}
 * ```
 */
export class Parser {
  readonly #text: Text;
  #isDisposed = false;
  /** The engine, while it can be given a string as it is: most chunks go there straight. */
  #ready: Engine | undefined;

  constructor(patterns: string | readonly string[], options: ParserOptions = NO_OPTIONS) {
    this.#text = (patterns as unknown) instanceof Text ? (patterns as unknown as Text) : new Text(makeParts(patterns, options));
    this.#ready = this.#text.readyEngine();
  }

  /**
   * Parses a chunk, which may be cut anywhere, and gives what it says.
   *
   * @throws {JsonSpigotError} at the first bad byte; the events before it are in the error.
   */
  feed(chunk: string | Uint8Array): Event[] {
    const ready = this.#ready;
    if (ready === undefined || typeof chunk !== "string" || (chunk.charCodeAt(chunk.length - 1) & 0xfc00) === 0xd800) {
      return this.#feedAny(chunk);
    }
    const events: Event[] = [];
    const { output } = ready;
    output.events = events;
    try {
      ready.feed(chunk);
    } catch (thrown) {
      this.#ready = undefined;
      this.#throw(this.#text.failAt(thrown), events);
    }
    if (output.refusal !== undefined) this.#throw(undefined, events);
    return events;
  }

  #feedAny(chunk: string | Uint8Array): Event[] {
    const text = this.#open();
    const { output } = text.parts;
    this.#throwRefusal();
    if (!text.isOpen) {
      if (text.verdict) throw text.verdict.with([]);
      if (typeof chunk === "string" ? chunk === "" : chunk.length === 0) return [];
      throw text.errorOfCall("finished", "expected no bytes after a finished text");
    }
    const events: Event[] = [];
    output.events = events;
    const error = text.read(chunk);
    this.#ready = text.readyEngine();
    if (error !== undefined || output.refusal !== undefined) this.#throw(error, events);
    return events;
  }

  /**
   * The end of the text.
   *
   * @throws {JsonSpigotError} if it is not one complete JSON text.
   */
  finish(): Event[] {
    const text = this.#open();
    this.#ready = undefined;
    this.#throwRefusal();
    const events: Event[] = [];
    text.parts.output.events = events;
    const error = text.end();
    if (error !== undefined || text.parts.output.refusal !== undefined) this.#throw(error, events);
    return events;
  }

  /**
   * The complete value, after `finish`.
   *
   * @throws {JsonSpigotError} if there is none, or if the text was not retained.
   */
  value<T = Json>(): T {
    const text = this.#open();
    const complete = text.completeText();
    const { settings, input } = text.parts;
    // The text has been parsed already, and what is shown is whole.
    return (input.engine.tree ? this.snapshot() : makeValue(complete, settings)) as T;
  }

  /** The complete value's text as it was spelt, without the white space between tokens. */
  valueText(): string {
    return compact(this.#open().completeText());
  }

  /**
   * The document as far as it is known; `undefined` before its first value. Snapshots are plain values with structural
   * sharing: what has not changed since the last call is the same object, and a snapshot never changes once returned.
   * With `snapshots: "live"` there is one value instead, which is updated in place.
   *
   * The cost is that of what has arrived since the last call, plus a copy of each container around it unless `"live"`.
   */
  snapshot<T = Json>(): DeepPartial<T> | undefined {
    const tree = this.#tree();
    if (tree.refusal) throw tree.refusal;
    const root = tree.look(this.#text.engine);
    if (tree.refusal) throw tree.refusal;
    return root as DeepPartial<T> | undefined;
  }

  /** The document as far as it is known, as JSON text: numbers as they are spelt, repeated keys in their places. */
  snapshotText(): string | undefined {
    this.#tree();
    return shownText(this.#text.engine);
  }

  /**
   * What the document has gained since the last call. {@link applyPatch} brings a copy elsewhere up to date. Numbers and
   * `__proto__` are as the options say, as in a snapshot.
   */
  patch(): PatchOp[] {
    const texts = this.patchText();
    const tree = this.#tree();
    try {
      if (!tree.refusal) return makePatch(texts, tree.options);
    } catch (thrown) {
      if (!(thrown instanceof JsonSpigotError)) throw thrown;
      tree.refusal = thrown;
    }
    throw tree.refusal;
  }

  /** The same, each operation as JSON text: numbers as they are spelt, and whatever keys the document has. */
  patchText(): string[] {
    const tree = this.#tree();
    const { engine } = this.#text;
    if (tree.growth) return tree.growth.take(engine);
    const shown = shownText(engine);
    tree.growth = new Growth(engine);
    return shown === undefined ? [] : [`{"op":"add","path":"","value":${shown}}`];
  }

  /**
   * What is known of the value at a concrete path: `ask_slots[0].message`.
   *
   * @throws {JsonSpigotError} of kind `invalid-path` for any other text.
   */
  stateOf(path: string): ValueState {
    const tree = this.#tree();
    const { engine, error, outcome } = this.#text;
    const segments = segmentsOf(path);
    if (segments === undefined || segments.includes(INSIDE)) {
      const message = `invalid path: expected a concrete path, such as \`ask_slots[0].message\`, instead of ${JSON.stringify(path)}`;
      throw new JsonSpigotError("invalid-path", message);
    }
    if (tree.options.isProvisional) tree.look(engine);
    let value = tree.root;
    if (value === undefined) return "pending";
    // A text that has failed is never complete, whatever has closed.
    let isOpen = engine.state !== DONE || error !== undefined || outcome === FAILED;
    // How deep on the path to the newest value this one is, while it is on it.
    let depth = 0;
    for (const segment of segments as readonly (string | number)[]) {
      const isArray = Array.isArray(value);
      const fits = isArray ? typeof segment === "number" : typeof value === "object" && value !== null && typeof segment === "string";
      const frame = depth >= 0 && depth < engine.depth ? engine.stack[depth] : undefined;
      if (!fits || !Object.hasOwn(value as object, segment)) return fits && isOpen ? "pending" : "absent";
      value = (value as { [key: string]: Json })[segment]!;
      const isNewest = frame !== undefined && segment === (frame.isArray ? frame.index : frame.key);
      const isContainer = isNewest && depth + 1 < engine.depth;
      isOpen = isContainer || (isNewest && depth + 1 === engine.depth && hasOpenLeaf(engine));
      depth = isContainer ? depth + 1 : -1;
    }
    return isOpen ? "partial" : "complete";
  }

  /** How far the input has been read, what deviates from JSON, the error if there is one. */
  get status(): ParserStatus {
    const text = this.#open();
    const { input, output } = text.parts;
    const refusal = (output.refusal ?? input.engine.tree?.refusal) as JsonSpigotError | undefined;
    return {
      bytes: text.offset,
      isComplete: text.hasRootEnded && text.error === undefined,
      isStrict: !input.translator?.count,
      deviations: text.deviations,
      error: text.error ?? refusal,
    };
  }

  /** An independent parser in the same state. It costs a copy of everything that this one keeps. */
  clone(): Parser {
    return new Parser(this.#open().clone() as unknown as string);
  }

  /**
   * The state as bytes, between two chunks. {@link Parser.restore} makes a parser from them that goes on as if nothing had
   * happened, in another process or on another machine. The state is a header, a few bytes for each open container, the
   * open key or number, and whatever the options retain: the text, the document so far.
   */
  save(): Uint8Array {
    const text = this.#open();
    return save(ownerOf(text.parts), noteOf(text), (out) => saveText(text, out));
  }

  /**
   * A parser that goes on from a state, with the patterns and options that it was saved with: these are not in the state.
   * Only `numbers`, `prototypeKeys`, `spelling`, `freeze` and `"live"` may differ, since they only affect how values are
   * represented.
   *
   * The bytes are read as hostile, and any bytes give a parser or an error. But whoever can write them can make up what has
   * been read, so protect them as you would the text.
   *
   * @throws {JsonSpigotError} of kind `not-saved-state`, `other-version`, `cut`, `changed`, `other-kind` (that of a
   * `Documents`, say), `other-patterns`, `other-choices`, or `impossible` for bytes that were made up.
   */
  static restore(patterns: string | readonly string[], state: Uint8Array, options: ParserOptions = NO_OPTIONS): Parser {
    const text = new Text(makeParts(patterns, options));
    restore(ownerOf(text.parts), state, (reader, note) => {
      restoreText(text, reader);
      takeNote(text, note);
    });
    return new Parser(text as unknown as string);
  }

  /** Starts over with a new text, keeping the patterns and options, and reuses the parser's memory. */
  reset(): void {
    const text = this.#open();
    text.reset();
    this.#ready = text.readyEngine();
  }

  /** Drops what the parser keeps. Nothing else can be done with it then. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#text.reset();
    this.#isDisposed = true;
    this.#ready = undefined;
  }

  declare [Symbol.dispose]: () => void;

  #open(): Text {
    if (this.#isDisposed) throw new JsonSpigotError("disposed", "the parser has been disposed of");
    return this.#text;
  }

  #tree(): Tree {
    const { tree } = this.#open().engine;
    if (!tree) throw invalid("this parser keeps no snapshots: make it with { snapshots: true }");
    return tree;
  }

  #throwRefusal(): void {
    const { refusal } = this.#text.parts.output;
    if (refusal !== undefined) throw refusal;
  }

  /** After the events of the chunk comes what is wrong with it. */
  #throw(error: TextError | undefined, events: readonly Event[]): never {
    this.#ready = undefined;
    const { refusal } = this.#text.parts.output;
    if (refusal instanceof JsonSpigotError) throw new JsonSpigotError(refusal.kind, refusal.message, { events });
    throw error!.with(events);
  }
}

// Where an engine has no such symbol, `dispose` is all there is.
if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(Parser.prototype, Symbol.dispose, {
    value(this: Parser) {
      this.dispose();
    },
    writable: true,
    configurable: true,
  });
}
