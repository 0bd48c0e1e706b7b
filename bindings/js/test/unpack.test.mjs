// What is packed comes out again: the module of the package, and one with every kind of instruction that the packer knows.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { fromBase64 } from "../dist/providers/base64.js";
import { packed, unpacker } from "../dist/providers/inlined.js";
import { plain } from "../dist/providers/plain.js";
import { unpack } from "../dist/providers/unpack.js";
import { pack } from "../scripts/inline.mjs";

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url));
const hexadecimal = read("unpack/target/unpack.wasm").toString("hex");
const comesOut = async (module) => {
  assert.deepEqual(Buffer.from(unpack(hexadecimal, await pack(module))), Buffer.from(module));
};

test("the inlined module is that of the file", () => {
  const module = read("dist/providers.wasm");
  assert.ok(module.equals(unpack(unpacker, packed)));
  assert.ok(module.equals(plain()));
});

test("Base64 is read with a `Buffer` and without", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const text = Buffer.from(bytes).toString("base64");
  assert.deepEqual(new Uint8Array(fromBase64(text)), bytes);
  const { Buffer: buffer } = globalThis;
  delete globalThis.Buffer;
  try {
    assert.deepEqual(fromBase64(text), bytes);
  } finally {
    globalThis.Buffer = buffer;
  }
});

test("a module comes out of the packed text", async () => {
  // The unpacker is a module too.
  await comesOut(read("unpack/target/unpack.wasm"));
});

/** A module with one function of these instructions, which need not be valid. */
function moduleWith(...body) {
  const number = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >> 7)]);
  const sized = (bytes) => [...number(bytes.length), ...bytes];
  // Two groups of locals: three of i32, and 200 of i64.
  const code = [2, 3, 0x7f, 0xc8, 0x01, 0x7e, ...body, 0x0b];
  const types = [1, 0x60, 0, 0];
  return Uint8Array.from([0, 97, 115, 109, 1, 0, 0, 0, 1, ...sized(types), 3, 2, 1, 0, 10, ...sized([1, ...sized(code)])]);
}

test("all that instructions are followed by comes out again", async () => {
  const long = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f];
  const instructions = {
    blocks: [0x02, 0x40, 0x03, 0x7f, 0x0b, 0x04, 0x40, 0x05, 0x0b, 0x0b],
    branches: [0x0c, 0x00, 0x0d, 0x81, 0x01, 0x0e, 0x00, 0x01, 0x0e, 0x02, 0x01, 0x02, 0x03, 0x0f],
    calls: [0x10, 0x85, 0x01, 0x11, 0x00, 0x00, 0x1a, 0x1b],
    variables: [0x20, 0x00, 0x21, 0x81, 0x01, 0x22, 0x02, 0x23, 0x00, 0x24, 0x00],
    memory: [0x28, 0x02, 0x08, 0x28, 0x00, 0x80, 0x01, 0x37, 0x03, 0x10, 0x37, 0x00, 0x18, 0x2b, 0x03, 0x00, 0x3f, 0x00, 0x40, 0x00],
    constants: [0x41, 0x7f, 0x41, 0x80, 0x80, 0xc0, 0x00, 0x42, ...long, 0x44, 1, 2, 3, 4, 5, 6, 0x0b, 8],
    bulk: [0xfc, 0x00, 0xfc, 0x07, 0xfc, 0x0a, 0x00, 0x00, 0xfc, 0x0b, 0x00],
    arithmetic: [0x45, 0x6a, 0x7c, 0xa7, 0xad, 0xc0, 0xc4],
  };
  for (const body of [[], ...Object.values(instructions), Object.values(instructions).flat()]) {
    await comesOut(moduleWith(...body));
  }
});

test("what can't be packed comes out too", async () => {
  // Noise, in blocks of bytes as they are: those have at most 65,535 each.
  let state = 1;
  const noise = Array.from({ length: 9 * 8_000 }, (_, place) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return place % 9 === 0 ? 0x44 : state >>> 24;
  });
  await comesOut(moduleWith(...noise));
});

test("an instruction that the packer does not know is an error of the build", async () => {
  for (const body of [[0xfd, 0x0c], [0xfc, 0x08, 0x00, 0x00], [0xd0, 0x70], [0x1c, 0x01, 0x7f]]) {
    await assert.rejects(pack(moduleWith(...body)), /an instruction that the packer does not know/);
  }
});
