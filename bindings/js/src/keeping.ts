// What a parser does with the text that it keeps. An engine is given this if it keeps any, so that a program of nothing but
// deltas, which keeps none, does not contain it.

import type { Engine } from "./engine.js";
import type { Fault } from "./fault.js";
import type { Frame } from "./frame.js";
import { Kept } from "./kept.js";
import { spell, type Segment } from "./path.js";
import { segmentsTo } from "./text-error.js";
import { compact, innermostOf, withoutClosedAtom } from "./places.js";
import { makeValue, type Json } from "./values.js";

export type Keeping = typeof KEEPING;

export const KEEPING = { begin: (): Kept => new Kept(), release, ended, pathOfFault };

/** Drops what is kept for no open match. */
function release(engine: Engine): void {
  // What is shown as text is made of all of it.
  if (engine.tree !== undefined) return;
  const frame = engine.stack.find(({ matches }, depth) => depth < engine.depth && matches.length > 0);
  engine.kept!.release(frame?.start ?? (engine.open.length > 0 ? engine.leafStart : Infinity));
}

/** The value of a container that ends, and how it was spelt. */
function ended(engine: Engine, frame: Frame, end: number): { readonly value: Json | undefined; readonly raw: string | undefined } {
  const { options, output } = engine;
  const spelt = engine.kept!.slice(frame.start, end);
  let value = engine.tree?.valueOf(frame);
  try {
    value ??= makeValue(spelt, options);
  } catch (thrown) {
    // It must not be made. What follows it in the chunk is read in any case.
    output.refusal ??= thrown;
  }
  return { value, raw: options.spelling ? compact(spelt) : undefined };
}

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
    outer = segmentsTo(engine, at);
  }
  return spell([...outer, ...innermostOf(withoutClosedAtom(kept.slice(from, kept.end), kind))]);
}
