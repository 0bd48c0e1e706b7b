// The events of matches. All have `segments`, which are computed when they are read.

import type { Event } from "./events.js";
import type { Match } from "./frame.js";
import { INSIDE } from "./patterns/path.js";
import { segmentsOf } from "./patterns/pattern.js";

/** A match, as far as its events name it. */
type Matched = Pick<Match, "id" | "pattern" | "path">;

export class MatchEvent {
  readonly kind: string;
  readonly pattern: number;
  readonly matchId: number;
  readonly path: string;
  readonly offset: number;

  constructor(kind: string, { id, pattern, path }: Matched, offset: number) {
    this.kind = kind;
    this.pattern = pattern;
    this.matchId = id;
    this.path = path;
    this.offset = offset;
  }
}

/** Creates an event of a match. The caller adds the members of its kind. */
export function matchEvent<K extends Event["kind"]>(
  kind: K,
  match: Matched,
  offset: number,
): { -readonly [P in keyof (Event & { kind: K })]: (Event & { kind: K })[P] } {
  return new MatchEvent(kind, match, offset) as never;
}

/** Lets events have segments. A program that only reads texts does not contain the parser of paths. */
export function carrySegments(): void {
  Object.defineProperty(MatchEvent.prototype, "segments", {
    get(this: MatchEvent) {
      return (segmentsOf(this.path) ?? []).map((segment) => (segment === INSIDE ? null : segment));
    },
    configurable: true,
  });
}
