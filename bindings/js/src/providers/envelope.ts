// Text with payloads between marks: what a person should see, and the payloads, parsed.

import { JsonSpigotError } from "../error.js";
import type { EnvelopeEvent } from "../envelope/event.js";
import type { Event } from "../events.js";
import { isBytes } from "../input.js";
import { invalid, makingOf } from "../options.js";
import type { Making } from "../values.js";
import type { EventReader } from "./event-reader.js";
import { readRecord, settle } from "./events.js";
import { encodeLimits, encodeText, Handle, saveLimit } from "./handle.js";
import { isBeginning } from "./framing-state.js";
import { beginningOf, encode, isWellFormed } from "./instance.js";
import { loader } from "./module.js";
import { encodeOptions, type ModuleParsingOptions } from "./options.js";
import { compile } from "./patterns.js";
import { possible, taken, taking, together } from "./state.js";
import { eventReader, parsingOptions } from "./stream.js";
import { badByte, cutLength, strict } from "./utf8.js";

export interface EnvelopeOptions extends ModuleParsingOptions {
  /** The part of a payload that the parser keeps for the ends of matches: the matches' texts unless set otherwise. */
  readonly retain?: "all" | "matches" | "nothing";
  /** Bytes of visible text that may be held back because they may become a mark; 4096 unless set otherwise. */
  readonly holdLimit?: number;
  /** Bytes between two marks; 16 MiB unless set otherwise. A longer payload is truncated. */
  readonly payloadLimit?: number;
  /** Buffers the text since the open payload began, so that {@link Envelope.save} works: up to 1 MiB, or this many bytes. */
  readonly saveable?: boolean | number;
}

export type { EnvelopeEvent, FragmentEvent, PayloadEvent, PayloadMatchEvent, PayloadStartEvent, VisibleTextEvent } from "../envelope/event.js";

const KNOWN = ["limits", "duplicateKeys", "lenient", "accept", "numbers", "spelling", "prototypeKeys", "retain", "holdLimit", "payloadLimit", "saveable"];

const KINDS = ["incomplete", "invalid-utf8"] as const;

/**
 * Separates what a person should see from payloads between marks: `comment:NAME` (`<!--NAME … -->`), `fence:INFO`,
 * `fence:*` (any fence that holds an object or array), `tag:NAME` (`<NAME>…</NAME>`), `bare` (each JSON object or array) and `bare:object`. Append `:json` or `:raw` to
 * declare what the payload is.
 */
export class Envelope extends Handle {
  readonly #marks: readonly string[];
  readonly #making: Making;
  readonly #reader: EventReader;
  /** As the module reads them. */
  readonly #choices: readonly Uint8Array[];
  /** Half a surrogate pair, or the first bytes of a character, from the end of the last chunk. */
  #half = "";
  #cut: Uint8Array = new Uint8Array(0);
  /** What was read: bytes, lines, and the bytes of the line that is open. */
  #bytes = 0;
  #lines = 0;
  #column = 0;
  #error: JsonSpigotError | undefined;

  /**
   * @throws {JsonSpigotError} of kind `invalid-mark` for an invalid mark, or of kind `invalid-option`.
   * @throws {PatternError} for a pattern that can't be compiled.
   */
  constructor(marks: string | readonly string[], patterns: string | readonly string[] = [], options: EnvelopeOptions = {}) {
    super(loader.instance());
    const { retain = "matches", holdLimit, payloadLimit, spelling = false } = options;
    this.#marks = typeof marks === "string" ? [marks] : [...marks];
    if (this.#marks.length === 0) throw invalid("marks: at least one is needed");
    this.#making = makingOf(options);
    this.#reader = eventReader(this.#making, spelling, retain !== "nothing");
    const encoded = encodeOptions({ ...parsingOptions(options, KNOWN), retain });
    const sizes = encodeLimits([
      ["holdLimit", holdLimit, 4096],
      ["payloadLimit", payloadLimit, 16 << 20],
      ["saveable", saveLimit(options.saveable), 0],
    ]);
    const set = compile(this.module, typeof patterns === "string" ? [patterns] : patterns);
    this.#choices = [sizes, encoded];
    const length = this.module.writeAll([...this.#choices, ...this.#marks.flatMap((mark) => encodeText(String(mark)))]);
    const slot = this.module.exports.create_envelope(set, length);
    if (slot < 0) {
      const output = this.module.read(0);
      const mark = this.#marks[output.word()];
      throw new JsonSpigotError("invalid-mark", `invalid mark ${JSON.stringify(mark)}: ${output.string()}`);
    }
    this.own(slot);
  }

  /**
   * Reads a chunk. A character that its end cuts waits for the next chunk.
   *
   * @throws {JsonSpigotError} of kind `invalid-utf8` for bytes that are not UTF-8 and for half a surrogate pair inside
   * the text. Its `events` are what was reported before; every later call throws the same error again, without them.
   */
  feed(chunk: string | Uint8Array): EnvelopeEvent[] {
    this.#check();
    if (typeof chunk !== "string") {
      if (!isBytes(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
      if (chunk.length === 0) return [];
      return this.#feedBytes(this.#takeHalf(), chunk);
    }
    if (this.#cut.length > 0) return this.#feedBytes(new Uint8Array(0), halfAsBytes(chunk));
    let text = this.#half + chunk;
    this.#half = "";
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    return isWellFormed(text) ? this.#feedText(text) : this.#feedBytes(new Uint8Array(0), halfAsBytes(text));
  }

  /**
   * Ends the text: returns the text held back, or ends the open payload. The envelope can then read another text.
   *
   * @throws {JsonSpigotError} of kind `incomplete` if the text ends inside a character.
   */
  finish(): EnvelopeEvent[] {
    this.#check();
    if (this.#half !== "") this.#cut = beginningOf(this.#half);
    this.#half = "";
    const isCut = this.#cut.length > 0;
    this.#bytes += this.#cut.length;
    this.#column += this.#cut.length;
    const events = this.#end();
    if (isCut) throw this.#fail("incomplete", events);
    this.#bytes = 0;
    this.#lines = 0;
    this.#column = 0;
    return events;
  }

  /**
   * The envelope's state as bytes, between two chunks: what was fed since the open payload began. See `ProviderStream.save`.
   *
   * @throws {JsonSpigotError} of kind `not-retained` without the option `saveable`, and as long as the payload is longer than
   * its limit.
   */
  save(): Uint8Array {
    const state = this.saved();
    const [half, cut, bytes, lines, column, error] = [this.#half, this.#cut, this.#bytes, this.#lines, this.#column, this.#error];
    if (half === "" && cut.length === 0 && bytes === 0 && !error) return together(state);
    return together(state, (out) => {
      for (const count of [bytes, lines, column]) out.number(count);
      out.number(error ? 1 + KINDS.indexOf(error.kind as (typeof KINDS)[number]) : 0);
      // After an error nothing waits for more.
      out.text(error ? "" : half);
      out.bytes(error ? new Uint8Array(0) : cut);
    });
  }

  /** The envelope that was saved, with the marks, patterns and options that it had: see `ProviderStream.restore`. */
  static restore(
    marks: string | readonly string[],
    patterns: string | readonly string[],
    state: Uint8Array,
    options: EnvelopeOptions = {},
  ): Envelope {
    return taking(new Envelope(marks, patterns, { saveable: true, ...options }), (envelope) => {
      const saved = taken(state);
      const length = envelope.module.writeAll([...envelope.#choices, saved.state]);
      saved.check(envelope.call((exports) => exports.restore(envelope.slot, length)), (count) =>
        envelope.#readEvents(count),
      );
      saved.read((added) => {
        const [bytes, lines, column, kind] = [added.number(), added.number(), added.number(), added.number()];
        const [half, cut] = [added.text(), added.bytes()];
        possible(lines + column <= bytes && (lines > 0 || column === bytes) && kind <= KINDS.length);
        // The first half of a pair; and only one of the three can be.
        possible(/^[\ud800-\udbff]?$/.test(half) && isBeginning(cut));
        possible(Number(half !== "") + Number(cut.length > 0) + Number(kind > 0) <= 1);
        [envelope.#half, envelope.#cut] = [half, cut];
        [envelope.#bytes, envelope.#lines, envelope.#column] = [bytes, lines, column];
        if (kind > 0) envelope.#fail(KINDS[kind - 1]!, []);
      });
    });
  }

  #check(): void {
    this.call(() => 0);
    if (this.#error) throw this.#error;
  }

  #takeHalf(): Uint8Array {
    const half = halfAsBytes(this.#half);
    this.#half = "";
    return half;
  }

  #feedBytes(before: Uint8Array, chunk: Uint8Array): EnvelopeEvent[] {
    let bytes = chunk;
    if (this.#cut.length + before.length > 0) {
      bytes = new Uint8Array(this.#cut.length + before.length + chunk.length);
      bytes.set(this.#cut);
      bytes.set(before, this.#cut.length);
      bytes.set(chunk, this.#cut.length + before.length);
    }
    const whole = bytes.length - cutLength(bytes);
    this.#cut = bytes.slice(whole);
    let text: string | undefined;
    try {
      text = strict.decode(bytes.subarray(0, whole));
    } catch {
      text = undefined;
    }
    if (text !== undefined && badByte(this.#cut) === undefined) return this.#feedText(text);
    const bad = badByte(bytes)!;
    const events = this.#feedText(strict.decode(bytes.subarray(0, bad.start)));
    this.#bytes += bad.at - bad.start;
    this.#column += bad.at - bad.start;
    events.push(...this.#end());
    throw this.#fail("invalid-utf8", events);
  }

  #feedText(text: string): EnvelopeEvent[] {
    if (text === "") return [];
    const length = this.module.write(text);
    this.#count(text, length);
    return this.#readEvents(this.call((exports) => exports.feed(this.slot, length)));
  }

  #count(text: string, length: number): void {
    this.#bytes += length;
    let last = text.lastIndexOf("\n");
    if (last < 0) {
      this.#column += length;
      return;
    }
    const behind = text.slice(last + 1);
    this.#column = length === text.length ? behind.length : encode(behind).length;
    for (; last >= 0; last = last === 0 ? -1 : text.lastIndexOf("\n", last - 1)) this.#lines += 1;
  }

  #end(): EnvelopeEvent[] {
    this.#cut = new Uint8Array(0);
    return this.#readEvents(this.call((exports) => exports.finish(this.slot, 0)));
  }

  /** From here on every call is this error, which it gives with what was reported before. */
  #fail(kind: "incomplete" | "invalid-utf8", events: readonly EnvelopeEvent[]): JsonSpigotError {
    const what = kind === "incomplete" ? "the text ends inside a character" : "the text is not UTF-8";
    const place = { offset: this.#bytes, line: this.#lines + 1, column: this.#column + 1 };
    const message = `${what} at byte ${place.offset} (line ${place.line}, column ${place.column})`;
    this.#error = new JsonSpigotError(kind, message, place);
    return new JsonSpigotError(kind, message, { ...place, events: events as readonly Event[] });
  }

  #readEvents(count: number): EnvelopeEvent[] {
    const events: EnvelopeEvent[] = [];
    if (count === 0) return events;
    const output = this.read(count);
    while (output.at < output.end) {
      const record = readRecord(output, this.#making);
      if ("mark" in record) record["mark"] = this.#marks[record["mark"] as number];
      switch (record.kind) {
        case "match":
          events.push(Object.assign(this.#reader.readOne(output, this.module), { mark: record["mark"] as string }));
          continue;
        case "payload":
          this.#reader.reset();
          settle(record, this.#making);
          break;
      }
      events.push(record as unknown as EnvelopeEvent);
    }
    return events;
  }
}

/** As UTF-8, and half a surrogate pair as if it were a character: bytes that are not UTF-8. */
function halfAsBytes(text: string): Uint8Array {
  if (isWellFormed(text)) return encode(text);
  const bytes: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0)!;
    if (point < 0xd800 || point > 0xdfff) bytes.push(...encode(character));
    else bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f));
  }
  return Uint8Array.from(bytes);
}
