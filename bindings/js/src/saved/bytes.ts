// The parts of a state, written and read. Whoever reads trusts nothing: what it returns is never longer than what is there.

import { decodeAll, encode } from "../utf8.js";

/** More bytes than any stream has. */
const FARTHEST = 2 ** 60;

/** No text leads to such a state. */
export class Impossible {}

export function unless(isPossible: boolean): void {
  if (!isPossible) throw new Impossible();
}

export class Writer {
  #bytes = new Uint8Array(64);
  #length = 0;

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }

  byte(byte: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = byte;
  }

  flag(flag: boolean): void {
    this.byte(flag ? 1 : 0);
  }

  number(number: number): void {
    let rest = number;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) | 0x80);
    this.byte(rest);
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  bytes(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.raw(bytes);
  }

  text(text: string): void {
    this.bytes(encode(text));
  }

  done(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

export class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    unless(this.#at < this.#bytes.length);
    return this.#bytes[this.#at++]!;
  }

  flag(): boolean {
    const byte = this.byte();
    unless(byte <= 1);
    return byte === 1;
  }

  /** One of the values, which were written by their places. */
  choice<T>(of: readonly T[]): T {
    const at = this.byte();
    unless(at < of.length);
    return of[at]!;
  }

  /** A number up to this one. */
  atMost(most: number): number {
    let number = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte();
      number += (byte & 0x7f) * scale;
      unless(scale <= 2 ** 56 && number <= most);
      if (byte < 0x80) return number;
    }
  }

  /** A place in a text. */
  place(): number {
    return this.atMost(FARTHEST);
  }

  /** How many parts follow, each of which takes a byte at least. */
  count(): number {
    const count = this.place();
    unless(count <= this.#bytes.length - this.#at);
    return count;
  }

  bytes(): Uint8Array {
    const count = this.count();
    return this.#bytes.subarray(this.#at, (this.#at += count));
  }

  text(): string {
    try {
      return decodeAll(this.bytes());
    } catch (thrown) {
      throw thrown instanceof TypeError ? new Impossible() : thrown;
    }
  }

  /** Nothing may be left. */
  end(): void {
    unless(this.#at === this.#bytes.length);
  }
}
