// The enclosure of a payload: its spelling, and what it declares about its payload. `opening.ts` and `closing.ts` recognize
// delimiters in a text.

import { JsonSpigotError } from "../core/error.js";

export type Shape = "comment" | "fence" | "any-fence" | "tag" | "between" | "bare" | "bare-object";

/**
 * The content between the delimiters: JSON, plain text, or a JSON object after what else may stand before it; of a tag, JSON if it
 * begins with `{`, otherwise plain text, unless it is declared.
 */
export type Content = "json" | "raw" | "led" | "by-first";

export interface Delimiter {
  /** As it was given. */
  readonly mark: string;
  readonly shape: Shape;
  /** The name, or all of the text that opens. */
  readonly name: string;
  /** The text that closes, if it does not follow from the rest. */
  readonly close: string;
  readonly content: Content;
}

export const isBare = ({ shape }: Delimiter): boolean => shape === "bare" || shape === "bare-object";

/** Returns true if its payload ends with its own brackets, as no text closes it. */
export const closesItself = (delimiter: Delimiter): boolean =>
  isBare(delimiter) || (delimiter.shape === "between" && delimiter.close === "");

const DECLARED = /^(.*):(json|raw)$/s;

/** Reads a delimiter as users spell it. */
export function parseDelimiter(mark: string): Delimiter {
  const fail = (reason: string): never => {
    throw new JsonSpigotError("invalid-mark", `invalid mark ${JSON.stringify(mark)}: ${reason}`);
  };
  const colon = mark.indexOf(":");
  const [shape, rest] = colon < 0 ? [mark, undefined] : [mark.slice(0, colon), mark.slice(colon + 1)];
  if (shape === "bare" && rest === undefined) return { mark, shape, name: "", close: "", content: "json" };
  if (shape === "bare" && rest === "object") return { mark, shape: "bare-object", name: "", close: "", content: "json" };
  if (shape === "between" && rest !== undefined) return between(mark, rest, fail);
  if (rest === undefined || (shape !== "comment" && shape !== "fence" && shape !== "tag")) {
    return fail("expected `comment:NAME`, `fence:INFO`, `tag:NAME`, `between:OPEN:CLOSE`, `bare` or `bare:object`");
  }
  const declared = DECLARED.exec(rest);
  const name = declared?.[1] ?? rest;
  const isAny = shape === "fence" && name === "*";
  if (!isAny && (name === "" || /[\p{White_Space}\p{Cc}<>`{}[\]"]/u.test(name))) {
    fail('expected a name without white space and without < > ` { } [ ] "');
  }
  if (DECLARED.test(name)) fail("a name must not end in `:json` or `:raw`");
  const content = (declared?.[2] as Content | undefined) ?? (shape === "tag" ? "by-first" : "json");
  return { mark, shape: isAny ? "any-fence" : shape, name, close: "", content };
}

/** Parses the texts around a payload, which have colons between them and before the declared content. */
function between(mark: string, texts: string, fail: (reason: string) => never): Delimiter {
  const shape = "expected `between:OPEN:CLOSE`, with `\\:` for each colon in the texts";
  const parts = ["", "", ""];
  let place = 0;
  for (let at = 0; at < texts.length; at++) {
    let unit = texts[at]!;
    if (unit === ":") {
      if (place === 2) fail(shape);
      place++;
      continue;
    }
    if (unit === "\\") {
      const escaped = texts[++at];
      if (escaped === undefined || !":,\\n".includes(escaped)) fail("expected `:`, `,`, `n` or another backslash after a backslash");
      unit = escaped === "n" ? "\n" : escaped!;
    }
    parts[place] += unit;
  }
  const [open, close, content] = parts as [string, string, string];
  if (place === 0) fail(shape);
  if (open === "" || open.startsWith("`")) fail("expected an opening text that does not begin with a backtick");
  if (/^\p{White_Space}/u.test(close)) fail("expected a closing text that does not begin with white space");
  if (place === 2 && !["json", "led", "raw"].includes(content)) {
    fail("expected `:json`, `:led`, `:raw` or nothing after the closing text");
  }
  if (content === "raw" && close === "") fail("expected a closing text around plain text");
  return { mark, shape: "between", name: open, close, content: (content || "json") as Content };
}
