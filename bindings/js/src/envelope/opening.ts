// The search for an opening delimiter: the states between its first unit and the unit that decides. The text that is undecided
// is held by the envelope, and given back if this says so.
//
// - *Named delimiters* that begin with the same unit are followed together, as *rivals*, one small state machine each. Each
//   unit drops the rivals that it does not fit. The first rival that is complete wins. Without a rival, it was text.
// - *A bare payload* can only be told from prose by reading it as JSON: `[1]` may be a citation, and `{` may be a brace. So a
//   parser reads along, and the payload is certain as soon as something was read that prose hardly has: the value of a
//   member, or a comma or bracket after an element.
//
// A delimiter is often certain only some units after its end: `<!--context {` opens at the `{`, which is the payload's. When
// an opening turns out to be text, only a part of what is held is given back, since another opening may begin inside the
// rest: in `<<think>` the second `<` opens. A run of backticks or of brackets is given back at once, so that a long run is
// not searched again from each of its units; but not further than where a given text that begins with a bracket may open.

import { Fault } from "../core/text-error.js";
import { selectingText } from "../core/selecting-text.js";
import type { Text } from "../core/text.js";
import { endsInHalf, utf8Length, within } from "../core/utf8.js";
import { AnyFence, isBlank, NO_FENCE, NOTHING, TEXT_FENCE, type Fences } from "./any-fence.js";
import { backticks } from "./closing.js";
import { isBare, type Delimiter } from "./delimiter.js";
import { isSpace } from "../core/units.js";

/** The decision about an opening. */
export type Opened =
  /** It is this delimiter, of this length; what was looked at after it is payload. */
  | { readonly delimiter: Delimiter; readonly length: number }
  /** It is text, of this length; what was looked at after it may be a delimiter again. */
  | { readonly delimiter?: undefined; readonly length: number }
  /** It is not decided. */
  | undefined;

// How much of a named delimiter has been read.
/** In the text before the name. */
const FRONT = 0;
/** The white space before the name. */
const SPACE = 1;
/** In the name. */
const NAME = 2;
/** After the name: in a comment's `-->`, or in the blanks after a fence's name. */
const EDGE = 3;
/** In the text that leads to a JSON object. It ends with this number of units of the mark again. */
const LEAD = 4;

/** The number of units that are examined first. */
const SHORT = 16;

const MORE = -1;
const NO = -2;

class Rival {
  readonly place: number;
  readonly delimiter: Delimiter;
  readonly fence: AnyFence | undefined;
  #stage = FRONT;
  #read = 0;

  constructor(place: number, delimiter: Delimiter, fences: Fences) {
    this.place = place;
    this.delimiter = delimiter;
    this.fence = delimiter.shape === "any-fence" ? new AnyFence(fences) : undefined;
  }

  /** Reads a unit. Returns `MORE`, `NO`, or if the delimiter is complete the number of examined units after it. */
  step(unit: number): number {
    if (this.fence !== undefined) {
      const shown = this.fence.step(unit);
      return shown === NOTHING ? MORE : shown === NO_FENCE ? NO : shown;
    }
    const read = this.#read;
    switch (this.delimiter.shape) {
      case "comment":
        if (this.#stage === FRONT) return this.#follow("<!--", unit, SPACE);
        if (this.#stage === SPACE && isSpace(unit)) return MORE;
        if (this.#stage === EDGE) {
          if (read === 0 && (isSpace(unit) || unit === 123 || unit === 91)) return 1;
          if (read === 2) return unit === 62 ? 3 : NO;
          return unit === 45 ? this.#to(EDGE, read + 1) : NO;
        }
        break;
      case "fence":
        if (this.#stage === FRONT) {
          if (unit === 96) return this.#to(FRONT, read + 1);
          if (read < 3) return NO;
          if (isBlank(unit)) return this.#to(SPACE, 0);
          this.#to(NAME, 0);
        }
        if (this.#stage === SPACE && isBlank(unit)) return MORE;
        if (this.#stage === EDGE) {
          if (isBlank(unit)) return this.#to(EDGE, read + 1);
          return unit === 10 || unit === 13 || unit === 123 || unit === 91 ? read + 1 : NO;
        }
        break;
      case "between": {
        const { name, content } = this.delimiter;
        if (this.#stage === LEAD) return unit === 123 ? 1 : this.#lead(name, unit);
        if (name.charCodeAt(read) !== unit) return NO;
        if (read + 1 < name.length) return this.#to(FRONT, read + 1);
        return content === "led" ? this.#to(LEAD, 0) : 0;
      }
      default:
        if (this.#stage === FRONT) return this.#to(NAME, 0);
        if (this.#stage === EDGE) return unit === 62 ? 0 : NO;
    }
    if (this.#stage === SPACE) this.#to(NAME, 0);
    return this.#follow(this.delimiter.name, unit, EDGE);
  }

  /** Reads a unit of a fixed text. */
  #follow(text: string, unit: number, after: number): number {
    if (text.charCodeAt(this.#read) !== unit) return NO;
    return this.#read + 1 === text.length ? this.#to(after, 0) : this.#to(this.#stage, this.#read + 1);
  }

  /** Reads a unit of the text that leads to a JSON object. Returns `NO` if the mark is repeated, which begins another payload. */
  #lead(name: string, unit: number): number {
    const end = name.slice(0, this.#read) + String.fromCharCode(unit);
    let from = 0;
    while (!name.startsWith(end.slice(from))) from++;
    return end.length - from === name.length ? NO : this.#to(LEAD, end.length - from);
  }

  #to(stage: number, read: number): number {
    this.#stage = stage;
    this.#read = read;
    return MORE;
  }
}

/** The bare payload that may have begun, recognized by the events of its children. */
class Bare {
  readonly #text: Text = selectingText({ retain: "nothing" }, "$..*");
  /** The offset after the first element, if that has ended. */
  #elementEnd: number | undefined;

  reset(): void {
    this.#text.reset();
    this.#elementEnd = undefined;
  }

  /** Returns true if it is certainly a payload so far; or where the JSON broke before that. */
  advance(piece: string): boolean | number {
    const { engine, output } = this.#text;
    const start = engine.base;
    output.events = [];
    let fault: Fault | undefined;
    try {
      engine.feed(piece);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      fault = thrown;
    }
    let hasMember = false;
    for (const event of output.events) {
      if (event.kind === "begin") hasMember ||= !/\[\d+\]$/.test(event.path);
      if (event.kind === "end") this.#elementEnd ??= event.offset;
    }
    // In `[2 of them]` an element has ended, but what follows it shows that it is not JSON.
    const accepted = fault === undefined ? piece : piece.slice(0, fault.at);
    const end = this.#elementEnd;
    const hasElement = end !== undefined && /[^ \t\n\r]/.test(accepted.slice(within(accepted, Math.max(0, end - start))));
    if (hasMember || hasElement) return true;
    if (fault === undefined) return this.#text.hasRootEnded;
    // More text follows a complete value.
    return fault.kind === "trailing-bytes" ? true : fault.at;
  }
}

export class Opening {
  readonly #delimiters: readonly Delimiter[];
  readonly #bare: Bare | undefined;
  /** The largest number of bytes that are looked at. */
  readonly #limit: number;
  /** The named delimiters that it may still be. */
  #rivals: Rival[] = [];
  /** The place of the bare delimiter, if it may still be that. */
  #barePlace = -1;
  /** How many units, and bytes, have been looked at. */
  #looked = 0;
  #lookedBytes = 0;
  /** The last unit at which a delimiter was no longer possible. */
  #failedAt = 0;
  /** How many backticks the fence of text has that what was looked at opens; 0 if it closes one, undefined for neither. */
  #fence: number | undefined;

  constructor(delimiters: readonly Delimiter[], limit: number) {
    this.#delimiters = delimiters;
    this.#limit = limit;
    this.#bare = delimiters.some(isBare) ? new Bare() : undefined;
  }

  /** Begins at a unit with which a delimiter may begin. */
  begin(fences: Fences, first: string): void {
    this.#looked = this.#lookedBytes = this.#failedAt = 0;
    this.#fence = undefined;
    this.#rivals = [];
    this.#barePlace = -1;
    this.#delimiters.forEach((delimiter, place) => {
      if (!firstUnits(delimiter).includes(first)) return;
      if (!isBare(delimiter)) this.#rivals.push(new Rival(place, delimiter, fences));
      else if (this.#barePlace < 0) this.#barePlace = place;
    });
    if (this.#barePlace >= 0) this.#bare!.reset();
  }

  /** Continues with the input. `held` is the text that was examined before it. */
  advance(held: string, input: string): Opened {
    let window = SHORT;
    for (let at = 0; at < input.length; window *= 2) {
      // Characters are looked at one by one where both kinds are followed. Most openings are decided soon.
      const areBoth = this.#barePlace >= 0 && this.#rivals.length > 0;
      let to = at + (areBoth ? 1 : window);
      if (endsInHalf(input, to)) to++;
      let piece = input.slice(at, to);
      piece = piece.slice(0, within(piece, this.#limit - this.#lookedBytes));
      if (piece === "") {
        // The first bytes of a character that the limit cuts show that a fence is one of text.
        if (this.#lookedBytes < this.#limit) this.#advanceRivals(input[at]!);
        return { length: this.#resume(held, input, this.#looked) };
      }
      const opened = this.#advance(piece);
      if (opened !== undefined) return opened;
      if (this.#barePlace < 0 && this.#rivals.length === 0) return { length: this.#resume(held, input, this.#failedAt) };
      this.#looked += piece.length;
      this.#lookedBytes += utf8Length(piece);
      at += piece.length;
    }
    return undefined;
  }

  /** Returns the delimiter that is certain after a piece of the text. */
  #advance(piece: string): Opened {
    let bare = -1;
    if (this.#barePlace >= 0) {
      const isCertain = this.#bare!.advance(piece);
      if (isCertain === true) bare = this.#barePlace;
      if (typeof isCertain === "number") {
        this.#barePlace = -1;
        this.#failedAt = Math.max(this.#failedAt, this.#looked + isCertain);
      }
    }
    const named = this.#advanceRivals(piece);
    // If two delimiters open at once, the first one declared wins.
    if (named !== undefined && !(bare >= 0 && bare < named.place)) return { delimiter: named.delimiter, length: named.length };
    return bare >= 0 ? { delimiter: this.#delimiters[bare]!, length: 0 } : undefined;
  }

  #advanceRivals(piece: string): { readonly place: number; readonly delimiter: Delimiter; readonly length: number } | undefined {
    for (let at = 0; at < piece.length && this.#rivals.length > 0; at++) {
      const unit = piece.charCodeAt(at);
      let opened: { place: number; delimiter: Delimiter; length: number } | undefined;
      this.#rivals = this.#rivals.filter((rival) => {
        const step = rival.step(unit);
        if (step === MORE) return true;
        if (step === TEXT_FENCE) this.#fence = rival.fence!.found;
        if (step >= 0) opened ??= { place: rival.place, delimiter: rival.delimiter, length: this.#looked + at + 1 - step };
        return false;
      });
      if (opened !== undefined) return opened;
      if (this.#rivals.length === 0) this.#failedAt = Math.max(this.#failedAt, this.#looked + at);
    }
    return undefined;
  }

  /** Returns the fence of text that a false opening opens or closes. */
  takeFence(): number | undefined {
    const fence = this.#fence;
    this.#fence = undefined;
    return fence;
  }

  /** Returns how much of the held text is certainly text, at the end of input. */
  giveUp(held: string): number {
    return this.#resume(held, "", held.length);
  }

  /** Returns the length of the part of a false opening that is certainly text, if it failed at this unit. */
  #resume(held: string, input: string, failedAt: number): number {
    const text = held + input.slice(0, Math.max(0, failedAt - held.length) + 2);
    const first = text[0];
    if (first === "`") return Math.max(1, Math.min(backticks(text, 0), failedAt));
    if (first !== "{" && first !== "[") return (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
    let run = 0;
    while (run < failedAt && run < text.length && /[{[ \t\n\r]/.test(text[run]!)) {
      if (run > 0 && this.#mayOpen(text, run, failedAt)) return run;
      run++;
    }
    return Math.max(1, run);
  }

  /** Returns true if a text of a `between` mark may open here. */
  #mayOpen(text: string, from: number, to: number): boolean {
    return this.#delimiters.some(({ shape, name }) => {
      if (shape !== "between") return false;
      const length = Math.min(name.length, to - from, text.length - from);
      return name.startsWith(text.slice(from, from + length));
    });
  }
}

/** Returns the units with which a delimiter may begin. */
export function firstUnits({ shape, name }: Delimiter): string {
  switch (shape) {
    case "between":
      return name[0]!;
    case "comment":
    case "tag":
      return "<";
    case "fence":
    case "any-fence":
      return "`";
    case "bare":
      return "{[";
    default:
      return "{";
  }
}
