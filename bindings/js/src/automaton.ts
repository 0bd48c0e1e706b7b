// All patterns of a parser at once, as an automaton that is made as it is needed.
//
// A pattern of m segments has m + 1 *positions*; position i is alive at a value if the first i segments lead there, and if
// the last one is, the pattern selects the value. What is alive at a value is a *place*: a sorted list of positions, with
// what follows from it. The step from a place to that of a member or an element is worked out once and then looked up, so
// a key costs one look into a map, however many patterns there are.
//
// Patterns with `..` can lead to more places than anybody wants to keep. Beyond {@link MOST_PLACES} they are worked out
// each time and dropped again.

import type { Pattern, Selector, Step } from "./pattern.js";

const MOST_PLACES = 2000;

/** So many names are compared with each key; more are looked up, for which a key has to be hashed. */
const FEW = 6;

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

/** What of the patterns is alive at a value. */
export class Place {
  /** The patterns that select the value. */
  readonly selected: number[] = [];
  /** True if any pattern may select something in the value if it is an object, or an array. */
  readonly entersObject: boolean = false;
  readonly entersArray: boolean = false;
  /** The patterns that go on in the text of the value if it is a string. */
  readonly through: number[] = [];
  readonly #automaton: Automaton;
  readonly #positions: readonly Position[];
  #hasSlices = false;
  #names: string[] | undefined;
  /** The places of the members of these names. */
  #named: Place[] = [];
  /** The same, where there are too many names to compare with each. */
  #map: Map<string, Place> | undefined;
  /** The place of any other member, or element. */
  #other: Place | undefined;

  constructor(automaton: Automaton, positions: readonly Position[]) {
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

  /** The place of the member of this name. */
  member(name: string): Place {
    const names = this.#names ?? this.#expand();
    if (this.#map !== undefined) return this.#map.get(name) ?? this.#other!;
    for (let at = 0; at < names.length; at++) if (names[at] === name) return this.#named[at]!;
    return this.#other!;
  }

  /** The place of the element at this index. */
  element(index: number): Place {
    if (!this.#hasSlices) {
      if (this.#names === undefined) this.#expand();
      return this.#other!;
    }
    return this.#step(index);
  }

  /** The place of the root of the text in the value, which is a string. */
  inside(): Place {
    return this.#automaton.place(this.#positions.filter(({ step }) => step?.isInside).map(({ id }) => id + 1));
  }

  #expand(): string[] {
    this.#other = this.#step(null);
    const selectors = this.#positions.flatMap(({ step }) => step?.selectors ?? []);
    const names = [...new Set(selectors.filter((selector) => typeof selector === "string"))];
    this.#named = names.map((name) => this.#step(name));
    if (names.length > FEW) this.#map = new Map(names.map((name, at) => [name, this.#named[at]!]));
    return (this.#names = names);
  }

  /** The place of the member of this name, or the element at this index. */
  #step(key: string | number | null): Place {
    const next: number[] = [];
    for (const { id, step } of this.#positions) {
      if (step === undefined || step.isInside) continue;
      if (step.isDescendant) next.push(id);
      if (step.selectors.some((selector) => takes(selector, key))) next.push(id + 1);
    }
    return this.#automaton.place(next);
  }
}

/** Patterns compiled together, once, and shared by all parsers that have the same. */
export class Automaton {
  /** Where a text begins. */
  readonly root: Place;
  /** Where nothing can be selected any more. */
  readonly nowhere: Place;
  readonly patterns: readonly Pattern[];
  /** True if any pattern goes on in the text of a string. */
  readonly readsStrings: boolean;
  /** True if any pattern asks for values as they come. */
  readonly readsRaw: boolean;
  readonly #positions: Position[] = [];
  readonly #places = new Map<string, Place>();

  constructor(patterns: readonly Pattern[]) {
    this.patterns = patterns;
    this.readsStrings = patterns.some(({ steps }) => steps.some(({ isInside }) => isInside));
    this.readsRaw = patterns.some(({ isRaw }) => isRaw);
    const starts: number[] = [];
    patterns.forEach(({ steps }, pattern) => {
      starts.push(this.#positions.length);
      for (const step of [...steps, undefined]) this.#positions.push({ id: this.#positions.length, pattern, step });
    });
    this.nowhere = this.place([]);
    this.root = this.place(starts);
  }

  place(ids: readonly number[]): Place {
    const sorted = [...new Set(ids)].sort((one, other) => one - other);
    const name = sorted.join();
    const known = this.#places.get(name);
    if (known) return known;
    const made = new Place(this, sorted.map((id) => this.#positions[id]!));
    if (this.#places.size < MOST_PLACES) this.#places.set(name, made);
    return made;
  }

  /** Returns true if any pattern has this name in it. */
  names(name: string): boolean {
    return this.#positions.some(({ step }) => step?.selectors.includes(name) === true);
  }
}

/** No patterns at all. */
export const NO_AUTOMATON = /* @__PURE__ */ new Automaton([]);
