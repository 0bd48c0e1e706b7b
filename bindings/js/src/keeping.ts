// What a parser does with the text that it keeps. An engine is given this if it keeps any, so that a program of nothing but
// deltas, which keeps none, does not contain it.

import type { Engine, Fault } from "./engine.js";
import { Kept } from "./kept.js";
import { spell, type Segment } from "./path.js";
import { compact, innermostOf, withoutClosedAtom } from "./places.js";
import { makeValue } from "./values.js";

export type Keeping = typeof KEEPING;

export const KEEPING = {
  begin: (): Kept => new Kept(),
  make: makeValue,
  compact,
  pathOfFault,
};

/** The path of the innermost open value, from the text that is kept; `null` if too little of it is. */
function pathOfFault(engine: Engine, { kind }: Fault): string | null {
  const { kept, keepsMatches, keepsValues, stack } = engine;
  if (kept === undefined || !keepsValues || engine.isFrozen || engine.isRewritten) return null;
  let from = 0;
  let outer: Segment[] = [];
  if (keepsMatches) {
    let at = engine.depth - 1;
    while (at >= 0 && stack[at]!.matches.length === 0) at--;
    if (at < 0) return null;
    from = stack[at]!.start;
    outer = engine.segmentsTo(at);
  }
  return spell([...outer, ...innermostOf(withoutClosedAtom(kept.slice(from, kept.end), kind))]);
}
