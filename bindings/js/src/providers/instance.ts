// A WebAssembly module and an instance of it: how it is started, its memory, one call and one output for a chunk.
//
// `../../wasm/src/lib.rs` is the other side; the two change together.

import { JsonSpigotError } from "../error.js";

/** What every module exports. Numbers of parsers and patterns are its own; a negative count says that an error is last. */
export interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  input(length: number): number;
  output(): number;
  compile(length: number): number;
  forget(patterns: number): void;
  release(parser: number): void;
}

/** A compiled module, or the bytes of one. */
export type ModuleSource = WebAssembly.Module | ArrayBuffer | Uint8Array;

const encoder = new TextEncoder();
// A byte order mark inside a text is a character like any other. The module's texts are UTF-8, and are not checked again.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Up to here a loop over the characters is faster than the encoder and decoder. */
const SHORT_INPUT = 24;
const SHORT_OUTPUT = 12;
/** From here on a native search for what a lone surrogate becomes is faster than looking at all characters. */
const LONG_INPUT = 256;

/** What is left of the output of a call while it is read: numbers, and the text, cut by them. */
export class Output {
  words!: Uint32Array;
  at = 0;
  end = 0;
  text = "";
  textAt = 0;

  word(): number {
    return this.words[this.at++]!;
  }

  /** 64 bits. What counts bytes stays exact up to 2^53. */
  long(): number {
    const low = this.words[this.at++]!;
    return low + this.words[this.at++]! * 0x1_0000_0000;
  }

  string(): string {
    const from = this.textAt;
    this.textAt += this.words[this.at++]!;
    return this.text.substring(from, this.textAt);
  }
}

/** An instance of a module, with the one output of its calls. */
export class Instance<E extends Exports> {
  readonly exports: E;
  readonly output = new Output();
  /** The numbers of compiled patterns, by their texts, oldest first. */
  readonly patterns = new Map<string, number>();
  /** Set by a trap: the module's memory may be in any state, so nothing of it is used again. */
  failure: JsonSpigotError | undefined;
  #memory!: ArrayBuffer;
  #bytes!: Uint8Array;
  #words!: Uint32Array;
  #input!: Uint8Array;
  #inputAt = 0;
  #capacity = 0;
  /** The string that was written last: what a text may be told to be. */
  written = "";
  readonly #place: number;
  readonly #onTrap: () => void;

  constructor(module: WebAssembly.Module, onTrap: () => void) {
    this.#onTrap = onTrap;
    this.exports = new WebAssembly.Instance(module).exports as unknown as E;
    this.#place = this.exports.output() >>> 2;
    this.#reserve(1024);
  }

  /** Views are dead once the memory has grown. */
  #look(): void {
    const { buffer } = this.exports.memory;
    if (buffer !== this.#memory) {
      this.#memory = buffer;
      this.#bytes = new Uint8Array(buffer);
      this.#words = new Uint32Array(buffer);
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

  /** Writes a string into the input; gives its length in bytes. Half a surrogate pair is written as it is. */
  write(text: string): number {
    this.written = text;
    const length = text.length;
    // A view of memory that has grown since is empty.
    if (length > this.#capacity || this.#input.length === 0) this.#reserve(length);
    const input = this.#input;
    if (length <= SHORT_INPUT) {
      let at = 0;
      for (; at < length; at++) {
        const unit = text.charCodeAt(at);
        if (unit > 127) break;
        input[at] = unit;
      }
      if (at === length) return length;
    }
    const { read, written } = encoder.encodeInto(text, input);
    // All ASCII. If the input is full, as many bytes are there, but not all of the text.
    if (written === length && read === length) return length;
    let all = written;
    if (read < length) {
      // There was room for ASCII only. What is there stays when the input grows.
      this.#reserve(written + 3 * (length - read));
      all += encoder.encodeInto(text.slice(read), this.#input.subarray(written)).written;
    }
    // `includes` takes twice the time.
    const mayBeReplaced = all < LONG_INPUT || this.#input.subarray(0, all).indexOf(0xef) >= 0;
    return mayBeReplaced && !isWellFormed(text) ? this.#writeUnits(text) : all;
  }

  /** As UTF-8, and half a pair as one byte that no parser takes, so that the error is where the half is. */
  #writeUnits(text: string): number {
    this.#reserve(3 * text.length);
    const input = this.#input;
    let at = 0;
    for (const character of text) {
      const point = character.codePointAt(0)!;
      if (point < 0xd800 || point > 0xdfff) {
        at += encoder.encodeInto(character, input.subarray(at)).written;
      } else {
        input[at++] = 0xff;
      }
    }
    return at;
  }

  writeBytes(bytes: Uint8Array): number {
    if (bytes.length > this.#capacity || this.#input.length === 0) this.#reserve(bytes.length);
    this.#input.set(bytes);
    return bytes.length;
  }

  /** The output of the call that gave this count, ready to be read. */
  read(count: number): Output {
    if (this.#words.length === 0) this.#look();
    const words = this.#words;
    const output = this.output;
    output.words = words;
    output.at = words[this.#place]! >>> 2;
    output.end = output.at + Math.abs(count);
    output.text = this.#decode(words[this.#place + 1]!, words[this.#place + 2]!);
    output.textAt = 0;
    return output;
  }

  /** A copy of the output's text, where that is bytes. */
  bytes(): Uint8Array {
    if (this.#words.length === 0) this.#look();
    const from = this.#words[this.#place + 1]!;
    return this.#bytes.slice(from, from + this.#words[this.#place + 2]!);
  }

  #decode(from: number, length: number): string {
    const bytes = this.#bytes;
    if (length <= SHORT_OUTPUT) {
      const end = from + length;
      let all = 0;
      for (let at = from; at < end; at++) all |= bytes[at]!;
      if (all < 128) {
        const unit = String.fromCharCode;
        let text = "";
        let at = from;
        for (; at + 4 <= end; at += 4) text += unit(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!);
        if (at + 2 <= end) {
          text += unit(bytes[at]!, bytes[at + 1]!);
          at += 2;
        }
        return at < end ? text + unit(bytes[at]!) : text;
      }
    }
    return decoder.decode(bytes.subarray(from, from + length));
  }

  /** Why a call has thrown. After a trap the instance is dead, and so are its parsers. */
  trapped(thrown: unknown): unknown {
    if (!isTrap(thrown)) return thrown;
    this.failure ??= new JsonSpigotError(
      "trap",
      `the parser has crashed and can't be used again (${thrown.message}): make a new one`,
    );
    this.#onTrap();
    return this.failure;
  }

  /** For the patterns and options of a new parser. */
  writeAll(parts: readonly Uint8Array[]): number {
    this.#reserve(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      this.#input.set(part, at);
      at += part.length;
    }
    return at;
  }
}

/** What the module can't go on after: a trap, or an overflow of the stack. */
function isTrap(thrown: unknown): thrown is Error {
  return thrown instanceof RangeError || thrown instanceof WebAssembly.RuntimeError;
}

/** Returns true if a text has no half surrogate pairs. */
export function isWellFormed(text: string): boolean {
  const own = (text as { isWellFormed?: () => boolean }).isWellFormed;
  return own ? own.call(text) : !/\p{Surrogate}/u.test(text);
}

/** The first half of a surrogate pair as UTF-8: the two bytes that it determines, whatever the other half. */
export function beginningOf(half: string): Uint8Array {
  return encode(`${half}\udc00`).subarray(0, 2);
}

export function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

/** How one module of the package is had, and the instance of it that lives. */
export class ModuleLoader<E extends Exports> {
  readonly #instead: string;
  readonly #file: string;
  readonly #orElse: string;
  #load: (() => WebAssembly.Module) | undefined;
  #bytes: (() => Uint8Array) | undefined;
  #compiled: WebAssembly.Module | undefined;
  #current: Instance<E> | undefined;

  /**
   * @param file The name of the module's file.
   * @param instead What errors say of other ways to have it, after "hand a compiled module to".
   * @param orElse What the error of a missing module says after "call initSync() … first".
   */
  constructor(file: string, instead: string, orElse = "") {
    this.#file = file;
    this.#orElse = orElse;
    this.#instead = instead;
  }

  /** Where the module comes from, if nobody calls `init` first. */
  loadWith(source: () => WebAssembly.Module): void {
    this.#load = source;
  }

  /** Where the module's bytes come from. */
  loadBytesWith(source: () => Uint8Array): void {
    this.#bytes = source;
    this.#load = () => new WebAssembly.Module(source() as BufferSource);
  }

  /** The instance that new parsers live in; started by the first of them. */
  instance(): Instance<E> {
    return (this.#current ??= this.#start());
  }

  #start(): Instance<E> {
    const started: Instance<E> = new Instance(this.#compile(), () => {
      if (this.#current === started) this.#current = undefined;
    });
    return started;
  }

  #compile(): WebAssembly.Module {
    if (!this.#compiled) {
      if (!this.#load) {
        const message = `no WebAssembly module: call initSync() with \`${this.#file}\` first${this.#orElse}`;
        throw new JsonSpigotError("not-started", message);
      }
      try {
        this.#compiled = this.#load();
      } catch (cause) {
        const error = new JsonSpigotError(
          "not-started",
          "the WebAssembly module can't be compiled here: await init() first where only synchronous compilation is " +
            "refused, allow 'wasm-unsafe-eval' in the content security policy, hand a compiled module to " +
            this.#instead,
        );
        error.cause = cause;
        throw error;
      }
    }
    return this.#compiled;
  }

  /** Starts the module from these bytes, or from a module that was compiled elsewhere; harmless afterwards. */
  initSync(source: ModuleSource): void {
    this.#compiled ??= source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source as BufferSource);
  }

  /** The same, compiled in the background. */
  async init(source?: ModuleSource | Promise<ModuleSource> | Response | Promise<Response>): Promise<void> {
    if (this.#compiled) return;
    let from: ModuleSource | Response | undefined = await source;
    if (typeof Response !== "undefined" && from instanceof Response) from = await from.arrayBuffer();
    if (from === undefined) {
      if (!this.#bytes) {
        this.instance();
        return;
      }
      from = this.#bytes();
    }
    this.#compiled ??= from instanceof WebAssembly.Module ? from : await WebAssembly.compile(from as BufferSource);
  }
}
