// Raw deltas: the JSON text, as it comes, of open values that a pattern `raw:…` selects.
//
// A value's first unit is reported with its begin, so that its deltas stand at a place among the events that no cut
// changes; the rest where the value ends, and where the piece of text ends that is being read: the chunk, or the next
// decoded piece of a string that is read inside. A text has its own, the document as well as each inside a string. Where in
// the piece a value begins and ends follows from offsets, so a translator need not know of any of this.

import type { Output, ReportingEngine } from "./reporting.js";
import { Fault } from "./text-error.js";
import type { Match } from "./frame.js";
import type { Input } from "./input.js";
import { matchEvent } from "./match-event.js";
import { Characters, endsInHalf, LONE, openTail } from "./utf8.js";

/** Stands for a byte of a comment that is not UTF-8. Strict JSON never has it. */
const SUBSTITUTE = "\x1a";

/** An open value that a raw pattern selects. */
interface OpenRaw {
  readonly matches: readonly Match[];
  /** Where in the piece begins what has not been reported. */
  from: number;
  /** The list of events that has deltas of it, and those deltas: what follows in the same call is added to them. */
  events: unknown;
  deltas: { text: string }[];
}

export const beginRaw = (): RawDeltas => new RawDeltas();

export class RawDeltas {
  /** Outermost first. */
  #open: OpenRaw[] = [];
  #piece = "";
  #isAscii = true;
  #isOfBytes = false;
  /** How many units at its beginning are bytes that a string follows. */
  #strays = 0;
  /** The offset of the piece. */
  #start = 0;
  /** A place in it, and its offset: offsets are asked for in their order. */
  #place = 0;
  #offset = 0;
  readonly #characters = new Characters();

  /** Starts over with another text. */
  clear(): void {
    this.#open = [];
    this.#piece = this.#characters.held = "";
  }

  clone(): RawDeltas {
    const clone = new RawDeltas();
    clone.#open = this.#open.map((open) => ({ ...open, events: undefined }));
    clone.#characters.held = this.#characters.held;
    return clone;
  }

  /** Begins the next piece of the text in a string. */
  beginPiece(text: string, offset: number): void {
    this.#piece = text;
    this.#start = this.#offset = offset;
    this.#place = 0;
    this.#isAscii = !/[^\0-\x7f]/.test(text);
  }

  /** Begins a chunk of the document. `before` is undecided text that was not reported yet. */
  beginChunk(chunk: string | Uint8Array, offset: number, before: string): void {
    const characters = this.#characters;
    const held = characters.held.length > 0 ? characters.held : before;
    // Each half of a pair is two of its four bytes.
    const start = offset - (typeof held === "string" && held > "\x7f" ? 2 : held.length);
    const isText = typeof chunk === "string";
    this.#isOfBytes = !isText;
    this.#strays = isText && typeof held !== "string" ? held.length : 0;
    const isOther = typeof held !== typeof chunk;
    const first = !isOther ? "" : typeof held === "string" ? held : SUBSTITUTE.repeat(held.length);
    characters.held = isOther ? "" : held;
    this.beginPiece(first + characters.take(chunk), start);
  }

  /** Reads a chunk of the document: values are reported as they come, out of the chunk itself. */
  feed({ engine, half, offset, translator }: Input, chunk: string | Uint8Array, read: () => number): number {
    const { output } = engine as ReportingEngine;
    this.beginChunk(chunk, offset + 2 * half.length, translator?.undecided || half);
    let failedAt: number | undefined;
    try {
      return read();
    } catch (thrown) {
      if (thrown instanceof Fault) failedAt = thrown.offset;
      throw thrown;
    } finally {
      this.endPiece(output, failedAt, translator?.undecided);
    }
  }

  /** Starts over after a byte order mark. */
  restart(bytes: Uint8Array): void {
    this.clear();
    this.beginChunk(bytes, 0, "");
  }

  /** Ends the piece, perhaps at an offset where the text has failed. `undecided` is text at its end that is not reported yet. */
  endPiece(output: Output, failedAt?: number, undecided = ""): void {
    const { length } = this.#piece;
    const to = failedAt === undefined ? length - (this.#piece.endsWith(undecided) ? undecided.length : 0) : this.#cutAt(failedAt);
    for (const open of this.#open) {
      this.#report(open, to, output);
      open.from = 0;
    }
    this.#piece = "";
  }

  /** Begins a selected value, after its begin was reported. */
  begin(matches: readonly Match[], output: Output): void {
    if (!matches.some(({ isRaw }) => isRaw)) return;
    const from = this.#placeOf(matches[0]!.offset);
    const open = { matches, from, events: undefined, deltas: [] };
    this.#report(open, from + 1, output);
    this.#open.push(open);
  }

  /** Ends a selected value, before its end is reported. */
  end(matches: readonly Match[], offset: number, output: Output): void {
    const open = this.#open[this.#open.length - 1];
    if (open?.matches !== matches) return;
    this.#open.pop();
    this.#report(open, this.#placeOf(offset), output);
  }

  /** Reports what is new of a value up to a place. */
  #report(open: OpenRaw, to: number, { events }: Output): void {
    const piece = this.#piece.slice(open.from, to);
    if (piece === "") return;
    const text = this.#isAscii ? piece : piece.replace(LONE, SUBSTITUTE);
    if (open.events !== events) {
      open.events = events;
      open.deltas = [];
      for (const match of open.matches) {
        if (!match.isRaw) continue;
        const delta = matchEvent("delta", match, open.from === 0 ? this.#start : match.offset);
        delta.text = text;
        events.push(delta);
        open.deltas.push(delta);
      }
    } else {
      for (const delta of open.deltas) delta.text += text;
    }
    open.from = to;
  }

  /** Returns where in the piece to stop when the text has failed at an offset, which may be inside a character. */
  #cutAt(offset: number): number {
    const to = this.#placeOf(offset);
    if (to <= this.#strays) return 0;
    // A cut inside a character is at that character's beginning.
    if (this.#isAscii || offset > this.#offset) return to;
    if (!this.#isOfBytes) return to - Number(endsInHalf(this.#piece, to));
    const [strays = ""] = this.#piece.slice(Math.max(0, to - 4), to).match(/[\udc00-\udfff]{1,3}$/u) ?? [];
    return to - openTail(Uint8Array.from(strays, (unit) => unit.charCodeAt(0)));
  }

  /** Returns the unit of the piece at an offset, or the first unit of the character that the offset is in. */
  #placeOf(offset: number): number {
    if (this.#isAscii) return Math.max(0, offset - this.#start);
    while (this.#place < this.#piece.length) {
      const point = this.#piece.codePointAt(this.#place)!;
      // A byte that is not UTF-8 counts as one.
      const isHalf = point >= 0xd800 && point <= 0xdfff;
      const length = point < 0x80 || (isHalf && this.#isOfBytes) ? 1 : point < 0x800 || isHalf ? 2 : point < 0x10000 ? 3 : 4;
      if (this.#offset + length > offset) break;
      this.#offset += length;
      this.#place += point > 0xffff ? 2 : 1;
    }
    return this.#place;
  }
}
