// How a place in a document is spelt, and how a spelling is read: `ask_slots[0].message`, `$` for the root, `a | b` inside
// a string. Patterns quote names in the same way.

/** A key, an index, or the step from a string into the text in it. */
export type Segment = string | number | typeof INSIDE;

export const INSIDE: unique symbol = Symbol("|");

const PLAIN = /^[A-Za-z_]\w*$/;
const SHORTHAND = /^[A-Za-z_\u0080-\u{10ffff}][\w\u0080-\u{10ffff}]*$/u;

function isShorthand(name: string): boolean {
  return PLAIN.test(name) || SHORTHAND.test(name);
}

/** Quotes a name as RFC 9535 does in normalized paths. */
function quoted(name: string): string {
  return `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
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
export function normalized(segments: readonly Segment[]): string {
  const spelt = segments.map((segment) => (segment === INSIDE ? " | $" : `[${typeof segment === "number" ? segment : quoted(segment)}]`));
  return `$${spelt.join("")}`;
}

export function pointerToken(segment: string | number): string {
  return typeof segment === "number" ? `/${segment}` : `/${segment.replace(/~/g, "~0").replace(/\//g, "~1")}`;
}

/** Spells segments as an RFC 6901 pointer, which leads to the outermost string where a path leads into one. */
export function pointer(segments: readonly Segment[]): string {
  const end = segments.indexOf(INSIDE);
  const outer = (end < 0 ? segments : segments.slice(0, end)) as readonly (string | number)[];
  return outer.map(pointerToken).join("");
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
