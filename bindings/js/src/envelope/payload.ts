// A payload that is open: fed to the parser as it arrives, until its closing delimiter; and what it came to.
//
// A payload goes through the phases: white space before the value, the value, white space after it, and the closing
// delimiter. Plain text is raw from its first unit. A payload that is not JSON is lost. Two questions have to be kept apart:
//
// - *Where does the payload end?* While the JSON is intact, a closing delimiter inside one of its strings is part of the
//   string. So the delimiter is not searched inside the value: {@link Extent} counts quotes and brackets, and only after the
//   value's end does {@link Closing} begin to search. From the first bad byte on, quotes can't be trusted any more, so the
//   next closing delimiter ends the payload, wherever it is. If no text closes the payload, the brackets always decide.
// - *Is it valid?* The parser decides, and the verdict turns its error into the status.
//
// The trap is a unit that could belong to both. In `{"a":-->` the `-` was read as a number's; when the next one stops the
// JSON, it turns out that both belong to the closing delimiter, and the first one is taken back. A parser that accepts
// deviations knows better where the value ends than the extent, which does not know of comments and single quotes.

import { TextError } from "../core/text-error.js";
import { mayEnd, NUMBER } from "../core/states.js";
import { payloadOf, type Verdict } from "../calls/payload/outcome.js";
import type { Text } from "../core/text.js";
import { encodeAt, endsInHalf, utf8Length, within } from "../core/utf8.js";
import type { Closing } from "./closing.js";
import { closesItself, type Delimiter } from "./delimiter.js";
import { isSpace } from "../core/units.js";
import type { EnvelopeEvent } from "./event.js";
import { Extent } from "./extent.js";

const BEFORE = 0;
const VALUE = 1;
const AFTER = 2;
/** Something that is not JSON, or too much of it: only the closing delimiter can end it. */
const LOST = 3;
const RAW = 4;

/** Half of what a parser is given first that knows better than the extent where the value ends. */
const SHORT = 128;

/** A payload that has ended. */
export interface Ended {
  /** How much of the input belonged to it. */
  readonly used: number;
  /** Bytes of all of it, closing delimiter included. */
  readonly length: number;
  /** Held text that turned out not to be the closing delimiter. It is read again, before the unused input. */
  readonly givenBack: string;
}

/** Reads payloads, one at a time. */
export class OpenPayload {
  readonly #text: Text;
  readonly #accepts: boolean;
  readonly #limit: number;
  readonly #report: (event: EnvelopeEvent) => void;
  #delimiter!: Delimiter;
  #closing!: Closing;
  #phase = BEFORE;
  #extent = new Extent();
  /** The text after the opening delimiter, as far as the limit allows, and its bytes. */
  #raw = "";
  #rawLength = 0;
  /** Bytes of all of it. */
  #length = 0;
  #error: TextError | undefined;
  /** How much it was given. What follows the value may be many payloads, each of which would look at all of it. */
  #most!: number;

  constructor(text: Text, accepts: boolean, limit: number, report: (event: EnvelopeEvent) => void) {
    this.#text = text;
    this.#accepts = accepts;
    this.#limit = limit;
    this.#report = report;
  }

  /** Begins a payload after its delimiter. */
  begin(delimiter: Delimiter, closing: Closing): void {
    this.#delimiter = delimiter;
    this.#closing = closing;
    this.#phase = delimiter.content === "raw" ? RAW : BEFORE;
    this.#extent = new Extent();
    this.#text.reset();
    this.#raw = "";
    this.#rawLength = this.#length = 0;
    this.#error = undefined;
    this.#most = SHORT;
  }

  /** Continues with the input. Returns the end of the payload, if it has ended. */
  feed(input: string): Ended | undefined {
    let used = 0;
    while (used < input.length) {
      const rest = input.slice(used);
      if (this.#phase === VALUE) {
        used += this.#value(rest);
        if (closesItself(this.#delimiter) && this.#extent.hasEnded) return this.#end(true, used, "");
        continue;
      }
      const found = this.#closing.next(rest.slice(0, this.#near(rest)));
      switch (found.kind) {
        case "content": {
          const belonging = this.#belonging(rest.slice(0, found.length));
          used += this.#content(rest.slice(0, belonging));
          // A payload that no text closes ends with an error before its first bracket.
          const isLost = this.#phase === LOST && closesItself(this.#delimiter);
          if ((belonging < found.length && this.#error === undefined) || isLost) return this.#end(true, used, "");
          break;
        }
        case "released": {
          // After the value it is no white space, so nothing of it belongs to what is between two texts.
          if (this.#phase === AFTER && this.#delimiter.shape === "between") {
            return { ...this.#end(true, used, ""), givenBack: found.text + this.#closing.takeHeld() };
          }
          const givenBack = this.#released(found.text);
          if (givenBack !== undefined) return { used, length: this.#length, givenBack };
          break;
        }
        case "held":
          return undefined;
        default:
          return this.#end(true, used + found.length, found.close);
      }
    }
    return undefined;
  }

  /** Returns how much is searched. Around the value between two texts, the closing text is next or missing. */
  #near(rest: string): number {
    const { shape, close } = this.#delimiter;
    if (shape !== "between" || this.#phase > AFTER) return rest.length;
    return spaces(rest) + Math.max(1, close.length);
  }

  /**
   * Returns how many units without a closing delimiter belong to the payload. A payload between two texts ends with its JSON,
   * and is empty if no text closes it and no bracket begins it.
   */
  #belonging(piece: string): number {
    const isBefore = this.#phase === BEFORE && closesItself(this.#delimiter);
    if (!isBefore && !(this.#phase === AFTER && this.#delimiter.shape === "between")) return piece.length;
    const space = spaces(piece);
    return isBefore && (piece[space] === "{" || piece[space] === "[") ? piece.length : space;
  }

  /** Ends the payload at the end of input. */
  finish(): void {
    const { isWhole } = this.#closing;
    this.#end(isWhole, 0, this.#closing.takeHeld());
  }

  /** Reads the next part of the value. Returns how much of it was read. */
  #value(rest: string): number {
    const before = this.#extent.clone();
    const hasDelimiter = !closesItself(this.#delimiter);
    const isParsers = this.#accepts && hasDelimiter;
    const most = (this.#most *= 2);
    const length = isParsers ? Math.min(most + Number(endsInHalf(rest, most)), rest.length) : this.#extent.advance(rest);
    const piece = rest.slice(0, length);
    if (this.#error !== undefined) {
      this.#keep(piece);
      return length;
    }
    const used = this.#parse(piece, isParsers);
    const isStrict = this.#text.isStrict;
    if (this.#error === undefined) {
      if (isParsers) {
        this.#extent.advance(piece.slice(0, used));
        if (!isStrict) this.#extent.lose();
      }
      if (isParsers ? used < length || this.#text.hasRootEnded : this.#extent.hasEnded) {
        this.#phase = AFTER;
        this.#extent.end();
      }
      return used;
    }
    if (!hasDelimiter) {
      // Its brackets end it, JSON or not.
      this.#keep(piece.slice(used));
      return length;
    }
    this.#phase = LOST;
    before.advance(piece.slice(0, used));
    if ((isParsers && !isStrict) || !before.isInString) this.#unreadBeginning(rest[used]);
    return used;
  }

  /** Takes back the first `-` of `{"a":-->`, which was read as a number's, and belongs to the closing delimiter. */
  #unreadBeginning(unit: string | undefined): void {
    const last = this.#raw.slice(-1);
    if (unit === undefined || !this.#closing.beginsWith(last + unit)) return;
    this.#raw = this.#raw.slice(0, -1);
    const length = utf8Length(last);
    this.#rawLength -= length;
    this.#length -= length;
    this.#closing.hold(last);
  }

  /** Reads text outside the value that is not the closing delimiter. Returns how much of it was read. */
  #content(piece: string): number {
    switch (this.#phase) {
      case BEFORE: {
        const space = spaces(piece);
        const used = this.#parse(piece.slice(0, space), false);
        if (this.#error !== undefined) this.#phase = LOST;
        else if (space < piece.length) this.#beginValue(piece[space]!);
        return used;
      }
      case AFTER: {
        const used = this.#parse(piece, false);
        if (this.#error !== undefined) this.#phase = LOST;
        return used;
      }
      case RAW:
        this.#keep(piece);
        if (this.#length > this.#limit) this.#error ??= this.#errorOfLimit();
        this.#report({ kind: "fragment", mark: this.#delimiter.mark, text: piece });
        return piece.length;
      default:
        this.#keep(piece);
        return piece.length;
    }
  }

  /** Begins the value with its first unit that is not white space. */
  #beginValue(first: string): void {
    if (this.#delimiter.content !== "by-first" || first === "{") {
      this.#phase = VALUE;
      return;
    }
    this.#phase = RAW;
    if (this.#raw !== "") this.#report({ kind: "fragment", mark: this.#delimiter.mark, text: this.#raw });
  }

  /**
   * Reads text that was held as a possible closing delimiter. Returns the part of it after the payload, if the payload has
   * ended.
   */
  #released(text: string): string | undefined {
    if (this.#phase === BEFORE) {
      // A value begins with it, so all that is held is read again.
      const all = text + this.#closing.takeHeld();
      this.#beginValue(all[0]!);
      // The beginning of a closing delimiter does not contain one, but may contain a value and what is not next to it.
      const ended = this.feed(all);
      return ended && all.slice(ended.used);
    }
    const used = this.#content(text);
    this.#keep(text.slice(used));
    return undefined;
  }

  /**
   * Feeds the parser, up to the end of the value if `endsValue`, and keeps the text that it read. Returns the length of that.
   * Records the error that stopped the parser.
   */
  #parse(piece: string, endsValue: boolean): number {
    const room = this.#limit - this.#length;
    const head = piece.slice(0, within(piece, room));
    const taken = this.#feedParser(head, endsValue);
    const hasMore = head.length < piece.length;
    let hasRoom = !hasMore || taken < head.length;
    if (hasMore && !hasRoom && this.#text.stoppedBy === undefined) {
      // The first bytes of the character that the limit cuts are within it, and may be wrong or end the value.
      const cut = encodeAt(piece, taken).subarray(0, room - utf8Length(head));
      hasRoom = cut.length > 0 && ((endsValue && this.#text.hasRootEnded) || this.#feedParser(cut, endsValue) < cut.length);
    }
    const { stoppedBy } = this.#text;
    // The error may be a deviation in an earlier piece; what stopped the parser is in this one. Its offsets and the length
    // both count from the opening delimiter.
    const used = stoppedBy === undefined ? taken : Math.min(head.length, within(head, Math.max(0, stoppedBy.offset - this.#length)));
    this.#keep(piece.slice(0, used));
    if (stoppedBy !== undefined) {
      this.#error = this.#text.error;
    } else if (!hasRoom) {
      if (endsValue && this.#endsBefore(piece[used]!)) {
        // The unit that ends a number is only read for the parser's own limit.
        this.#feedParser(piece.slice(used, used + 1), true);
        if (this.#text.stoppedBy !== undefined) this.#error = this.#text.error;
      } else {
        const error = this.#text.error ?? this.#errorOfLimit();
        this.#text.fail(error);
        this.#error = error;
      }
    }
    return used;
  }

  /** Returns how much of a piece the parser took. */
  #feedParser(piece: string | Uint8Array, endsValue: boolean): number {
    const text = this.#text;
    text.output.events = [];
    let taken = piece.length;
    if (endsValue && piece.length > 0 && text.isOpen) taken = text.readRoot(piece);
    else if (text.isOpen) text.read(piece);
    this.#reportMatches();
    return taken;
  }

  #reportMatches(): void {
    const { mark } = this.#delimiter;
    for (const event of this.#text.output.events) this.#report(Object.assign(event, { mark }));
  }

  /** Returns true if the value, which ends for its parser, has ended before a text that is no part of it. */
  #endsBefore(rest: string): boolean {
    if (this.#text.hasRootEnded) return true;
    return this.#isInRootNumber && mayEnd(this.#text.engine.part) && !/[\d.eE]/.test(rest);
  }

  get #isInRootNumber(): boolean {
    const { state, depth } = this.#text.engine;
    return state === NUMBER && depth === 0;
  }

  /** Appends as much to the raw text as the limit allows. */
  #keep(piece: string): void {
    const length = utf8Length(piece);
    if (this.#rawLength === this.#length) {
      const kept = piece.slice(0, within(piece, this.#limit - this.#length));
      this.#raw += kept;
      this.#rawLength += kept.length === piece.length ? length : utf8Length(kept);
    }
    this.#length += length;
  }

  #errorOfLimit(): TextError {
    return this.#errorHere("total-limit", "expected no longer payload than allowed");
  }

  /** Returns an error after the kept text. */
  #errorHere(kind: string, expected: string): TextError {
    const raw = this.#raw;
    const line = raw.split("\n").length;
    const column = utf8Length(raw.slice(raw.lastIndexOf("\n") + 1)) + 1;
    // Nothing but a number at the root is known to be open in front of the root or instead of it.
    const isAtRoot = this.#phase === BEFORE || this.#phase === RAW || this.#isInRootNumber;
    return new TextError(kind, expected, { offset: this.#rawLength, line, column, path: isAtRoot ? "$" : null });
  }

  /** Reports the verdict. */
  #end(isClosed: boolean, used: number, close: string): Ended {
    const verdict = this.#verdict(isClosed);
    const payload = payloadOf(verdict, this.#raw, this.#text, this.#error);
    const length = this.#length;
    this.#report({ kind: "payload", mark: this.#delimiter.mark, close, length, ...payload });
    return { used, length: length + utf8Length(close), givenBack: "" };
  }

  #verdict(isClosed: boolean): Verdict {
    if (this.#error === undefined) {
      if (isClosed && this.#phase === BEFORE) return { status: "empty" };
      if (isClosed && this.#phase === RAW) return { status: "raw" };
      if (this.#phase === VALUE && this.#isInRootNumber) {
        this.#error = this.#errorHere("incomplete", "expected more digits or a closing delimiter");
      } else if (this.#phase === VALUE || this.#phase === AFTER) {
        this.#text.output.events = [];
        this.#error = this.#text.end();
        this.#reportMatches();
        const isStrict = this.#text.isStrict;
        if (this.#error === undefined) return { status: isStrict ? "complete" : "accepted" };
      } else {
        this.#error = this.#errorHere("incomplete", "expected a closing delimiter");
      }
    }
    switch (this.#error.kind) {
      case "incomplete":
        return { status: "truncated", reason: "end-of-input" };
      case "total-limit":
        return { status: "truncated", reason: "limit" };
      case "trailing-bytes":
        return { status: "trailing" };
      default:
        return { status: "malformed" };
    }
  }
}

/** Returns the length of the white space at a text's beginning. */
function spaces(text: string): number {
  let at = 0;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}
