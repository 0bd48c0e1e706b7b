// The text that a parser keeps: pieces with the place at which each begins, so that a slice costs what it is long, and
// none of it is copied each time more arrives.
//
// The chunk that is being read is the *current* piece: places in it can be asked for, but it counts as kept only up to
// where it has been read when {@link Kept.commit} is called.

export class Kept {
  /** The place after the last unit that is kept. */
  end = 0;
  #pieces: string[] = [];
  /** Where each begins, as far as somebody has asked; and where the next one does. */
  #starts: number[] | undefined = undefined;
  #indexed = 0;
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
    this.#pieces.push(text);
    this.end += text.length;
  }

  /** The last piece that begins not after a place; or else the first. */
  #find(place: number): number {
    const pieces = this.#pieces;
    const starts = (this.#starts ??= []);
    for (let at = starts.length; at < pieces.length; at++) {
      starts.push(this.#indexed);
      this.#indexed += pieces[at]!.length;
    }
    let low = 0;
    let high = starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= place) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The text from one place to another, the current piece included. */
  slice(from: number, to: number): string {
    const { end } = this;
    const current = to > end ? this.#current.slice(Math.max(0, from - end) + this.#from, to - end + this.#from) : "";
    if (from >= end) return current;
    const pieces = this.#pieces;
    let at = this.#find(from);
    const starts = this.#starts!;
    let text = "";
    for (; at < starts.length && starts[at]! < to; at++) {
      const start = starts[at]!;
      text += pieces[at]!.slice(Math.max(0, from - start), to - start);
    }
    return text + current;
  }

  /** All that is kept, but for the current piece. */
  whole(): string {
    return this.#pieces.join("");
  }

  /** Keeps nothing from this place on. */
  truncate(place: number): void {
    if (place >= this.end) return;
    const at = this.#find(place);
    const starts = this.#starts!;
    const start = starts[at] ?? place;
    const piece = start < place ? this.#pieces[at]!.slice(0, place - start) : "";
    this.#pieces.length = starts.length = at;
    this.end = this.#indexed = place - piece.length;
    if (piece !== "") this.push(piece);
  }

  /** Drops what is before a place; places stay what they are. */
  release(place: number): void {
    if (place >= this.end) {
      this.clear(this.end);
      return;
    }
    const drop = this.#find(place);
    if (drop === 0) return;
    this.#pieces.splice(0, drop);
    this.#starts!.splice(0, drop);
  }

  /** Begins again, at this place. */
  clear(end = 0): void {
    this.end = this.#indexed = end;
    if (this.#pieces.length > 0) this.#pieces = [];
    this.#starts = undefined;
    this.#current = "";
  }

  clone(): Kept {
    const clone = new Kept();
    clone.end = this.end;
    clone.#pieces = this.#pieces.slice();
    clone.#starts = this.#starts?.slice();
    clone.#indexed = this.#indexed;
    return clone;
  }
}
