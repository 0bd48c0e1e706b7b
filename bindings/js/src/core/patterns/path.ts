// How a place in a document is spelt, and how a spelling is read: `ask_slots[0].message`, `$` for the root, `a | b` inside
// a string. Patterns quote names in the same way.

/** A key, an index, or the step from a string into the text in it. */
export type Segment = string | number | typeof INSIDE;

export const INSIDE: unique symbol = Symbol("|");

const PLAIN = /^[A-Za-z_]\w*$/;
const SHORTHAND = /^[A-Za-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*$/u;

const ESCAPES: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  "'": "\\'",
  "\\": "\\\\",
};

export function isShorthand(name: string): boolean {
  return PLAIN.test(name) || SHORTHAND.test(name);
}

/** Quotes a name as RFC 9535 does in normalized paths. */
export function quoted(name: string): string {
  const inside = name.replace(/[\u0000-\u001f'\\]/g, (unit) => ESCAPES[unit] ?? `\\u00${unit.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `'${inside}'`;
}

/** Appends a segment to a path that is spelt; `""` is the root of its text. */
export function append(path: string, segment: Segment): string {
  if (segment === INSIDE) return `${path || "$"} | `;
  if (typeof segment === "number") return `${path}[${segment}]`;
  if (!isShorthand(segment)) return `${path}[${quoted(segment)}]`;
  return path === "" || path.endsWith(" | ") ? path + segment : `${path}.${segment}`;
}

/** Spells segments as a concrete path. */
export function spell(segments: Iterable<Segment>): string {
  let path = "";
  for (const segment of segments) path = append(path, segment);
  return path === "" || path.endsWith(" | ") ? `${path}$` : path;
}

/** Spells segments as an RFC 9535 normalized path. */
export function normalized(segments: Iterable<Segment>): string {
  let path = "$";
  for (const segment of segments) {
    if (segment === INSIDE) path += " | $";
    else path += typeof segment === "number" ? `[${segment}]` : `[${quoted(segment)}]`;
  }
  return path;
}

export function pointerToken(segment: string | number): string {
  return typeof segment === "number" ? `/${segment}` : `/${segment.replace(/~/g, "~0").replace(/\//g, "~1")}`;
}

/** Spells segments as an RFC 6901 pointer, which leads to the outermost string where a path leads into one. */
export function pointer(segments: Iterable<Segment>): string {
  let path = "";
  for (const segment of segments) {
    if (segment === INSIDE) break;
    path += pointerToken(segment);
  }
  return path;
}

/** The error of a quoted name, and where it is. */
export class QuoteFault {
  constructor(
    readonly at: number,
    readonly reason: string,
  ) {}
}

/** The escapes of a letter that both quoted names and JSON have. */
export const UNESCAPES: Readonly<Record<string, string | undefined>> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  "/": "/",
  "\\": "\\",
};

/**
 * Reads a quoted name (RFC 9535 §2.3.1.1) whose quote is at this place; gives it with the place after it.
 *
 * @throws {QuoteFault}
 */
export function readQuoted(text: string, from: number): { readonly name: string; readonly end: number } {
  const quote = text[from];
  let name = "";
  let at = from + 1;
  const unit = (): number => {
    const digits = /^[\da-fA-F]{4}/.exec(text.slice(at, at + 4));
    if (!digits) throw new QuoteFault(at, "expected four hexadecimal digits");
    at += 4;
    return Number.parseInt(digits[0], 16);
  };
  for (;;) {
    if (at >= text.length) throw new QuoteFault(at, "the quote is never closed");
    const here = text[at]!;
    if (here === quote) return { name, end: at + 1 };
    if (here < " ") throw new QuoteFault(at, "control characters must be escaped");
    at += 1;
    if (here !== "\\") {
      name += here;
      continue;
    }
    const start = at;
    if (at >= text.length) throw new QuoteFault(at, "the quote is never closed");
    const letter = text[at++]!;
    if (letter === quote) {
      name += letter;
    } else if (letter === "u") {
      const high = unit();
      if (high < 0xd800 || high > 0xdfff) {
        name += String.fromCharCode(high);
        continue;
      }
      if (high > 0xdbff || !text.startsWith("\\u", at)) throw new QuoteFault(start, "half of a surrogate pair");
      at += 2;
      const low = unit();
      if (low < 0xdc00 || low > 0xdfff) throw new QuoteFault(start, "half of a surrogate pair");
      name += String.fromCharCode(high, low);
    } else {
      const character = UNESCAPES[letter];
      if (character === undefined) throw new QuoteFault(start, "no such escape");
      name += character;
    }
  }
}

const NAME = /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/y;
const INDEX = /(0|[1-9]\d*)\]/y;
const PIPE = /[ \t\n\r]*\|[ \t\n\r]*/y;

/** Parses a concrete path. Returns `undefined` if the text is no such path. */
export function segmentsOf(path: string): Segment[] | undefined {
  const segments: Segment[] = [];
  let at = 0;
  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = at;
    const match = token.exec(path);
    if (match) at = token.lastIndex;
    return match;
  };
  // Each turn of the loop reads one text's part, up to a pipe or the end.
  for (;;) {
    if (at === path.length) return undefined;
    let wantsDot = path[at] === "." || path[at] === "[";
    if (path[at] === "$") {
      at += 1;
      wantsDot = true;
    }
    for (;;) {
      if (at === path.length) return segments;
      if (path[at] === "[") {
        at += 1;
        if (path[at] === "'" || path[at] === '"') {
          try {
            const { name, end } = readQuoted(path, at);
            if (path[end] !== "]") return undefined;
            segments.push(name);
            at = end + 1;
          } catch {
            return undefined;
          }
        } else {
          const index = take(INDEX);
          if (!index) return undefined;
          segments.push(Number(index[1]));
        }
      } else if (path[at] === "." || !wantsDot) {
        if (path[at] === ".") at += 1;
        const name = take(NAME);
        if (!name) return undefined;
        segments.push(name[0]);
      } else if (take(PIPE)) {
        segments.push(INSIDE);
        break;
      } else {
        return undefined;
      }
      wantsDot = true;
    }
  }
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
