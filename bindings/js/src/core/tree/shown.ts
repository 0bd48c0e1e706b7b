// A snapshot as JSON text, made from the strict text that is kept, with strings in their shortest spelling.

import type { EngineState } from "../reporting.js";
import { KEY_STRING, LITERAL, NUMBER, STRING } from "../states.js";
import { tokensOf } from "../json-text.js";

/** Returns the document so far as JSON text; `undefined` before its first value. */
export function shownText(engine: EngineState): string | undefined {
  const { state } = engine;
  const tokens = [...tokensOf(engine.kept!.whole())];
  // The open token is the last one.
  if (state === STRING || state === KEY_STRING || state === NUMBER || state === LITERAL) tokens.pop();
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
  for (const token of tokens) {
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
    else if (token === ":") expectsKey = false;
    else if (expectsKey) key = `${respelt(token)}:`;
    else add(respelt(token));
  }
  const open =
    state === STRING ? JSON.stringify(engine.text) : engine.tree!.options.provisional ? engine.tree!.openAtom(engine) : undefined;
  if (open !== undefined) add(open);
  return out === "" ? undefined : out + closers;
}

/** Returns a token, if it is a string in its shortest spelling. */
function respelt(token: string): string {
  return token.includes("\\") ? JSON.stringify(JSON.parse(token)) : token;
}
