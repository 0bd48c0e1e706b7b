// How the inlined module becomes bytes again: by a small module that is inlined with it.
//
// `../unpack/src/lib.rs` is that module; `../scripts/inline.mjs` packs.

/** The bytes of a packed module. The unpacker is in hexadecimal: it is short, and what is compressed twice gains nothing. */
export function unpack(unpacker: string, packed: string): Uint8Array {
  const bytes = new Uint8Array(unpacker.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = parseInt(unpacker.slice(2 * at, 2 * at + 2), 16);
  const { memory, unpack } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as {
    memory: WebAssembly.Memory;
    unpack(text: number, length: number): bigint;
  };
  // The bytes, of which some take two, and what is in them, twice: never ten times as much.
  const at = memory.grow(Math.ceil((12 * packed.length) / 65_536)) * 65_536;
  const { written } = new TextEncoder().encodeInto(atob(packed), new Uint8Array(memory.buffer, at));
  const place = unpack(at, written);
  return new Uint8Array(memory.buffer, Number(place & 0xffff_ffffn), Number(place >> 32n));
}
