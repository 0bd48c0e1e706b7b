// An instance of the WebAssembly module: its memory, the input and output of its calls.
//
// `../../wasm/src/lib.rs` is the other side; the two change together.

import { JsonSpigotError } from "../core/error.js";
import { bytesOf, decodeAll, LONE, shortAscii } from "../core/utf8.js";

/** The module's functions. Numbers of streams and patterns are its own; a stream's calls return how many bytes are written. */
export interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  input(length: number): number;
  output(): number;
  compile(length: number): number;
  forget(patterns: number): void;
  create_stream(patterns: number, provider: number, length: number): number;
  release(slot: number): void;
  push(slot: number, length: number): number;
  push_unreadable(slot: number, length: number): number;
  feed(slot: number, length: number): number;
  finish(slot: number, length: number): number;
  message(slot: number, withCalls: number): number;
  unfinished(slot: number): number;
  provider(slot: number): number;
  save(slot: number): number;
  restore(slot: number, length: number): number;
}

const encoder = new TextEncoder();

/** An instance of the module, with the one output of its calls. */
export class Instance {
  readonly exports: Exports;
  /** The numbers of compiled patterns, by their texts, oldest first. */
  readonly patterns = new Map<string, number>();
  /** Set by a trap: the module's memory may be in any state, so nothing of it is used again. */
  failure: JsonSpigotError | undefined;
  #memory!: ArrayBuffer;
  #bytes!: Uint8Array;
  #input!: Uint8Array;
  #inputAt = 0;
  #capacity = 0;

  constructor(module: WebAssembly.Module) {
    this.exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    this.#reserve(1024);
  }

  /** Renews the views, which are dead once the memory has grown. */
  #look(): void {
    const { buffer } = this.exports.memory;
    if (buffer !== this.#memory) {
      this.#memory = buffer;
      this.#bytes = new Uint8Array(buffer);
      this.#input = this.#bytes.subarray(this.#inputAt, this.#inputAt + this.#capacity);
    }
  }

  #reserve(length: number): void {
    if (length > this.#capacity) {
      this.#capacity = Math.max(length, 2 * this.#capacity);
      this.#inputAt = this.exports.input(this.#capacity);
      this.#memory = undefined as unknown as ArrayBuffer;
    }
    this.#look();
  }

  /** Writes a string into the input. Returns its length in bytes. A lone surrogate becomes a byte that is not UTF-8. */
  write(text: string): number {
    const length = text.length;
    // A view of memory that has grown since is empty.
    if (length > this.#capacity || this.#input.length === 0) this.#reserve(length);
    if (!isWellFormed(text)) return this.writeBytes(bytesOf(text.replace(LONE, "\udcff"), true));
    const { read, written } = encoder.encodeInto(text, this.#input);
    if (read === length) return written;
    // There was room for ASCII only. The input keeps its bytes when it grows.
    this.#reserve(written + 3 * (length - read));
    return written + encoder.encodeInto(text.slice(read), this.#input.subarray(written)).written;
  }

  /** Writes bytes into the input. Returns how many. */
  writeBytes(bytes: Uint8Array): number {
    if (bytes.length > this.#capacity || this.#input.length === 0) this.#reserve(bytes.length);
    this.#input.set(bytes);
    return bytes.length;
  }

  /** Copies the output of a call, which has this length. */
  bytes(length: number): Uint8Array {
    this.#look();
    const from = this.exports.output();
    return this.#bytes.slice(from, from + length);
  }

  /** Returns the output of a call as text. A length is negative if something was refused. */
  text(length: number): string {
    this.#look();
    const from = this.exports.output();
    const to = from + Math.abs(length);
    return shortAscii(this.#bytes, from, to) ?? decodeAll(this.#bytes.subarray(from, to));
  }

  /** Returns the output of a call that has refused something. */
  refusal(length: number): { readonly reason: string; readonly numbers: readonly number[] } {
    return JSON.parse(this.text(length));
  }

  /** Returns why a call has thrown. After a trap the instance is dead, and so are its streams. */
  trapped(thrown: unknown): unknown {
    if (!isTrap(thrown)) return thrown;
    this.failure ??= new JsonSpigotError("trap", `the parser has crashed and can't be used again (${thrown.message}): make a new one`);
    return this.failure;
  }
}

/** Returns true for a trap or an overflow of the stack, after which the module can't be used. */
function isTrap(thrown: unknown): thrown is Error {
  return thrown instanceof RangeError || thrown instanceof WebAssembly.RuntimeError;
}

/** Returns true if a text has no half surrogate pairs. */
export function isWellFormed(text: string): boolean {
  const own = (text as { isWellFormed?: () => boolean }).isWellFormed;
  return own ? own.call(text) : !/\p{Surrogate}/u.test(text);
}
