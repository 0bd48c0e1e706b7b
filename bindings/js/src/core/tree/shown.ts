// A snapshot as JSON text, made from the strict text that is kept, with strings in their shortest spelling.

import type { EngineState } from "../reporting.js";
import { LITERAL, NUMBER } from "../states.js";
import { endOfString } from "../json-text.js";

/** A token that is no string, or the quote that begins one. */
const TOKEN = /["[\]{},]|[^\s[\]{}:,"]+/g;

/** Returns the document so far as JSON text; `undefined` before its first value. */
export function shownText(engine: EngineState): string | undefined {
  const text = engine.kept!.whole();
  const tree = engine.tree!;
  const tokens = new RegExp(TOKEN);
  let out = "";
  let closers = "";
  /** The key of the value that comes next. */
  let key = "";
  let expectsKey = false;
  /** True if a value in the same container comes before the next one. */
  let follows = false;
  const add = (value: string): void => {
    out += (follows ? "," : "") + key + value;
    key = "";
    follows = true;
  };
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const [token] = match;
    if (token === '"') {
      const end = endOfString(text, match.index);
      if (end >= 0) {
        const string = respelt(text.slice(match.index, end));
        if (expectsKey) key = `${string}:`;
        else add(string);
        expectsKey = false;
        tokens.lastIndex = end;
        continue;
      }
      // The decoded text of an open string is known.
      if (!expectsKey) add(JSON.stringify(engine.text));
      break;
    }
    if (token === "{" || token === "[") {
      add(token);
      follows = false;
      expectsKey = token === "{";
      closers = (expectsKey ? "}" : "]") + closers;
    } else if (token === "}" || token === "]") {
      out += token;
      follows = true;
      expectsKey = false;
      closers = closers.slice(1);
    } else if (token === ",") expectsKey = closers[0] === "}";
    else if (tokens.lastIndex < text.length || (engine.state !== NUMBER && engine.state !== LITERAL)) add(token);
  }
  const atom = tree.options.provisional ? tree.openAtom(engine) : undefined;
  if (atom !== undefined) add(atom);
  return out === "" ? undefined : out + closers;
}

function respelt(string: string): string {
  return string.includes("\\") ? JSON.stringify(JSON.parse(string)) : string;
}
