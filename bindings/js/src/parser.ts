// The parser of one JSON text: what a user calls.

// The declarations name `Symbol.dispose`, which users' own `lib` need not have.
/// <reference lib="esnext.disposable" preserve="true" />

import type { Engine } from "./engine.js";
import { JsonSpigotError } from "./error.js";
import type { Deviations, Event } from "./events.js";
import { Growth } from "./growth.js";
import { isBytes } from "./input.js";
import { invalid, type ParserOptions } from "./options.js";
import { makePatch, type PatchOp } from "./patch.js";
import { INSIDE, segmentsOf } from "./path.js";
import { compact } from "./places.js";
import { restore, save } from "./saved/envelope.js";
import { noteOf, ownerOf, restoreText, saveText, takeNote } from "./saved/parser.js";
import { shownText } from "./shown.js";
import { lookUp, type ValueState } from "./state-of.js";
import { makeParts, Text } from "./text.js";
import type { TextError } from "./text-error.js";
import type { Tree } from "./tree.js";
import { wholeText } from "./utf8.js";
import { makeValue, type Json } from "./values.js";

const NO_OPTIONS: ParserOptions = {};

/** A value of which any part may not be there yet. */
export type DeepPartial<T> = T extends string | number | bigint | boolean | null | undefined
  ? T
  : T extends readonly (infer E)[]
    ? DeepPartial<E>[]
    : T extends object
      ? { [K in keyof T]?: DeepPartial<T[K]> }
      : T;

/** The state of a parser's input. */
export interface ParserStatus {
  /** Bytes that were parsed. */
  readonly bytes: number;
  /** True if the root value has closed, with nothing but white space after it so far. Only `finish` says that nothing follows. */
  readonly isComplete: boolean;
  /** True if it is strict JSON so far. */
  readonly isStrict: boolean;
  readonly deviations: Deviations;
  /** The first error, which every later call throws again. */
  readonly error: JsonSpigotError | undefined;
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
  /** The tree, while it can be looked at. */
  #shown: Tree | undefined;

  constructor(patterns: string | readonly string[] = [], options: ParserOptions = NO_OPTIONS) {
    this.#text = (patterns as unknown) instanceof Text ? (patterns as unknown as Text) : new Text(makeParts(patterns, options));
    this.#ready = this.#text.readyEngine();
    this.#shown = this.#text.engine.tree;
  }

  /**
   * Parses a chunk, which may be cut anywhere, and gives what it says.
   *
   * @throws {JsonSpigotError} at the first bad byte; the events before it are in the error.
   */
  feed(chunk: string | Uint8Array): Event[] {
    const ready = this.#ready;
    if (ready === undefined) return this.#feedAny(chunk);
    let text: string | undefined = chunk as string;
    if (typeof chunk === "string") {
      if ((chunk.charCodeAt(chunk.length - 1) & 0xfc00) === 0xd800) return this.#feedAny(chunk);
      ready.readsBytes = false;
    } else {
      // A byte order mark may come first.
      text = ready.base > 0 && chunk instanceof Uint8Array && chunk.length > 0 ? wholeText(chunk) : undefined;
      if (text === undefined) return this.#feedAny(chunk);
      ready.readsBytes = true;
    }
    const events: Event[] = [];
    const { output } = ready;
    output.events = events;
    try {
      ready.feed(text);
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
    if (typeof chunk !== "string" && !isBytes(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
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
    const tree = this.#shown ?? this.#tree();
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
   * Returns the document's gain since the last call. {@link applyPatch} brings a copy elsewhere up to date. Numbers and
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
   * Returns the state of the value at a concrete path: `ask_slots[0].message`.
   *
   * @throws {JsonSpigotError} of kind `invalid-path` for any other text.
   */
  stateOf(path: string): ValueState {
    const tree = this.#tree();
    const segments = segmentsOf(path);
    if (segments === undefined || segments.includes(INSIDE)) {
      const message = `invalid path: expected a concrete path, such as \`ask_slots[0].message\`, instead of ${JSON.stringify(path)}`;
      throw new JsonSpigotError("invalid-path", message);
    }
    if (tree.options.isProvisional) tree.look(this.#text.engine);
    return lookUp(this.#text, segments as readonly (string | number)[]).state;
  }

  /** The part of the input that has been read, what deviates from JSON, the error if there is one. */
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
    this.#ready = this.#shown = undefined;
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
