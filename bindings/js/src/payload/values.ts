// The values of a text that has more than one.

import { Fault } from "../engine.js";
import { makeText } from "../make-text.js";

/** ASCII white space, which is around the values. */
const EDGES = /^[ \t\n\f\r]+|[ \t\n\f\r]+$/g;

/** The JSON texts that a text consists of, if there are two or more and nothing else; otherwise none. */
export function valuesOf(text: string): string[] {
  const values: string[] = [];
  const reader = makeText({ retain: "nothing" });
  reader.engine.stopsAtRoot = true;
  let rest = text.replace(EDGES, "");
  while (rest !== "") {
    reader.reset();
    let end: number;
    try {
      end = reader.parts.input.feed(rest);
      reader.parts.input.finish();
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      return [];
    }
    values.push(rest.slice(0, end).replace(EDGES, ""));
    rest = rest.slice(end).replace(/^[ \t\n\r]+/, "");
  }
  return values.length > 1 ? values : [];
}
