// The text that a parser keeps: pieces with the place at which each begins, so that a slice costs what it is long, and
// none of it is copied each time more arrives.
//
// The chunk that is being read is the *current* piece: places in it can be asked for, but it counts as kept only up to
// where it has been read when {@link Kept.commit} is called.

/** Short pieces are joined until they are as long as this, so that many of them cost little memory. */
const PIECE = 1024;

export class Kept {
  /** The place after the last unit that is kept. */
  end = 0;
  #pieces: string[] = [];
  #starts: number[] = [];
  #tail = "";
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
    if (to <= from) return;
    this.push(from === 0 && to === text.length ? text : text.slice(from, to));
  }

  push(text: string): void {
    this.end += text.length;
    this.#tail += text;
    if (this.#tail.length < PIECE) return;
    this.#starts.push(this.end - this.#tail.length);
    this.#pieces.push(this.#tail);
    this.#tail = "";
  }

  /** The text from one place to another, the current piece included. */
  slice(from: number, to: number): string {
    const { end } = this;
    if (from >= end) return this.#current.slice(from - end + this.#from, to - end + this.#from);
    let text = "";
    let place = end;
    const tailStart = end - this.#tail.length;
    if (from < tailStart) {
      const starts = this.#starts;
      let at = find(starts, from);
      for (; at < starts.length && starts[at]! < to; at++) {
        const start = starts[at]!;
        text += this.#pieces[at]!.slice(Math.max(0, from - start), to - start);
      }
      place = tailStart;
    } else {
      place = from;
    }
    if (to > place) text += this.#tail.slice(place - tailStart, to - tailStart);
    if (to > end) text += this.#current.slice(this.#from, to - end + this.#from);
    return text;
  }

  /** All that is kept, but for the current piece. */
  whole(): string {
    return this.#pieces.join("") + this.#tail;
  }

  /** Keeps nothing from this place on. */
  truncate(place: number): void {
    if (place >= this.end) return;
    let tail = this.#tail;
    let start = this.end - tail.length;
    while (start > place) {
      tail = this.#pieces.pop() ?? "";
      start = this.#starts.pop() ?? 0;
    }
    this.#tail = tail.slice(0, place - start);
    this.end = place;
  }

  /** Drops what is before a place; places stay what they are. */
  release(place: number): void {
    const tailStart = this.end - this.#tail.length;
    if (place >= this.end) {
      this.#pieces = [];
      this.#starts = [];
      this.#tail = "";
    } else if (place < tailStart) {
      const drop = find(this.#starts, place);
      if (drop > 0) {
        this.#pieces.splice(0, drop);
        this.#starts.splice(0, drop);
      }
    } else if (this.#pieces.length > 0) {
      this.#pieces = [];
      this.#starts = [];
    }
  }

  clear(): void {
    this.end = 0;
    this.#pieces = [];
    this.#starts = [];
    this.#tail = this.#current = "";
  }

  clone(): Kept {
    const clone = new Kept();
    clone.end = this.end;
    clone.#pieces = this.#pieces.slice();
    clone.#starts = this.#starts.slice();
    clone.#tail = this.#tail;
    return clone;
  }
}

/** The last of these starts that is not after a place. */
function find(starts: readonly number[], place: number): number {
  let low = 0;
  let high = starts.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= place) low = middle;
    else high = middle;
  }
  return low;
}
