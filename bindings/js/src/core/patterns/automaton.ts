// All patterns of a parser at once, as an automaton that is made as it is needed.
//
// A pattern of m segments has m + 1 *positions*; position i is alive at a value if the first i segments lead there, and if
// the last one is, the pattern selects the value. The positions that are alive at a value are a *node*: a sorted list, with
// the nodes of its members and elements. The step from a node to the next one is computed once and then looked up, so a key
// costs one lookup in a map, however many patterns there are.
//
// Patterns with `..` can lead to any number of nodes. Beyond {@link MOST_NODES} they are computed each time and dropped.

import type { Pattern, Selector, Step } from "./pattern.js";

const MOST_NODES = 2000;

/** A position: the segment that comes next, or the end of its pattern. */
interface Position {
  readonly id: number;
  readonly pattern: number;
  readonly step: Step | undefined;
}

/** Returns true if a selector takes a member or element; `null` is a name that no selector has. */
function takes(selector: Selector, key: string | number | null): boolean {
  if (typeof selector !== "object") return selector === undefined || selector === key;
  const { start, end, step } = selector;
  return typeof key === "number" && key >= start && key < end && step > 0 && (key - start) % step === 0;
}

/** The positions of patterns that are alive at a value. */
export interface PatternNode {
  /** The patterns that select the value. */
  readonly selected: readonly number[];
  /** True if any pattern may select something in the value if it is an object, or an array. */
  readonly entersObject: boolean;
  readonly entersArray: boolean;
  /** The patterns that continue in the text of the value if it is a string. */
  readonly through: readonly number[];
  /** Returns the node of the member of this name. */
  member(name: string): PatternNode;
  /** Returns the node of the element at this index. */
  element(index: number): PatternNode;
  /** Returns the node of the root of the text in the value, which is a string. */
  inside(): PatternNode;
}

/** The patterns of a parser. */
export interface Automaton {
  /** Where a text begins. */
  readonly root: PatternNode;
  readonly patterns: readonly Pattern[];
}

const nowhere = (): PatternNode => NOWHERE;
/** Where nothing can be selected any more. */
export const NOWHERE: PatternNode = {
  ...{ selected: [], entersObject: false, entersArray: false, through: [] },
  ...{ member: nowhere, element: nowhere, inside: nowhere },
};

/** No patterns at all. */
export const NO_AUTOMATON: Automaton = { root: NOWHERE, patterns: [] };

class LiveNode implements PatternNode {
  readonly selected: number[] = [];
  readonly entersObject: boolean = false;
  readonly entersArray: boolean = false;
  readonly through: number[] = [];
  readonly #automaton: Patterns;
  readonly #positions: readonly Position[];
  #hasSlices = false;
  /** The nodes of the members that a selector names, once one was asked for. */
  #named: Map<string, PatternNode> | undefined;
  /** The node of any other member, or element. */
  #other: PatternNode | undefined;

  constructor(automaton: Patterns, positions: readonly Position[]) {
    this.#automaton = automaton;
    this.#positions = positions;
    for (const { pattern, step } of positions) {
      if (step === undefined) this.selected.push(pattern);
      else if (step.isInside) this.through.push(pattern);
      else {
        const { isDescendant, selectors } = step;
        this.entersObject ||= isDescendant || selectors.some((selector) => typeof selector !== "object");
        this.entersArray ||= isDescendant || selectors.some((selector) => typeof selector !== "string");
        this.#hasSlices ||= selectors.some((selector) => typeof selector === "object");
      }
    }
  }

  member(name: string): PatternNode {
    this.#named ??= new Map(
      this.#positions
        .flatMap(({ step }) => step?.selectors ?? [])
        .flatMap((name) => (typeof name === "string" ? [[name, this.#step(name)]] : [])),
    );
    return this.#named.get(name) ?? this.#rest();
  }

  element(index: number): PatternNode {
    return this.#hasSlices ? this.#step(index) : this.#rest();
  }

  #rest(): PatternNode {
    return (this.#other ??= this.#step(null));
  }

  inside(): PatternNode {
    return this.#automaton.node(this.#positions.filter(({ step }) => step?.isInside).map(({ id }) => id + 1));
  }

  /** Computes the node of the member of this name, or the element at this index. */
  #step(key: string | number | null): PatternNode {
    const next: number[] = [];
    for (const { id, step } of this.#positions) {
      if (step === undefined || step.isInside) continue;
      if (step.isDescendant) next.push(id);
      if (step.selectors.some((selector) => takes(selector, key))) next.push(id + 1);
    }
    return this.#automaton.node(next);
  }
}

/** Patterns compiled together, once, and shared by all parsers that have the same. */
export class Patterns implements Automaton {
  readonly root: PatternNode;
  readonly patterns: readonly Pattern[];
  readonly #positions: Position[] = [];
  readonly #nodes = new Map<string, PatternNode>();

  constructor(patterns: readonly Pattern[]) {
    this.patterns = patterns;
    const starts: number[] = [];
    patterns.forEach(({ steps }, pattern) => {
      starts.push(this.#positions.length);
      for (const step of [...steps, undefined]) this.#positions.push({ id: this.#positions.length, pattern, step });
    });
    this.root = this.node(starts);
  }

  /** Returns the node of these positions. */
  node(ids: readonly number[]): PatternNode {
    if (ids.length === 0) return NOWHERE;
    const sorted = [...new Set(ids)].sort((one, other) => one - other);
    const name = sorted.join();
    const known = this.#nodes.get(name);
    if (known) return known;
    const made = new LiveNode(
      this,
      sorted.map((id) => this.#positions[id]!),
    );
    if (this.#nodes.size < MOST_NODES) this.#nodes.set(name, made);
    return made;
  }
}
