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
// With a note, the state comes after a header of its own and the note: `jsn\x1A`, a version, the lengths of the note and of
// the state, and a checksum of all that follows the version. Others refuse such a state.

import { JsonSpigotError } from "../error.js";
import { isBytes } from "../input.js";
import { Impossible, Reader, Writer } from "./bytes.js";
import { decodeAll, encode } from "../utf8.js";
import { Digest } from "./digest.js";

const MAGIC = [0x6a, 0x73, 0x70, 0x1a];
const NOTE_MAGIC = [0x6a, 0x73, 0x6e, 0x1a];
const VERSION = 4;
const NOTE_VERSION = 1;
const NOTE_HEADER = 17;
const HEADER = 26;

export const PARSER = 1;
export const DOCUMENTS = 2;

/** What a state belongs to: the patterns and choices of whoever saved it. */
export interface Owner {
  readonly kind: number;
  readonly patterns: Digest;
  readonly choices: Digest;
}

/** Why a state is refused, in the order of the reasons in the library. */
export const REFUSALS = {
  "not-saved-state": "the bytes do not begin as one does",
  "other-version": "the state was saved in another version of the format",
  cut: "the end of the saved state is missing",
  changed: "the bytes are not those that were saved",
  "other-kind": "the state is not that of the class it was restored as",
  "other-patterns": "the state was saved with different patterns",
  "other-choices": "the state was saved with different options",
  impossible: "no text leads to such a state",
} as const;

export function refusedAs(kind: keyof typeof REFUSALS): JsonSpigotError {
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
  const text = encode(JSON.stringify(note));
  const bytes = new Uint8Array(NOTE_HEADER + text.length + state.length);
  const noted = new DataView(bytes.buffer);
  bytes.set([...NOTE_MAGIC, NOTE_VERSION]);
  noted.setUint32(5, text.length, true);
  noted.setUint32(9, state.length, true);
  bytes.set(text, NOTE_HEADER);
  bytes.set(state, NOTE_HEADER + text.length);
  noted.setUint32(13, noteChecksum(bytes), true);
  return bytes;
}

function noteChecksum(bytes: Uint8Array): number {
  return new Digest().addBytes(bytes.subarray(5, 13)).addBytes(bytes.subarray(NOTE_HEADER)).folded;
}

/** Parts a state from its note, if it has one. */
function parted(bytes: Uint8Array): { readonly state: Uint8Array; readonly note: unknown } {
  // As long as it may be either, it has none.
  if (bytes.length < 3 || NOTE_MAGIC.some((byte, at) => at < 3 && bytes[at] !== byte)) return { state: bytes, note: undefined };
  if (bytes.length > 3 && bytes[3] !== NOTE_MAGIC[3]) throw refusedAs("not-saved-state");
  if (bytes.length > 4 && bytes[4] !== NOTE_VERSION) throw refusedAs("other-version");
  if (bytes.length < NOTE_HEADER) throw refusedAs("cut");
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const end = NOTE_HEADER + view.getUint32(5, true);
  const length = end + view.getUint32(9, true);
  // Whether the lengths are right is not known before the checksum is.
  if (bytes.length < length) throw refusedAs("cut");
  if (bytes.length > length || view.getUint32(13, true) !== noteChecksum(bytes)) throw refusedAs("changed");
  try {
    const note: unknown = JSON.parse(decodeAll(bytes.subarray(NOTE_HEADER, end)));
    return { state: bytes.subarray(end), note };
  } catch {
    throw refusedAs("impossible");
  }
}

/** Reads a state that belongs to the owner; `read` reads the body, all of it. */
export function restore(owner: Owner, bytes: Uint8Array, read: (reader: Reader, note: unknown) => void): void {
  if (!isBytes(bytes)) throw new TypeError("a saved state is a Uint8Array");
  const { state, note } = parted(bytes);
  if (MAGIC.some((byte, at) => at < state.length && state[at] !== byte)) throw refusedAs("not-saved-state");
  if (state.length > 4 && state[4] !== VERSION) throw refusedAs("other-version");
  if (state.length < HEADER) throw refusedAs("cut");
  const view = new DataView(state.buffer, state.byteOffset);
  const length = view.getUint32(14, true) + view.getUint32(18, true) * 0x1_0000_0000;
  if (state.length - HEADER < length) throw refusedAs("cut");
  if (state.length - HEADER !== length || view.getUint32(22, true) !== checksum(state)) throw refusedAs("changed");
  if (state[5] !== owner.kind) throw refusedAs("other-kind");
  if (view.getUint32(6, true) !== owner.patterns.folded) throw refusedAs("other-patterns");
  if (view.getUint32(10, true) !== owner.choices.folded) throw refusedAs("other-choices");
  try {
    const reader = new Reader(state.subarray(HEADER));
    read(reader, note);
    reader.end();
  } catch (thrown) {
    throw thrown instanceof Impossible ? refusedAs("impossible") : thrown;
  }
}
