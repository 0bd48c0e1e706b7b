// What a parser does with the text that it keeps. An engine is given this if it keeps any, so that a program of nothing but
// deltas, which keeps none, does not contain it.

import type { Engine } from "./engine.js";
import { type Fault, segmentsTo } from "./text-error.js";
import type { Frame } from "./frame.js";
import { spell, type Segment } from "./patterns/path.js";
import { compact, innermostOf, withoutClosedAtom } from "./places.js";
import { makeValue, type Json } from "./values.js";

export type Keeping = typeof KEEPING;

export const KEEPING = { begin: (): Kept => new Kept(), dropUnneeded, ended, pathOfFault };

/** Drops what is kept for no open match. */
function dropUnneeded(engine: Engine): void {
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

// The text that a parser keeps, so that a slice costs what it is long, and none of it is copied each time more arrives.
//
// What has arrived since somebody last asked for a place in it is one string, the *tail*, which engines build without copying;
// before it are pieces, with the place at which each begins. So there are as many pieces as questions, not as chunks.
//
// The chunk that is being read is the *current* piece: places in it can be asked for, but it counts as kept only up to
// where it has been read when {@link Kept.commit} is called.

interface Piece {
  readonly start: number;
  readonly text: string;
}

export class Kept {
  /** The place after the last unit that is kept. */
  end = 0;
  #tail = "";
  #pieces: Piece[] | undefined = undefined;
  #current = "";
  #from = 0;

  /** The text that is read now, from a place in it on; gives what is to be added to its places. */
  open(text: string, from: number): number {
    this.#current = text;
    this.#from = from;
    return this.end - from;
  }

  /** The current text has been read up to here. */
  commit(to: number): void {
    const text = this.#current;
    const from = this.#from;
    this.#current = "";
    if (to > from) this.push(from === 0 && to === text.length ? text : text.slice(from, to));
  }

  push(text: string): void {
    this.#tail += text;
    this.end += text.length;
  }

  /** All that is kept, in pieces. */
  #indexed(): Piece[] {
    const pieces = (this.#pieces ??= []);
    const text = this.#tail;
    if (text !== "") pieces.push({ start: this.end - text.length, text });
    this.#tail = "";
    return pieces;
  }

  /** The text from one place to another, the current piece included. */
  slice(from: number, to: number): string {
    const { end } = this;
    const current = to > end ? this.#current.slice(Math.max(0, from - end) + this.#from, to - end + this.#from) : "";
    if (from >= end) return current;
    const pieces = this.#indexed();
    let sliced = "";
    for (let at = find(pieces, from); at < pieces.length && pieces[at]!.start < to; at++) {
      const { start, text } = pieces[at]!;
      sliced += text.slice(Math.max(0, from - start), to - start);
    }
    return sliced + current;
  }

  /** All that is kept, but for the current piece. */
  whole(): string {
    return (this.#pieces ?? []).map(({ text }) => text).join("") + this.#tail;
  }

  /** Keeps nothing from this place on. */
  truncate(place: number): void {
    if (place >= this.end) return;
    const pieces = this.#indexed();
    const at = find(pieces, place);
    const last = pieces[at];
    pieces.length = at;
    this.#tail = last === undefined ? "" : last.text.slice(0, Math.max(0, place - last.start));
    this.end = place;
  }

  /** Drops what is before a place; places stay what they are. */
  release(place: number): void {
    if (place >= this.end) {
      this.clear(this.end);
      return;
    }
    const pieces = this.#indexed();
    pieces.splice(0, find(pieces, place));
  }

  /** Begins again, at this place. */
  clear(end = 0): void {
    this.end = end;
    this.#tail = this.#current = "";
    this.#pieces = undefined;
  }

  clone(): Kept {
    const clone = new Kept();
    clone.end = this.end;
    clone.#tail = this.#tail;
    clone.#pieces = this.#pieces?.slice();
    return clone;
  }
}

/** The last piece that begins not after a place; or else the first. */
function find(pieces: readonly Piece[], place: number): number {
  let low = 0;
  let high = pieces.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle]!.start <= place) low = middle;
    else high = middle;
  }
  return low;
}
