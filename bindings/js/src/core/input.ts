// The chunks on their way to the engine: strings and bytes, cut anywhere. A sequence of bytes, a surrogate pair or a byte
// order mark that a chunk's end cuts waits here for its rest.

import type { Engine } from "./engine.js";
import { DONE, mayEnd, NUMBER } from "./states.js";
import { checkWaiting, exceedTotal } from "./limits.js";
import type { Lenient } from "../lenient/translator.js";
import { wanted } from "./text-error.js";
import { decode, endsInHalf, joined, openTail, utf8Length, within } from "./utf8.js";

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);
/** A byte order mark. */
export const MARK: Uint8Array = /* @__PURE__ */ Uint8Array.of(0xef, 0xbb, 0xbf);

/** Returns true if it is a chunk of bytes, also one of another realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array || (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]");
}

/** A part of the input, and whether it was bytes. */
export interface Original {
  readonly text: string;
  readonly wereBytes: boolean;
}

export class Input<E extends Engine = Engine> {
  /** The beginning of a sequence of bytes. */
  bytes: Uint8Array = NO_BYTES;
  /** The first half of a surrogate pair. */
  half = "";
  hasBegun = false;
  /** The input of a lenient parser that retains all of it. A state is saved as this text. */
  declare original?: Original[];

  constructor(
    readonly engine: E,
    /** True if a byte order mark in front of bytes is part of the text, where it is an error. */
    public readsMark: boolean,
    /** The translator that drives the engine past deviations, if any are tolerated. */
    readonly translator?: Lenient,
  ) {}

  reset(): void {
    this.engine.reset();
    this.bytes = NO_BYTES;
    this.half = "";
    this.hasBegun = false;
  }

  // Steps that the input of a lenient parser overrides.

  /** Returns true if the first part of a character may wait for the rest here. */
  protected get takesCharacters(): boolean {
    return this.engine.takesCharacters;
  }

  /** Returns true if a byte order mark is part of the text, and no error. */
  protected get toleratesMark(): boolean {
    return false;
  }

  protected feedAny(chunk: string | Uint8Array): number {
    return typeof chunk === "string" ? this.#feedText(chunk) : this.#feedBytes(chunk);
  }

  protected read(text: string): number {
    return this.engine.feed(text);
  }

  /** Fails, as the character at this unit exceeds the limit on the total. */
  protected exceed(text: string, to: number): never {
    exceedTotal(this.engine, text, to);
  }

  protected end(): void {
    this.engine.finish();
  }

  /** Returns the number of bytes that have arrived. */
  get offset(): number {
    return this.engine.base + this.bytes.length;
  }

  /** Reads a chunk, all of it unless the engine stops at the root's end. Returns the length that was read. */
  feed(chunk: string | Uint8Array): number {
    if (typeof chunk !== "string" && !isBytes(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
    // An empty chunk changes nothing, also where the other type of chunks would.
    if (chunk.length === 0) return 0;
    const { raw } = this.engine;
    return raw === undefined ? this.feedAny(chunk) : raw.feed(this, chunk, () => this.feedAny(chunk));
  }

  #feedText(chunk: string): number {
    const { engine } = this;
    const before = this.half.length;
    // Bytes that wait can't be continued by a string.
    if (this.bytes.length > 0) {
      if (this.takesCharacters) engine.fail("invalid-utf8", 0, "UTF-8", this.offset);
      this.readWaiting();
    }
    engine.chunk.wasBytes = false;
    this.hasBegun = true;
    let text = chunk;
    if (this.half !== "") {
      text = this.half + chunk;
      this.half = "";
    }
    if (!endsInHalf(text)) return this.#take(text) - before;
    // It may get its other half from the next chunk.
    const end = text.length > 1 ? this.#take(text.slice(0, -1)) : 0;
    if (this.#hasStopped) return end - before;
    // Its first two bytes are known.
    if (engine.base + 2 > engine.limits.total) this.exceed(text, text.length - 1);
    this.half = text.slice(-1);
    if (!this.takesCharacters) this.readWaiting();
    return this.#hasStopped ? end - before : chunk.length;
  }

  /** True if the rest of the input is not read. */
  get #hasStopped(): boolean {
    return this.engine.stopsAtRoot && this.engine.state === DONE;
  }

  #feedBytes(chunk: Uint8Array): number {
    const { engine } = this;
    if (this.half !== "") {
      // No other half can follow in bytes.
      const { half } = this;
      this.half = "";
      this.#take(half);
    }
    let bytes = joined(this.bytes, chunk);
    const before = engine.base + this.bytes.length;
    this.bytes = NO_BYTES;
    engine.chunk.wasBytes = true;
    if (!this.hasBegun && engine.base === 0) {
      const count = MARK.findIndex((byte, at) => bytes[at] !== byte);
      const tolerates = this.toleratesMark;
      if (!this.readsMark || tolerates) {
        if (count > 0 && count === bytes.length) {
          this.bytes = bytes.slice();
          return chunk.length;
        }
        if (count < 0 && !tolerates) {
          bytes = bytes.subarray(3);
          if (engine.raw !== undefined) engine.raw.restart(bytes);
        }
      }
      if (bytes.length === 0) {
        this.hasBegun = true;
        return chunk.length;
      }
    }
    this.hasBegun = true;
    const open = openTail(bytes);
    const end = bytes.length - open;
    if (end > 0) this.#take(decode(open === 0 ? bytes : bytes.subarray(0, end)));
    if (open > 0 && !this.#hasStopped) {
      this.bytes = bytes.slice(end);
      if (this.takesCharacters) checkWaiting(engine, this.bytes);
      else this.readWaiting();
    }
    return this.#hasStopped ? engine.base - before : chunk.length;
  }

  /** Reads what waits, where no character may be. A strict engine fails at it. */
  protected readWaiting(): void {
    const { bytes, half } = this;
    this.bytes = NO_BYTES;
    this.half = "";
    this.hasBegun = true;
    this.engine.chunk.wasBytes = half === "";
    this.#take(half || decode(bytes));
  }

  /** Reads a text, up to the limit on the total. */
  #take(text: string): number {
    const { engine } = this;
    const room = engine.limits.total - engine.base;
    if (text.length * 3 <= room) return this.read(text);
    const to = within(text, room, engine.chunk.wasBytes);
    if (to > 0) {
      const end = this.read(text.slice(0, to));
      if (end < to || to === text.length) return end;
    }
    if (engine.stopsAtRoot) {
      if (engine.state === NUMBER && engine.depth === 0 && mayEnd(engine.part) && /[ \t\n\r"[\]{},:]/.test(text[to]!)) engine.finish();
      if (engine.state === DONE) return to;
    }
    this.exceed(text, to);
  }

  /** Ends the input. */
  finish(): void {
    const { engine } = this;
    if (this.bytes.length > 0 && !engine.isInString) this.readWaiting();
    // Of half a pair the first two bytes are known.
    const waiting = this.bytes.length + 2 * this.half.length;
    if (waiting > 0) engine.fail("incomplete", 0, wanted(engine), engine.base + waiting);
    this.end();
  }
}

/** Returns the number of bytes of a chunk. */
export function lengthOf(chunk: string | Uint8Array): number {
  return typeof chunk === "string" ? utf8Length(chunk) : chunk.length;
}
