// The base of all parsers of one text: chunks in, events and snapshots out. The loops and the React hook use it. A user's
// `Parser` adds patches, saved state and the complete value.

// The declarations name `Symbol.dispose`, which users' own `lib` need not have.
/// <reference lib="esnext.disposable" preserve="true" />

import { disposable } from "./runtime.js";
import type { ReportingEngine } from "./reporting.js";
import { JsonSpigotError } from "./error.js";
import type { Event } from "./events.js";
import { isBytes } from "./input.js";
import { opened, type Text } from "./text.js";
import { withEvents, type TextError } from "./text-error.js";
import type { Tree } from "./tree/tree.js";
import { wholeText } from "./utf8.js";
import type { Json } from "./values.js";

/** A value of which any part may not be there yet. */
export type DeepPartial<T> = T extends string | number | bigint | boolean | null | undefined
  ? T
  : T extends readonly (infer E)[]
    ? DeepPartial<E>[]
    : T extends object
      ? { [K in keyof T]?: DeepPartial<T[K]> }
      : T;

/** Returns the text of a parser that is not disposed of. */
export let textOf: (parser: TextParser) => Text;

export class TextParser {
  /** The text, until it is disposed of. */
  #text: Text | undefined;
  /** The engine, while it can be given a string as it is: most chunks go there straight. */
  #ready: ReportingEngine | undefined;
  /** The tree, while it can be looked at. */
  #shown: Tree | undefined;

  static {
    textOf = (parser) => opened(parser.#text);
  }

  constructor(text: Text) {
    this.#text = text;
    this.#ready = text.readyEngine();
    this.#shown = text.engine.tree;
  }

  /**
   * Parses a chunk, which may be cut anywhere, and returns its events.
   *
   * @throws {JsonSpigotError} at the first bad byte; the events before it are in the error.
   */
  feed(chunk: string | Uint8Array): Event[] {
    const ready = this.#ready;
    if (ready === undefined) return this.#feedAny(chunk);
    let text: string | undefined = chunk as string;
    if (typeof chunk === "string") {
      if ((chunk.charCodeAt(chunk.length - 1) & 0xfc00) === 0xd800) return this.#feedAny(chunk);
      ready.chunk.wasBytes = false;
    } else {
      // A byte order mark may come first.
      text = ready.base > 0 && chunk instanceof Uint8Array && chunk.length > 0 ? wholeText(chunk) : undefined;
      if (text === undefined) return this.#feedAny(chunk);
      ready.chunk.wasBytes = true;
    }
    const events: Event[] = [];
    const { output } = ready;
    output.events = events;
    try {
      ready.feed(text);
    } catch (thrown) {
      this.#ready = undefined;
      this.#throw(this.#text!.failAt(thrown), events);
    }
    if (output.refusal !== undefined) this.#throw(undefined, events);
    return events;
  }

  #feedAny(chunk: string | Uint8Array): Event[] {
    const text = textOf(this);
    const { output } = text;
    if (typeof chunk !== "string" && !isBytes(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
    this.#throwRefusal();
    if (!text.isOpen) {
      if (text.verdict) throw withEvents(text.verdict);
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
   * Ends the text.
   *
   * @throws {JsonSpigotError} if it is not one complete JSON text.
   */
  finish(): Event[] {
    const text = textOf(this);
    this.#ready = undefined;
    this.#throwRefusal();
    const events: Event[] = [];
    text.output.events = events;
    const error = text.end();
    if (error !== undefined || text.output.refusal !== undefined) this.#throw(error, events);
    return events;
  }

  /**
   * Returns the document so far; `undefined` before its first value. Snapshots are plain values with structural
   * sharing: what has not changed since the last call is the same object, and a snapshot never changes once returned.
   * With `snapshots: "live"` there is one value instead, which is updated in place.
   *
   * The cost is that of what has arrived since the last call. Unless `"live"`, each container around it is copied too: a
   * snapshot in an array of 100,000 elements costs a copy of these, and one at a depth of 100 costs 100 copies.
   */
  snapshot<T = Json>(): DeepPartial<T> | undefined {
    const tree = this.#shown ?? textOf(this).tree();
    const root = tree.look(this.#text!.engine);
    if (tree.refusal) throw tree.refusal;
    return root as DeepPartial<T> | undefined;
  }

  /** Starts over with a new text, keeping the patterns and options, and reuses the parser's memory. */
  reset(): void {
    const text = textOf(this);
    text.reset();
    this.#ready = text.readyEngine();
  }

  /** Drops what the parser keeps. Nothing else can be done with it then. */
  dispose(): void {
    this.#text = this.#ready = this.#shown = undefined;
  }

  declare [Symbol.dispose]: () => void;

  #throwRefusal(): void {
    const { refusal } = this.#text!.output;
    if (refusal !== undefined) throw refusal;
  }

  /** Throws the error of a chunk, with the events before it. */
  #throw(error: TextError | undefined, events: readonly Event[]): never {
    this.#ready = undefined;
    const { refusal } = this.#text!.output;
    if (refusal instanceof JsonSpigotError) throw new JsonSpigotError(refusal.kind, refusal.message, { events });
    throw withEvents(error!, events);
  }
}

disposable(TextParser.prototype);
