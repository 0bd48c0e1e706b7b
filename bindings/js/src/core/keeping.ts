// The text that a parser keeps, and its use. An engine gets these functions if it keeps text, so that a program which only
// uses `deltas` does not contain them.

import type { EngineState } from "./reporting.js";
import type { Frame } from "./frame.js";
import { compact } from "./json-text.js";
import { makeValue, type Json } from "./values.js";

export type Keeping = typeof KEEPING;

export const KEEPING = { begin: (): Kept => new Kept(), dropUnneeded, ended };

/** Drops what is kept for no open match. */
function dropUnneeded(engine: EngineState): void {
  // Texts of snapshots are made from all of it.
  if (engine.tree !== undefined) return;
  const frame = engine.stack.find(({ matches }, depth) => depth < engine.depth && matches.length > 0);
  engine.kept!.release(frame?.start ?? (engine.open.length > 0 ? engine.leafStart : Infinity));
}

/** Returns the value of a container that ends, and its spelling. */
function ended(engine: EngineState, frame: Frame, end: number): { readonly value: Json | undefined; readonly raw: string | undefined } {
  const { options, output } = engine;
  const spelt = engine.kept!.slice(frame.start, end);
  let value = engine.tree?.valueOf(frame);
  try {
    value ??= makeValue(spelt, options);
  } catch (thrown) {
    // The value is refused. The rest of the chunk is read all the same.
    output.refusal ??= thrown;
  }
  return { value, raw: options.spelling ? compact(spelt) : undefined };
}

// The text that a parser keeps, so that a slice costs what it is long, and none of it is copied each time more arrives.
//
// The text since the last slice is one string, the *tail*, which engines build without copying. Before it are pieces, with the
// place at which each begins. So there are as many pieces as slices, not as chunks.
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

  /** Sets the text that is read now, from a unit on. Returns the difference of its places and its units. */
  open(text: string, from: number): number {
    this.#current = text;
    this.#from = from;
    return this.end - from;
  }

  /** Keeps the current text up to this unit. */
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

  /** Returns all that is kept, in pieces. */
  #indexed(): Piece[] {
    const pieces = (this.#pieces ??= []);
    const text = this.#tail;
    if (text !== "") pieces.push({ start: this.end - text.length, text });
    this.#tail = "";
    return pieces;
  }

  /** Returns the text from one place to another, also from the current piece. */
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

  /** Returns all that is kept, without the current piece. */
  whole(): string {
    return (this.#pieces ?? []).map(({ text }) => text).join("") + this.#tail;
  }

  /** Drops the text from this place on. */
  truncate(place: number): void {
    if (place >= this.end) return;
    const pieces = this.#indexed();
    const [last] = pieces.splice(find(pieces, place));
    // It stays a piece: each look at text that was added to would copy all of it.
    if (last && place > last.start) pieces.push({ ...last, text: last.text.slice(0, place - last.start) });
    this.end = place;
  }

  /** Drops the text before a place. Later places do not change. */
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

/** Returns the index of the last piece that begins not after a place; 0 if all do. */
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
