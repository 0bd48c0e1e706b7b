// `fence:*`: decides by the text after its first line if a fence is a payload's, and finds the end of a fence that is not.
//
// A fence with a name is known by its info string. One with any is known by the first character of its content: `{` or `[`
// begins a payload, and everything else is text. That text has a closing fence, which looks like an opening one without an
// info string, and what follows it may well begin with `[`. So it is remembered that a fence of text is open; until it is
// closed, no other fence with any info string opens.
//
// Text must not hide a payload either: backticks in prose open nothing. A fence of text begins a line, or has a word for an
// info string right after the backticks; as in Markdown, there is no backtick in its info string.

import { isSpace } from "../core/units.js";

const BACKTICK = 96;

export const isBlank = (unit: number): boolean => unit === 32 || unit === 9;
const isBreak = (unit: number): boolean => unit === 10 || unit === 13;
const isBracket = (unit: number): boolean => unit === 123 || unit === 91;

/** The fences of visible text, tracked if a mark is `fence:*`. */
export class Fences {
  /** The number of backticks of the fence that is open; 0 if none is. */
  open = 0;
  /** True if more than blanks and the marks of lists and quotes is between the last text's line break and here. */
  isInsideLine = false;

  /** Tracks visible text. */
  pass(text: string): void {
    const start = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
    const isInside = /[^ \t>\-*+.)0-9]/.test(text.slice(start));
    this.isInsideLine = isInside || (start === 0 && this.isInsideLine);
  }
}

/** The result of a unit where a fence may open or close. */
export const NOTHING = -1;
export const NO_FENCE = -2;
/** A fence of text opens or closes: see {@link AnyFence.found}. */
export const TEXT_FENCE = -3;
// Any other result: the fence is a payload's, and this number of the examined units belongs to the payload.

const BACKTICKS = 0;
/** In a word of the info string. */
const WORD = 1;
/** Between words. */
const BLANK = 2;
/** After a bracket on the first line, which may begin the payload. */
const BRACKET = 3;
/** White space on the lines after the first. */
const CONTENT = 4;

export class AnyFence {
  /** How many backticks the fence of text has that opens; 0 if one closes. */
  found = 0;
  readonly #open: number;
  readonly #isInsideLine: boolean;
  #run = 0;
  #stage = BACKTICKS;
  /** How many words the info string has, of which 2 stand for more, and whether it is right after the backticks. */
  #words = 0;
  #isAttached = false;
  /** How many units were looked at after the info string. */
  #after = 0;
  /** The bracket, how many units come after it, and whether one is a line break. */
  #bracket = 0;
  #afterBracket = 0;
  #isNextLine = false;

  constructor({ open, isInsideLine }: Fences) {
    this.#open = open;
    this.#isInsideLine = isInsideLine;
  }

  step(unit: number): number {
    this.#after++;
    switch (this.#stage) {
      case BACKTICKS:
        if (unit === BACKTICK) {
          this.#run++;
          this.#after = 0;
          return NOTHING;
        }
        if (this.#run < 3 || (this.#open > 0 && (this.#open > this.#run || this.#isInsideLine))) return NO_FENCE;
        this.#isAttached = !isBlank(unit);
        return this.#info(unit);
      case BRACKET:
        if (isSpace(unit)) {
          this.#isNextLine ||= isBreak(unit);
          this.#afterBracket++;
          return NOTHING;
        }
        if (isAfterBracket(this.#bracket, unit)) return this.#after;
        // The bracket was a part of the info string.
        this.#words = 2;
        this.#after = this.#afterBracket + 1;
        return this.#isNextLine ? this.#content(unit) : this.#info(unit);
      case CONTENT:
        return this.#content(unit);
      default:
        return this.#info(unit);
    }
  }

  /** Reads a unit of the first line. */
  #info(unit: number): number {
    if (isBreak(unit)) {
      if (this.#open > 0) {
        this.found = 0;
        return TEXT_FENCE;
      }
      this.#stage = CONTENT;
    } else if (isBlank(unit)) {
      this.#stage = BLANK;
    } else if (unit === BACKTICK || this.#open > 0) {
      // A closing fence has no info string. Code between backticks is no fence.
      return NO_FENCE;
    } else if (isBracket(unit) && this.#words < 2) {
      this.#stage = BRACKET;
      this.#bracket = unit;
      this.#afterBracket = 0;
      this.#isNextLine = false;
    } else {
      if (this.#stage !== WORD) this.#words = Math.min(2, this.#words + 1);
      this.#stage = WORD;
      this.#after = 0;
    }
    return NOTHING;
  }

  /** Reads a unit of the lines after the first. */
  #content(unit: number): number {
    if (isSpace(unit)) return NOTHING;
    if (isBracket(unit)) return this.#after;
    if (this.#isInsideLine && !(this.#isAttached && this.#words === 1)) return NO_FENCE;
    this.found = this.#run;
    return TEXT_FENCE;
  }
}

/** Returns true if a unit after a bracket shows that it is JSON and no attribute of a fence, as in `{r}` and `[a.js]`. */
function isAfterBracket(bracket: number, unit: number): boolean {
  return (bracket === 123 ? '"}' : '{"[]-0123456789').includes(String.fromCharCode(unit));
}
