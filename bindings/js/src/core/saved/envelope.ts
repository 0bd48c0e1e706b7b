// What is around the body of a state: the header, as the Rust library writes it, and a note of what only this package keeps.
//
// | bytes | in the header |
// |---|---|
// | 4 | `jsp\x1A` |
// | 1 | the version of the format |
// | 1 | what was saved |
// | 4 | digest of the patterns |
// | 4 | digest of the choices |
// | 8 | length of the body |
// | 4 | checksum of all other bytes but the first five |
//
// A note comes after the body, with its length and a mark behind it. Others refuse a state that has one.

import { JsonSpigotError } from "../../error.js";
import { isBytes } from "../input.js";
import { Impossible, Reader, Writer } from "./bytes.js";
import { Digest } from "./digest.js";

const MAGIC = [0x6a, 0x73, 0x70, 0x1a];
const NOTE_MAGIC = [0x6a, 0x73, 0x6e, 0x1a];
const VERSION = 2;
const HEADER = 26;

export const PARSER = 1;
export const DOCUMENTS = 2;
export const TOOL_CALLS = 3;
export const ENVELOPE = 5;

/** What a state belongs to: the patterns and choices of whoever saved it. */
export interface Owner {
  readonly kind: number;
  readonly patterns: Digest;
  readonly choices: Digest;
}

const REFUSALS = {
  "not-saved-state": "the bytes do not begin as one does",
  "other-version": "the state was saved in another version of the format",
  cut: "the end of the saved state is missing",
  changed: "the bytes are not those that were saved",
  "other-kind": "the state is not that of the class it was restored as",
  "other-patterns": "the state was saved with different patterns",
  "other-choices": "the state was saved with different options",
  impossible: "no text leads to such a state",
} as const;

function refused(kind: keyof typeof REFUSALS): JsonSpigotError {
  return new JsonSpigotError(kind, `${kind.replace(/-/g, " ")}: ${REFUSALS[kind]}`);
}

function checksum(state: Uint8Array): number {
  return new Digest().addBytes(state.subarray(5, 22)).addBytes(state.subarray(HEADER)).folded;
}

export function save(owner: Owner, note: unknown, write: (out: Writer) => void): Uint8Array {
  const out = new Writer();
  out.raw(new Uint8Array(HEADER));
  write(out);
  const state = out.done();
  const view = new DataView(state.buffer);
  state.set([...MAGIC, VERSION, owner.kind]);
  view.setUint32(6, owner.patterns.folded, true);
  view.setUint32(10, owner.choices.folded, true);
  view.setUint32(14, state.length - HEADER, true);
  view.setUint32(22, checksum(state), true);
  if (note === undefined) return state;
  const noted = new Writer();
  const text = new TextEncoder().encode(JSON.stringify(note));
  noted.raw(state);
  noted.raw(text);
  noted.raw(new Uint8Array(Uint32Array.of(text.length).buffer));
  noted.raw(Uint8Array.from(NOTE_MAGIC));
  return noted.done();
}

/** Parts a state from its note. */
function parted(bytes: Uint8Array): { readonly state: Uint8Array; readonly note: unknown } {
  const end = bytes.length - 8;
  const hasNote = end >= HEADER && NOTE_MAGIC.every((byte, at) => bytes[end + 4 + at] === byte);
  if (!hasNote) return { state: bytes, note: undefined };
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(end, true);
  if (length > end - HEADER) return { state: bytes, note: undefined };
  try {
    const note: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(end - length, end)));
    return { state: bytes.subarray(0, end - length), note };
  } catch {
    return { state: bytes, note: undefined };
  }
}

/** Reads a state that belongs to the owner; `read` reads the body, all of it. */
export function restore(owner: Owner, bytes: Uint8Array, read: (reader: Reader, note: unknown) => void): void {
  if (!isBytes(bytes)) throw new TypeError("a saved state is a Uint8Array");
  if (MAGIC.some((byte, at) => at < bytes.length && bytes[at] !== byte)) throw refused("not-saved-state");
  if (bytes.length > 4 && bytes[4] !== VERSION) throw refused("other-version");
  if (bytes.length < HEADER) throw refused("cut");
  const { state, note } = parted(bytes);
  const view = new DataView(state.buffer, state.byteOffset);
  const length = view.getUint32(14, true) + view.getUint32(18, true) * 0x1_0000_0000;
  if (state.length - HEADER < length) throw refused("cut");
  if (state.length - HEADER !== length || view.getUint32(22, true) !== checksum(state)) throw refused("changed");
  if (state[5] !== owner.kind) throw refused("other-kind");
  if (view.getUint32(6, true) !== owner.patterns.folded) throw refused("other-patterns");
  if (view.getUint32(10, true) !== owner.choices.folded) throw refused("other-choices");
  try {
    const reader = new Reader(state.subarray(HEADER));
    read(reader, note);
    reader.end();
  } catch (thrown) {
    throw thrown instanceof Impossible ? refused("impossible") : thrown;
  }
}
