// A state with what JavaScript holds of the bytes: half an event, half a character.
//
// The state is the library's, as it is, if there is nothing to add: any other of its users can go on from it. Otherwise it
// comes after a header and what is added: four bytes of magic, the version, the lengths of what is added and of the library's
// state, and a checksum of all that follows the version. The library's state says what it is of, and which patterns and
// options it belongs to; the checksum ties what is added to it. All is read as hostile: nothing is longer than the bytes
// that are there, and each part checks what it reads.

import { isBytes } from "../input.js";
import { REFUSALS, refusedAs } from "../saved/refusals.js";
import { encode, isWellFormed } from "./instance.js";
import { crc32 } from "./amazon.js";
import { strict } from "./utf8.js";

const MAGIC = [0x6a, 0x73, 0x74, 0x1a];
const VERSION = 1;
const ADDED = 5;
const STATE = 9;
const CHECKSUM = 13;
const HEADER = 17;

/** Why a state is refused, as the module numbers it. */
const NOT_SAVED_STATE = 1;
const OTHER_VERSION = 2;
const CUT = 3;
const CHANGED = 4;
const IMPOSSIBLE = 8;

/** The error for a state that is refused for this reason. */
function refused(number: number): Error {
  return refusedAs(Object.keys(REFUSALS)[number - 1] as keyof typeof REFUSALS);
}

/** Makes something new go on from a state; if it can't, it is disposed of. */
export function taking<H extends { dispose(): void }>(made: H, restore: (made: H) => void): H {
  try {
    restore(made);
    return made;
  } catch (thrown) {
    made.dispose();
    throw thrown;
  }
}

function checksum(bytes: Uint8Array): number {
  return crc32(joined([bytes.subarray(ADDED, CHECKSUM), bytes.subarray(HEADER)]));
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The library's state, with what is to be added to it. */
export function together(state: Uint8Array, write?: (out: Writer) => void): Uint8Array {
  if (!write) return state;
  const out = new Writer();
  write(out);
  const added = out.all();
  const bytes = new Uint8Array(HEADER + added.length + state.length);
  const view = viewOf(bytes);
  bytes.set([...MAGIC, VERSION]);
  view.setUint32(ADDED, added.length, true);
  view.setUint32(STATE, state.length, true);
  bytes.set(added, HEADER);
  bytes.set(state, HEADER + added.length);
  view.setUint32(CHECKSUM, checksum(bytes), true);
  return bytes;
}

/** A state, taken apart. */
export interface Taken {
  /** The library's. */
  readonly state: Uint8Array;
  /** Takes up what the module gave for it: a count of words, or why it is refused. */
  check(count: number, resume: (count: number) => unknown): void;
  /** Reads what was added, all of it, if something was. */
  read(read: (added: Reader) => void): void;
}

export function taken(bytes: Uint8Array): Taken {
  if (!isBytes(bytes)) throw new TypeError("a saved state is a Uint8Array");
  let state = bytes;
  let added: Uint8Array | undefined;
  // As long as it may be either, it is that of the library.
  if (MAGIC.slice(0, 3).every((byte, place) => bytes[place] === byte)) {
    if (bytes.length > 3 && bytes[3] !== MAGIC[3]) throw refused(NOT_SAVED_STATE);
    if (bytes.length > 4 && bytes[4] !== VERSION) throw refused(OTHER_VERSION);
    if (bytes.length < HEADER) throw refused(CUT);
    const view = viewOf(bytes);
    const end = HEADER + view.getUint32(ADDED, true);
    const length = end + view.getUint32(STATE, true);
    // Whether the lengths are right is not known before the checksum is.
    if (bytes.length < length) throw refused(CUT);
    if (bytes.length > length || view.getUint32(CHECKSUM, true) !== checksum(bytes)) throw refused(CHANGED);
    added = bytes.subarray(HEADER, end);
    state = bytes.subarray(end);
  }
  return {
    state,
    check(count, resume) {
      if (count < 0) throw refused(-count);
      resume(count);
    },
    read(read) {
      if (!added) return;
      const reader = new Reader(added);
      read(reader);
      possible(reader.isAtEnd);
    },
  };
}

/** No input leads to such a state. */
export function impossible(): Error {
  return refused(IMPOSSIBLE);
}

export function possible(isPossible: boolean): void {
  if (!isPossible) throw impossible();
}

/** Writes the parts of what is added. */
export class Writer {
  readonly #parts: Uint8Array[] = [];

  number(number: number): void {
    const part = new Uint8Array(8);
    viewOf(part).setFloat64(0, number, true);
    this.#parts.push(part);
  }

  flag(flag: boolean): void {
    this.#parts.push(Uint8Array.of(Number(flag)));
  }

  bytes(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.#parts.push(bytes.slice());
  }

  /** As UTF-8; or unit by unit, if it has half surrogate pairs. */
  text(text: string): void {
    const isUtf8 = isWellFormed(text);
    this.flag(isUtf8);
    if (isUtf8) return this.bytes(encode(text));
    const units = new Uint8Array(2 * text.length);
    const view = viewOf(units);
    for (let place = 0; place < text.length; place++) view.setUint16(2 * place, text.charCodeAt(place), true);
    this.bytes(units);
  }

  all(): Uint8Array {
    return joined(this.#parts);
  }
}

/** Reads the parts of what was added, of which nothing can be trusted. */
export class Reader {
  readonly #rest: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#rest = bytes;
  }

  #take(length: number): Uint8Array {
    possible(length <= this.#rest.length - this.#at);
    this.#at += length;
    return this.#rest.subarray(this.#at - length, this.#at);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#rest.length;
  }

  /** A number of bytes, units or lines. */
  number(): number {
    const number = viewOf(this.#take(8)).getFloat64(0, true);
    // Sums of a few are exact, too.
    possible(Number.isInteger(number) && number >= 0 && number < 2 ** 50);
    return number;
  }

  flag(): boolean {
    const flag = this.#take(1)[0]!;
    possible(flag < 2);
    return flag === 1;
  }

  bytes(): Uint8Array {
    return this.#take(this.number()).slice();
  }

  text(): string {
    const isUtf8 = this.flag();
    const bytes = this.bytes();
    if (isUtf8) {
      try {
        return strict.decode(bytes);
      } catch {
        possible(false);
      }
    }
    possible(bytes.length % 2 === 0);
    const view = viewOf(bytes);
    let text = "";
    for (let place = 0; place < bytes.length; place += 2) text += String.fromCharCode(view.getUint16(place, true));
    possible(!isWellFormed(text));
    return text;
  }
}
