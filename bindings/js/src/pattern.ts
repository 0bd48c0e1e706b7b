// One pattern: RFC 9535 §2 without what a forward stream can't decide, `|` between queries, and `raw:` in front.

import { JsonSpigotError } from "./error.js";
import { isShorthand, quoted, QuoteFault, readQuoted } from "./path.js";

/** A slice, or an index, which is one of a single element. */
export interface Slice {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  /** As it was written, without white space. */
  readonly text: string;
}

/** What one segment selects: names, indices, slices, everything, or the root of the text in a string. */
export interface Step {
  /** Any number of levels may come before the one that is selected. */
  readonly isDescendant: boolean;
  readonly names: readonly string[];
  readonly slices: readonly Slice[];
  readonly isWildcard: boolean;
  readonly isInside: boolean;
  /** All that it selects, in the order in which it was written; `undefined` is a wildcard. */
  readonly selectors: readonly Selector[];
}

type Selector = string | Slice | undefined;

export interface Pattern {
  readonly steps: readonly Step[];
  /** `raw:` is in front: the deltas are of the values' JSON text. */
  readonly isRaw: boolean;
}

/** A pattern that can't be compiled. */
export class PatternError extends JsonSpigotError {
  override readonly name: string = "PatternError";
  readonly pattern: string;
  /** Its place in the list. */
  readonly index: number;
  /** Why, in lower case. */
  readonly reason: string;

  constructor(pattern: string, index: number, column: number, reason: string) {
    super("invalid-pattern", `invalid pattern ${JSON.stringify(pattern)}: ${reason} at column ${column}`, { column });
    this.pattern = pattern;
    this.index = index;
    this.reason = reason;
  }
}

/** The full spelling, which parses back to an equal pattern. */
export function spelling({ steps, isRaw }: Pattern): string {
  return `${isRaw ? RAW : ""}$${steps.map(spellingOf).join("")}`;
}

function spellingOf({ isDescendant, isInside, selectors }: Step): string {
  if (isInside) return " | $";
  const dots = isDescendant ? ".." : "";
  const [first] = selectors;
  if (selectors.length === 1) {
    if (typeof first === "string" && isShorthand(first)) return `${dots || "."}${first}`;
    if (first === undefined && isDescendant) return "..*";
  }
  const spelt = selectors.map((selector) => (typeof selector === "string" ? quoted(selector) : (selector?.text ?? "*")));
  return `${dots}[${spelt.join(",")}]`;
}

const NEGATIVE = "a negative number counts from the end, which a stream does not know yet";
const FILTER = "filters look at values that a stream has not seen yet";
const FUNCTION = "functions look at values that a stream has not seen yet";

/** RFC 9535 §2.1: integers are within the exact range of an I-JSON number. */
const isExact = (digits: string): boolean => digits.length < 17 && Number(digits) <= Number.MAX_SAFE_INTEGER;

const SPACE = /[ \t\n\r]*/y;
const NAME = /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/y;
const DIGITS = /\d*/y;

const RAW = "raw:";

const INSIDE: Step = { isDescendant: false, names: [], slices: [], isWildcard: false, isInside: true, selectors: [] };

/** @throws {PatternError} which names the place in the list, the column and the reason. */
export function parsePattern(text: string, index: number): Pattern {
  return new PatternReader(text, index).read();
}

class PatternReader {
  #at = 0;
  readonly #text: string;
  readonly #index: number;
  #steps: Step[] = [];

  constructor(text: string, index: number) {
    this.#text = text;
    this.#index = index;
  }

  read(): Pattern {
    const isRaw = this.#text.startsWith(RAW);
    if (isRaw) this.#at = RAW.length;
    if (this.#peek() === undefined) this.#fail("an empty pattern selects nothing; the root is `$`");
    this.#query();
    while (this.#eat("|")) {
      this.#steps.push(INSIDE);
      this.#take(SPACE);
      this.#query();
    }
    return { steps: this.#steps, isRaw };
  }

  #query(): void {
    const first = this.#peek();
    if (first === undefined || first === "|") this.#fail("expected a query on each side of `|`; the root is `$`");
    if (first === "$") this.#at += 1;
    else if (first !== "[" && first !== ".") this.#dotted(false);
    for (;;) {
      const before = this.#at;
      this.#take(SPACE);
      const next = this.#peek();
      if (next === "|") return;
      if (next === undefined) {
        if (before === this.#at) return;
        this.#at = before;
        this.#fail("white space after the pattern");
      }
      if (next === "[") this.#bracketed(false);
      else if (next === ".") this.#dotSegment();
      else this.#fail(next === "(" ? FUNCTION : "expected `.`, `[`, `|` or the end");
    }
  }

  #dotSegment(): void {
    this.#at += 1;
    const isDescendant = this.#eat(".");
    if (isDescendant && this.#peek() === "[") this.#bracketed(true);
    else this.#dotted(isDescendant);
  }

  /** `*` or a shorthand name. */
  #dotted(isDescendant: boolean): void {
    const name = this.#eat("*") ? undefined : this.#take(NAME);
    if (name === "") this.#fail("expected a name or `*`; other names are quoted in brackets: ['a-b']");
    this.#push(isDescendant, [name]);
  }

  #push(isDescendant: boolean, selectors: readonly Selector[]): void {
    const names = selectors.filter((selector) => typeof selector === "string");
    const slices = selectors.filter((selector) => typeof selector === "object");
    this.#steps.push({ isDescendant, names, slices, isWildcard: selectors.includes(undefined), isInside: false, selectors });
  }

  #bracketed(isDescendant: boolean): void {
    this.#at += 1;
    const selectors: Selector[] = [];
    for (;;) {
      this.#take(SPACE);
      const first = this.#peek();
      if (first === undefined) {
        this.#fail("the bracket is never closed");
      } else if (first === "*") {
        this.#at += 1;
        selectors.push(undefined);
      } else if (first === "'" || first === '"') {
        selectors.push(this.#quoted());
      } else if (/[\d:-]/.test(first)) {
        selectors.push(this.#slice());
      } else if (first === "?") {
        this.#fail(FILTER);
      } else {
        this.#fail(first === "(" || first === "@" ? FUNCTION : "expected a quoted name, an index, a slice or `*`");
      }
      this.#take(SPACE);
      if (this.#eat("]")) break;
      if (!this.#eat(",")) this.#fail("expected `,` or `]`");
    }
    this.#push(isDescendant, selectors);
  }

  #slice(): Slice {
    const start = this.#integer();
    const afterStart = this.#at;
    this.#take(SPACE);
    if (!this.#eat(":")) {
      this.#at = afterStart;
      const index = Number(start);
      return { start: index, end: index + 1, step: 1, text: start };
    }
    this.#take(SPACE);
    const end = this.#integer();
    let endOfSlice = this.#at;
    let step = "";
    let hasStep = false;
    this.#take(SPACE);
    if (this.#eat(":")) {
      endOfSlice = this.#at;
      this.#take(SPACE);
      step = this.#integer();
      hasStep = step !== "";
      if (hasStep) endOfSlice = this.#at;
    }
    this.#at = endOfSlice;
    const text = `${start}:${end}${hasStep ? `:${step}` : ""}`;
    return { start: Number(start), end: end === "" ? Infinity : Number(end), step: hasStep ? Number(step) : 1, text };
  }

  /** The digits of an integer, if one begins here. */
  #integer(): string {
    if (this.#peek() === "-") this.#fail(NEGATIVE);
    const from = this.#at;
    const digits = this.#take(DIGITS);
    const isPadded = digits.length > 1 && digits[0] === "0";
    if (isPadded || !isExact(digits)) {
      this.#at = from;
      this.#fail(isPadded ? "a number has no leading zero" : "a number is at most 2^53 - 1");
    }
    return digits;
  }

  #quoted(): string {
    try {
      const { name, end } = readQuoted(this.#text, this.#at);
      this.#at = end;
      return name;
    } catch (thrown) {
      if (!(thrown instanceof QuoteFault)) throw thrown;
      this.#at = thrown.at;
      this.#fail(thrown.reason);
    }
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #eat(wanted: string): boolean {
    if (this.#text[this.#at] !== wanted) return false;
    this.#at += 1;
    return true;
  }

  #take(token: RegExp): string {
    token.lastIndex = this.#at;
    const taken = token.exec(this.#text)?.[0] ?? "";
    this.#at += taken.length;
    return taken;
  }

  #fail(reason: string): never {
    // A column counts characters.
    const column = [...this.#text.slice(0, this.#at)].length + 1;
    throw new PatternError(this.#text, this.#index, column, reason);
  }
}
