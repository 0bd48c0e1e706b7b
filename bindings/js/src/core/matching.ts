// The matches of patterns: their paths, and the events of their begins and ends. An engine gets these functions if it has patterns,
// so that programs which only show snapshots do not contain them.

import type { ValueType } from "./events.js";
import type { Frame, Match } from "./frame.js";
import { matchEvent } from "./match-event.js";
import type { PatternNode } from "./patterns/automaton.js";
import { append } from "./patterns/path.js";
import type { ReportingEngine } from "./reporting.js";
import { errorOf, knownPath, type Fault } from "./text-error.js";
import { makeAtom, type Json } from "./values.js";

export type Matching = typeof MATCHING;

export const MATCHING = { begin, end, failInside, knownPath, pathOf };

/** Returns the path of the value that begins, or of the open leaf. */
function pathOf({ depth, stack, outer }: ReportingEngine): string {
  if (depth === 0) return `${outer}$`;
  let at = depth - 1;
  while (at > 0 && stack[at]!.path === "") at--;
  let path = at === 0 ? outer : stack[at]!.path;
  for (; at < depth; at++) {
    const frame = stack[at]!;
    frame.path = path;
    path = append(path, frame.isArray ? frame.index : frame.key);
  }
  return path;
}

/** Reports a value that begins to the patterns that select it. */
function begin(engine: ReportingEngine, type: ValueType, node: PatternNode, offset: number): Match[] {
  const { automaton, output, raw } = engine;
  const path = pathOf(engine);
  const matches: Match[] = [];
  for (const pattern of node.selected) {
    const id = output.nextMatch++;
    const isRaw = raw !== undefined && automaton.patterns[pattern]!.isRaw;
    const match = { id, pattern, path, type, offset, isRaw };
    matches.push(match);
    const event = matchEvent("begin", match, offset);
    event.type = type;
    output.events.push(event);
  }
  if (raw !== undefined) raw.begin(matches, output);
  return matches;
}

/** Reports the end of a value before this unit. */
function end(engine: ReportingEngine, matches: readonly Match[], i: number, frame?: Frame, token?: string): void {
  const { options, output, kept, keptShift } = engine;
  const { spelling } = options;
  let value: Json | undefined;
  let raw = token;
  if (token !== undefined) value = makeAtom(token, options.numbers);
  else if (engine.keepsValues && !engine.isFrozen) {
    if (frame !== undefined) ({ value, raw } = output.keeping!.ended(engine, frame, i + keptShift));
    else {
      value = engine.text;
      if (spelling) raw = kept!.slice(engine.leafStart, i + keptShift);
    }
  }
  const offset = engine.base + i + engine.extra;
  if (engine.raw !== undefined) engine.raw.end(matches, offset, output);
  // A match that began with the `-` of `-Infinity` was reported as a number.
  const type = value === null ? "null" : typeof value === "boolean" ? "boolean" : matches[0]!.type;
  for (const match of matches) {
    const event = matchEvent("end", match, offset);
    event.type = type;
    event.value = value;
    if (raw !== undefined && spelling) event.raw = raw;
    output.events.push(event);
  }
}

/** Reports the error of the text inside the open string, of which nothing more is read. */
function failInside(engine: ReportingEngine, fault: Fault): void {
  const { inner, node, output } = engine;
  const error = errorOf(fault, inner!, knownPath(inner!, fault.kind));
  const path = pathOf(engine);
  for (const pattern of node.through) {
    const event = matchEvent("inner-error", { id: output.nextMatch++, pattern, path }, fault.offset);
    event.error = error;
    output.events.push(event);
  }
}
