// The open containers of a document, and the open values in it that patterns select.

import type { PatternNode } from "./patterns/automaton.js";
import type { ValueType } from "./events.js";
import type { Json } from "./values.js";

/** A value that a pattern selects, and that is open. */
export interface Match {
  readonly id: number;
  readonly pattern: number;
  readonly path: string;
  readonly type: ValueType;
  readonly offset: number;
  /** True if its deltas are the value's JSON text. */
  readonly isRaw: boolean;
}

export const NO_MATCHES: Match[] = [];

/** The match of a value of which nothing but text is reported. */
export const SELECTED: Match[] = new Array(1);

/** An open container. Frames are used again. */
export class Frame {
  /** The newest member's key, if keys are followed here. */
  key = "";
  /** The newest element's. */
  index = -1;
  /** Its path, once a path inside it was computed. */
  path = "";
  /** True if a pattern may select something inside. */
  isLive = false;
  matches: Match[] = NO_MATCHES;
  /** Where in the kept text it begins. */
  start = 0;
  /** Its value so far, and the look in which that was made or copied. */
  box: Json[] | { [key: string]: Json } | undefined = undefined;
  look = 0;
  /** Its keys, where a second equal one is refused. */
  keys: Set<string> | undefined = undefined;

  constructor(
    public isArray: boolean,
    public node: PatternNode,
  ) {}
}

/** Drops what a frame refers to, before it is used again. */
export function clearFrame(frame: Frame): void {
  frame.box = undefined;
  frame.keys = undefined;
  frame.matches = NO_MATCHES;
}
