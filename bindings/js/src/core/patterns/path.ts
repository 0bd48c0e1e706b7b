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
