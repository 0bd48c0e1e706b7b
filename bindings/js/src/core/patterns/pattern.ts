// One pattern: RFC 9535 §2 without what a forward stream can't decide, `|` between queries, and `raw:` in front.

import { JsonSpigotError } from "../error.js";
import { INSIDE, normalized, pointer, type Segment } from "./path.js";

/** A slice, or an index, which is one of a single element. */
export interface Slice {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isIndex: boolean;
}

/** The selection of one segment: names, indices, slices, everything, or the root of the text in a string. */
export interface Step {
  /** True for `..`: the selected level may be at any depth. */
  readonly isDescendant: boolean;
  readonly isInside: boolean;
  readonly selectors: readonly Selector[];
}

/** A name, a slice, or a wildcard. */
export type Selector = string | Slice | undefined;

export interface Pattern {
  /** As it was written. */
  readonly text: string;
  readonly steps: readonly Step[];
  /** `raw:` is in front: the deltas are of the values' JSON text. */
  readonly isRaw: boolean;
}

/** A pattern that can't be compiled. */
export class PatternError extends JsonSpigotError {
  override readonly name: string = "PatternError";

  constructor(
    readonly pattern: string,
    /** Its place in the list. */
    readonly index: number,
    column: number,
    /** Why, in lower case. */
    readonly reason: string,
  ) {
    super("invalid-pattern", `invalid pattern ${JSON.stringify(pattern)}: ${reason} at column ${column}`, { column });
  }
}

const NEGATIVE = "a negative number counts from the end, which a stream does not know yet";
const FILTER = "filters look at values that a stream has not seen yet";
const FUNCTION = "functions look at values that a stream has not seen yet";
const UNCLOSED = "the quote is never closed";

/** RFC 9535 §2.1: integers are within the exact range of an I-JSON number. */
const isExact = (digits: string): boolean => digits.length < 17 && Number(digits) <= Number.MAX_SAFE_INTEGER;

const SPACE = /[ \t\n\r]*/y;
const NAME = /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/y;
const DIGITS = /\d*/y;
/** What may follow a backslash: a letter, a unit, or both units of a pair. */
const ESCAPE = /[bfnrt/\\]|u(?:[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(?![dD][89a-fA-F])[\da-fA-F]{4})/y;

const RAW = "raw:";

const INSIDE_STEP: Step = { isDescendant: false, isInside: true, selectors: [] };

/** @throws {PatternError} which names the place in the list, the column and the reason. */
export function parsePattern(text: string, index: number): Pattern {
  const steps: Step[] = [];
  let at = 0;

  const fail = (reason: string): never => {
    // A column counts characters.
    const column = [...text.slice(0, at)].length + 1;
    throw new PatternError(text, index, column, reason);
  };
  const take = (token: RegExp): string => {
    token.lastIndex = at;
    const taken = token.exec(text)?.[0] ?? "";
    at += taken.length;
    return taken;
  };
  const eat = (wanted: string): boolean => {
    const isNext = text[at] === wanted;
    if (isNext) at += 1;
    return isNext;
  };
  const push = (isDescendant: boolean, selectors: readonly Selector[]): void => {
    steps.push({ isDescendant, isInside: false, selectors });
  };

  /** Parses `*` or a shorthand name. */
  const dotted = (isDescendant: boolean): void => {
    const name = eat("*") ? undefined : take(NAME);
    if (name === "") fail("expected a name or `*`; other names are quoted in brackets: ['a-b']");
    push(isDescendant, [name]);
  };

  /** Parses the escape after a backslash: RFC 9535 §2.3.1.1. */
  const escaped = (quote: string): string => {
    if (eat(quote)) return quote;
    const escape = take(ESCAPE);
    if (escape !== "") return JSON.parse(`"\\${escape}"`) as string;
    if (text[at] !== "u") return fail(at < text.length ? "no such escape" : UNCLOSED);
    if (/^u[\da-fA-F]{4}/.test(text.slice(at))) return fail("half of a surrogate pair");
    at += 1;
    return fail("expected four hexadecimal digits");
  };

  const quotedName = (): string => {
    const quote = text[at++]!;
    let name = "";
    for (;;) {
      const here = text[at] ?? fail(UNCLOSED);
      if (here < " ") fail("control characters must be escaped");
      at += 1;
      if (here === quote) return name;
      name += here === "\\" ? escaped(quote) : here;
    }
  };

  /** Parses an integer, if one begins here, and the white space around it. */
  const integer = (): string => {
    take(SPACE);
    if (text[at] === "-") fail(NEGATIVE);
    const from = at;
    const digits = take(DIGITS);
    const isPadded = digits.length > 1 && digits[0] === "0";
    if (isPadded || !isExact(digits)) {
      at = from;
      fail(isPadded ? "a number has no leading zero" : "a number is at most 2^53 - 1");
    }
    take(SPACE);
    return digits;
  };

  const slice = (): Slice => {
    const start = integer();
    if (!eat(":")) return { start: Number(start), end: Number(start) + 1, step: 1, isIndex: true };
    const end = integer();
    const step = eat(":") ? integer() : "";
    return { start: Number(start), end: end === "" ? Infinity : Number(end), step: Number(step || 1), isIndex: false };
  };

  const bracketed = (isDescendant: boolean): void => {
    const selectors: Selector[] = [];
    do {
      take(SPACE);
      const first = text[at];
      if (first === undefined) fail("the bracket is never closed");
      else if (eat("*")) selectors.push(undefined);
      else if (first === "'" || first === '"') selectors.push(quotedName());
      else if (/[\d:-]/.test(first)) selectors.push(slice());
      else if (first === "?") fail(FILTER);
      else fail(first === "(" || first === "@" ? FUNCTION : "expected a quoted name, an index, a slice or `*`");
      take(SPACE);
    } while (eat(","));
    if (!eat("]")) fail("expected `,` or `]`");
    push(isDescendant, selectors);
  };

  /** Parses one query, up to a pipe or the end. */
  const query = (): void => {
    const first = text[at];
    if (first === undefined || first === "|") fail("expected a query on each side of `|`; the root is `$`");
    if (!eat("$") && first !== "[" && first !== ".") dotted(false);
    for (;;) {
      const before = at;
      take(SPACE);
      const next = text[at];
      if (next === "|") return;
      if (next === undefined) {
        if (before === at) return;
        at = before;
        fail("white space after the pattern");
      }
      if (eat("[")) {
        bracketed(false);
      } else if (eat(".")) {
        const isDescendant = eat(".");
        if (isDescendant && eat("[")) bracketed(true);
        else dotted(isDescendant);
      } else {
        fail(next === "(" ? FUNCTION : "expected `.`, `[`, `|` or the end; other names are quoted in brackets: ['a-b']");
      }
    }
  };

  const isRaw = text.startsWith(RAW);
  if (isRaw) at = RAW.length;
  if (at === text.length) fail("an empty pattern selects nothing; the root is `$`");
  query();
  while (eat("|")) {
    steps.push(INSIDE_STEP);
    take(SPACE);
    query();
  }
  return { text, steps, isRaw };
}

/** Runs of white space, pipes with that around them, and the names in which there may be any. */
const SPACED = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[ \t\n\r]+(?:\|[ \t\n\r]*)?|\|[ \t\n\r]*/g;

/** Parses a concrete path: a pattern of single names and indices. Returns `undefined` for any other text. */
export function segmentsOf(path: string): Segment[] | undefined {
  let pattern: Pattern;
  try {
    pattern = parsePattern(path, 0);
  } catch {
    return undefined;
  }
  const segments = pattern.steps.map(({ isInside, isDescendant, selectors: [selector, ...others] }) => {
    if (isInside) return INSIDE;
    if (isDescendant || others.length > 0) return undefined;
    return typeof selector === "object" ? (selector.isIndex ? selector.start : undefined) : selector;
  });
  const isConcrete =
    !pattern.isRaw && !segments.includes(undefined) && !(path.match(SPACED) ?? []).some((part) => /^[ \t\n\r]+$/.test(part));
  return isConcrete ? (segments as Segment[]) : undefined;
}

/** An RFC 6901 pointer (`/ask_slots/0/message`), or an RFC 9535 normalized path (`$['ask_slots'][0]['message']`). */
export type PathNotation = "pointer" | "normalized";

/**
 * Returns the path of an event as a pointer or a normalized path. Inside a string (`outer | inner`) a pointer leads to that string.
 *
 * @example
 * ```ts
 * import { Parser, pathOf } from "jsonspigot";
 *
 * const [event] = new Parser("a[*]").feed('{"a":[1]}');
 * console.log(event!.path, pathOf(event!, "pointer"), pathOf(event!, "normalized")); // "a[0]" "/a/0" "$['a'][0]"
 * ```
 */
export function pathOf(event: { readonly path: string }, notation: PathNotation): string {
  const segments = segmentsOf(event.path) ?? [];
  return notation === "pointer" ? pointer(segments) : normalized(segments);
}
