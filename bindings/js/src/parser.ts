// The parser, and the stream of documents: what a user calls.

// The declarations name `Symbol.dispose`, which users' own `lib` need not have.
/// <reference lib="esnext.disposable" preserve="true" />

import { JsonSpigotError } from "./error.js";
import { EventReader, readDeviations, readError, type Deviations, type DocumentEvent, type Event } from "./events.js";
import { beginningOf, instance, isBytes, type Instance, type Output } from "./module.js";
import { encodeOptions, invalid, type ParserOptions } from "./options.js";
import { makePatch } from "./patch.js";
import { compile } from "./patterns.js";
import { Mirror } from "./snapshot.js";
import { makeValue, type Json, type Making } from "./values.js";

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
  /** Whether `finish` has found a complete text. */
  readonly isComplete: boolean;
  /** Whether it is strict JSON so far. */
  readonly isStrict: boolean;
  readonly deviations: Deviations;
  /** The first error, which every later call throws again. */
  readonly error: JsonSpigotError | undefined;
}

const STATES: readonly ValueState[] = ["pending", "partial", "complete", "absent"];

/** Parsers whose owner is gone. Where there is no such class, memory is freed by `dispose` alone. */
const abandoned =
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : new FinalizationRegistry<{ module: Instance; parser: number }>(({ module, parser }) => {
        if (!module.failure) module.exports.release(parser);
      });


/** Half a pair that nothing can complete, as a byte that no parser takes, and what comes behind it. */
function behindHalf(bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(1 + bytes.length);
  all[0] = 0xff;
  all.set(bytes, 1);
  return all;
}

/** What parsers and streams of documents share: a parser in the module, by number. */
abstract class Handle {
  protected readonly module: Instance;
  protected readonly options: ParserOptions;
  protected readonly making: Making;
  protected readonly reader: EventReader;
  /** Negative once it has been disposed of. */
  protected parser: number;
  /** Half a surrogate pair from the end of the last chunk. */
  protected half = "";

  constructor(patterns: string | readonly string[], options: ParserOptions, framing: number, origin?: Handle) {
    this.options = options;
    if (origin) {
      this.module = origin.module;
      this.making = origin.making;
      this.reader = origin.reader.clone();
      this.half = origin.half;
      this.parser = origin.call((exports) => exports.duplicate(origin.parser));
    } else {
      this.module = (new.target as unknown as typeof Handle).instance();
      const { numbers = "number", prototypeKeys = "keep", retain = "all", spelling = false } = options;
      this.making = { numbers, prototypeKeys };
      this.reader = new EventReader({ numbers, prototypeKeys, spelling, keepsText: retain !== "nothing" && !spelling });
      const encoded = encodeOptions(options, framing);
      const set = compile(this.module, typeof patterns === "string" ? [patterns] : patterns);
      this.module.writeBytes(encoded);
      this.parser = this.module.exports.create(set);
    }
    abandoned?.register(this, { module: this.module, parser: this.parser }, this);
  }

  /** Where new parsers of this class live. */
  protected static instance(): Instance {
    return instance();
  }

  /** Runs a call into the module; after a trap, and after `dispose`, it is an error. */
  protected call<R>(run: (exports: Instance["exports"]) => R): R {
    if (this.parser < 0) throw new JsonSpigotError("disposed", "the parser has been disposed of");
    if (this.module.failure) throw this.module.failure;
    try {
      return run(this.module.exports);
    } catch (thrown) {
      throw this.module.trapped(thrown);
    }
  }

  /** Parses a chunk; gives how much output there is. */
  protected feedChunk(chunk: string | Uint8Array): number {
    const { module } = this;
    if (this.parser < 0 || module.failure) this.call(() => 0);
    let length: number;
    if (typeof chunk === "string") {
      let text = this.half === "" ? chunk : this.half + chunk;
      let half = "";
      const last = text.charCodeAt(text.length - 1);
      if (last >= 0xd800 && last <= 0xdbff) {
        half = text.slice(-1);
        text = text.slice(0, -1);
      }
      length = this.write(text);
      this.half = half;
    } else {
      if (!isBytes(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
      // No other half can follow bytes: the half is the error, and the bytes come after it.
      if (this.half === "" || chunk.length === 0) {
        length = this.writeBytes(chunk);
      } else {
        length = this.writeBytes(behindHalf(chunk));
        this.half = "";
      }
    }
    try {
      return module.exports.feed(this.parser, length, typeof chunk === "string" ? 1 : 0);
    } catch (thrown) {
      throw module.trapped(thrown);
    }
  }

  /** Writes into the module, which may have to make room. An error of JavaScript's own is not the module's. */
  private write(text: string): number {
    try {
      return this.module.write(text);
    } catch (thrown) {
      throw thrown instanceof RangeError ? thrown : this.module.trapped(thrown);
    }
  }

  private writeBytes(bytes: Uint8Array): number {
    try {
      return this.module.writeBytes(bytes);
    } catch (thrown) {
      throw thrown instanceof RangeError ? thrown : this.module.trapped(thrown);
    }
  }

  protected finishInput(): number {
    return this.call((exports) => exports.finish(this.parser));
  }

  /** The waiting half of a surrogate pair as bytes; it no longer waits. */
  protected takeHalf(): Uint8Array {
    const { half } = this;
    this.half = "";
    return beginningOf(half);
  }

  /** The output of a call that has nothing but an error to say, or what was asked for. */
  protected ask(run: (exports: Instance["exports"]) => number): Output | undefined {
    const count = this.call(run);
    if (count < 0) throw readError(this.module.read(count), []);
    return count === 0 ? undefined : this.module.read(count);
  }

  protected writePath(path: string): number {
    if (typeof path !== "string") throw new TypeError("a path is a string");
    return this.module.write(path);
  }

  /** Frees the parser's memory. Calling it again is a no-op; every other call then throws. */
  dispose(): void {
    if (this.parser < 0) return;
    abandoned?.unregister(this);
    if (!this.module.failure) this.module.exports.release(this.parser);
    this.parser = -1;
  }
}

// Where the symbol is missing, nothing is put in its place.
interface Handle {
  [Symbol.dispose](): void;
}
if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(Handle.prototype, Symbol.dispose, {
    value(this: Handle) {
      this.dispose();
    },
    configurable: true,
    writable: true,
  });
}

/**
 * A parser of one JSON text, which arrives in chunks, at any cut.
 *
 * ```ts
 * const parser = new Parser("ask_slots[*].message");
 * for (const chunk of chunks) {
 *   for (const event of parser.feed(chunk)) {
 *     if (event.kind === "delta") show(event.text);
 *   }
 * }
 * parser.finish();
 * const reply = parser.value();
 * ```
 */
export class Parser extends Handle {
  protected readonly mirror: Mirror | undefined;
  readonly #isFollowed: boolean;

  /**
   * @param patterns Paths with wildcards in RFC 9535 spelling. Compiled once, and remembered.
   * @throws {PatternError} for a pattern that can't be compiled.
   * @throws {JsonSpigotError} of kind `invalid-option`.
   */
  constructor(patterns: string | readonly string[] = [], options: ParserOptions = {}) {
    const origin: unknown = patterns;
    if (origin instanceof Parser) {
      super([], origin.options, 0, origin);
      this.#isFollowed = origin.#isFollowed;
      this.mirror = origin.mirror?.clone();
    } else {
      super(patterns, options, 0);
      this.#isFollowed = Boolean(options.snapshots) || Boolean(options.provisional);
      this.mirror = this.#isFollowed ? new Mirror(this.making, options.snapshots === "live") : undefined;
    }
  }

  /**
   * Parses a chunk and returns its events. If the chunk ends inside a character (part of a UTF-8 sequence, or half a
   * surrogate pair of a string), that part waits for the next chunk.
   *
   * @throws {JsonSpigotError} at the first bad byte. Its `events` are those of this chunk before that byte; every later
   * call throws the same error again, without events.
   */
  feed(chunk: string | Uint8Array): Event[] {
    const count = this.feedChunk(chunk);
    this.mirror?.follow(this.module);
    return this.reader.read(this.module, count);
  }

  /**
   * The end of the input; a number at the root ends here.
   *
   * @throws {JsonSpigotError} of kind `incomplete` if the text is not complete.
   */
  finish(): Event[] {
    const before = this.half === "" ? [] : this.feed(this.takeHalf());
    const count = this.finishInput();
    if (this.mirror) this.mirror.isBehind = true;
    return this.reader.read(this.module, count, before);
  }

  /**
   * The complete value, after a successful {@link finish}.
   *
   * @throws {JsonSpigotError} before that, and after an error; of kind `not-retained` if the text was not kept.
   */
  value<T = Json>(): T {
    const output = this.ask((exports) => exports.complete(this.parser, 0))!;
    // The text has been parsed already, and what is shown is whole.
    if (this.mirror) return this.snapshot() as T;
    return makeValue(output.string(), this.making) as T;
  }

  /** The complete value's text as it was spelt, without the white space between tokens. */
  valueText(): string {
    return this.ask((exports) => exports.complete(this.parser, 1))!.string();
  }

  /**
   * The document as far as it is known; `undefined` before its first value. Snapshots are plain values with structural
   * sharing: what has not changed since the last call is the same object, and a snapshot never changes once returned.
   * With `snapshots: "live"` there is one value instead, which each call updates in place.
   *
   * The cost is that of what has arrived since the last call, plus a copy of each container around it unless `"live"`.
   */
  snapshot<T = Json>(): DeepPartial<T> | undefined {
    const mirror = this.mirror ?? this.#needMirror();
    const { module, parser } = this;
    if (parser < 0 || module.failure) this.call(() => 0);
    if (mirror.isBehind) {
      let count: number;
      try {
        count = module.exports.growth(parser);
      } catch (thrown) {
        throw module.trapped(thrown);
      }
      mirror.apply(module.read(count));
    } else {
      mirror.applyChunks();
    }
    if (mirror.refusal) throw mirror.refusal;
    return mirror.root as DeepPartial<T> | undefined;
  }

  /** The document as far as it is known, as JSON text: numbers as they are spelt, repeated keys in their places. */
  snapshotText(): string | undefined {
    this.#needMirror();
    return this.ask((exports) => exports.snapshot_text(this.parser))?.string();
  }

  /**
   * What the document has gained since the last call. {@link applyPatch} brings a copy elsewhere up to date. Numbers and
   * `__proto__` are as the options say, as in a snapshot.
   */
  patch(): PatchOp[] {
    const texts = this.patchText();
    const mirror = this.#needMirror();
    try {
      if (!mirror.refusal) return makePatch(texts, this.making);
    } catch (thrown) {
      if (!(thrown instanceof JsonSpigotError)) throw thrown;
      mirror.refusal = thrown;
    }
    throw mirror.refusal;
  }

  /** The same, each operation as JSON text: numbers as they are spelt, and whatever keys the document has. */
  patchText(): string[] {
    this.#needMirror();
    const output = this.ask((exports) => exports.patch(this.parser));
    const ops: string[] = [];
    while (output && output.at < output.end) ops.push(output.string());
    return ops;
  }

  /**
   * What is known of the value at a concrete path: `ask_slots[0].message`.
   *
   * @throws {JsonSpigotError} of kind `invalid-path` for any other text.
   */
  stateOf(path: string): ValueState {
    this.#needMirror();
    const output = this.ask((exports) => exports.state_of(this.parser, this.writePath(path)))!;
    return STATES[output.word()]!;
  }

  /** How far the input has been read, what deviates from JSON, the error if there is one. */
  get status(): ParserStatus {
    const count = this.call((exports) => exports.status(this.parser));
    const output = this.module.read(count);
    const bytes = output.long();
    const flags = output.word();
    const deviations = readDeviations(output);
    const error = count < 0 ? readError(output, []) : (this.reader.refusal ?? this.mirror?.refusal);
    return { bytes, isComplete: (flags & 1) !== 0, isStrict: (flags & 2) !== 0, deviations, error };
  }

  /** An independent parser in the same state. It costs a copy of everything that this one keeps. */
  clone(): Parser {
    return new Parser(this as unknown as string);
  }

  /** Starts over with a new text, keeping the patterns and options, and reuses the parser's memory. */
  reset(): void {
    this.call((exports) => exports.reset(this.parser));
    this.half = "";
    this.reader.reset();
    this.mirror?.reset();
  }

  #needMirror(): Mirror {
    if (!this.mirror) {
      this.call(() => undefined);
      throw invalid("this parser keeps no snapshots: make it with { snapshots: true }");
    }
    return this.mirror;
  }
}

/** How texts are separated: JSON Lines, concatenated without a separator, or RFC 7464 sequences. */
export type Framing = "lines" | "concatenated" | "sequence";

export const FRAMINGS: readonly Framing[] = ["lines", "concatenated", "sequence"];

/** Options that a stream of documents takes: it shows no partial document. */
export type DocumentsOptions = Omit<ParserOptions, "snapshots" | "provisional">;

/**
 * A stream of JSON texts, each with its own events, offsets and limits.
 *
 * ```ts
 * const documents = new Documents("lines", "city");
 * documents.feed('{"city": "Ko'); // a begin and a delta of document 0
 * ```
 */
export class Documents extends Handle {
  constructor(framing: Framing, patterns: string | readonly string[] = [], options: DocumentsOptions = {}) {
    const place = FRAMINGS.indexOf(framing);
    if (place < 0) throw invalid(`framing: ${JSON.stringify(framing)} is not one of ${FRAMINGS.join(", ")}`);
    for (const name of ["snapshots", "provisional"] as const) {
      if ((options as ParserOptions)[name]) throw invalid(`${name}: a stream of documents has no snapshots`);
    }
    super(patterns, options, place + 1);
  }

  /**
   * Parses a chunk. A text that is not JSON is an event; with `lines` and `sequence` the next text follows it.
   *
   * @throws {JsonSpigotError} if the stream has ended: by `finish`, or by an error in `concatenated` texts.
   */
  feed(chunk: string | Uint8Array): DocumentEvent[] {
    return this.reader.readDocuments(this.module, this.feedChunk(chunk));
  }

  /** The end of the stream, and of its last text. */
  finish(): DocumentEvent[] {
    const before = this.half === "" ? [] : this.feed(this.takeHalf());
    return this.reader.readDocuments(this.module, this.finishInput(), before);
  }

  /** Starts over with a new stream. */
  reset(): void {
    this.call((exports) => exports.reset(this.parser));
    this.half = "";
    this.reader.reset();
  }
}
