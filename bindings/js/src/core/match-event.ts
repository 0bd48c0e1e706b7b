// The events of matches as they are made. All have `segments`, which costs nothing where nobody reads them.

import type { Event } from "./events.js";
import { INSIDE, segmentsOf } from "./patterns/path.js";

/** A match, as far as its events name it. */
export interface Matched {
  readonly id: number;
  readonly pattern: number;
  readonly path: string;
}

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

/** An event of a match, to which the caller adds what its kind has besides. */
export function matchEvent<K extends Event["kind"]>(kind: K, match: Matched, offset: number): { -readonly [P in keyof (Event & { kind: K })]: (Event & { kind: K })[P] } {
  return new MatchEvent(kind, match, offset) as never;
}

/** Lets events have segments. What reads nothing but texts need not contain what reads paths. */
export function carrySegments(): void {
  Object.defineProperty(MatchEvent.prototype, "segments", {
    get(this: MatchEvent) {
      return (segmentsOf(this.path) ?? []).map((segment) => (segment === INSIDE ? null : segment));
    },
    configurable: true,
  });
}
