// How the inlined module becomes bytes again: by the runtime's own zlib, or by a small module that is inlined with it.
//
// `../unpack/src/lib.rs` is that module; `../scripts/inline.mjs` packs.

/** The bytes of a packed module. */
export function unpack(unpacker: string, packed: string): Uint8Array {
  return unpackNatively(packed) ?? unpackByModule(unpacker, packed);
}

/** What Node, Bun and Deno have, as far as it is used here. */
interface Runtime {
  readonly process?: {
    getBuiltinModule?(name: string): { inflateRawSync?(bytes: Uint8Array, options: { chunkSize: number }): Uint8Array } | undefined;
  };
  readonly Buffer?: { from(text: string, encoding: "base64"): Uint8Array };
}

/** By zlib, which takes half the time at a first use. Nothing is imported: browsers and bundles know no such name. */
export function unpackNatively(packed: string): Uint8Array | undefined {
  const { process, Buffer } = globalThis as Runtime;
  try {
    // In one piece: with its usual chunks it takes half as long again.
    return process?.getBuiltinModule?.("node:zlib")?.inflateRawSync?.(Buffer!.from(packed, "base64"), { chunkSize: 1 << 17 });
  } catch {
    // Something else of that name, as pages sometimes have.
    return undefined;
  }
}

/** By the unpacker, which is in hexadecimal: it is short, and what is compressed twice gains nothing. */
export function unpackByModule(unpacker: string, packed: string): Uint8Array {
  const bytes = new Uint8Array(unpacker.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = parseInt(unpacker.slice(2 * at, 2 * at + 2), 16);
  const { memory, unpack } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as {
    memory: WebAssembly.Memory;
    unpack(text: number, length: number): bigint;
  };
  // The text, and what is in it: never ten times as much.
  const at = memory.grow(Math.ceil((11 * packed.length) / 65_536)) * 65_536;
  new TextEncoder().encodeInto(packed, new Uint8Array(memory.buffer, at));
  const place = unpack(at, packed.length);
  return new Uint8Array(memory.buffer, Number(place & 0xffff_ffffn), Number(place >> 32n));
}
