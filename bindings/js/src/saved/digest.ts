// Numbers of 64 bits by which patterns and choices are known, in every process and on every machine; and checksums.

import { encode } from "../utf8.js";

const KEY_HIGH = 0xd6e8feb8;
const KEY_LOW = 0x6659fd93;

/** The high 32 bits of a product of two 32-bit numbers. */
function highProduct(one: number, other: number): number {
  const oneLow = one & 0xffff;
  const oneHigh = one >>> 16;
  const otherLow = other & 0xffff;
  const otherHigh = other >>> 16;
  const middle = oneHigh * otherLow + Math.floor((oneLow * otherLow) / 0x10000);
  const carried = oneLow * otherHigh + (middle % 0x10000);
  return (oneHigh * otherHigh + Math.floor(middle / 0x10000) + Math.floor(carried / 0x10000)) >>> 0;
}

export class Digest {
  #high = 0x9e3779b9;
  #low = 0x7f4a7c15;

  /** Adds a number of 64 bits, in halves. */
  addHalves(high: number, low: number): this {
    const mixedHigh = (this.#high ^ high) >>> 0;
    const mixedLow = (this.#low ^ low) >>> 0;
    const productLow = Math.imul(mixedLow, KEY_LOW) >>> 0;
    const productHigh =
      (highProduct(mixedLow, KEY_LOW) + Math.imul(mixedHigh, KEY_LOW) + Math.imul(mixedLow, KEY_HIGH)) >>> 0;
    this.#high = productHigh;
    this.#low = (productLow ^ productHigh) >>> 0;
    return this;
  }

  /** Adds a number; infinity is the largest of 64 bits. */
  add(number: number): this {
    if (number === Infinity) return this.addHalves(0xffffffff, 0xffffffff);
    return this.addHalves(Math.floor(number / 0x1_0000_0000), number >>> 0);
  }

  /** Adds bytes. The words of long ones go to four digests in turn. */
  addBytes(bytes: Uint8Array): this {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const addWord = (digest: Digest, at: number) => digest.addHalves(view.getUint32(at + 4, true), view.getUint32(at, true));
    const blocks = bytes.length - (bytes.length % 32);
    const whole = bytes.length - (bytes.length % 8);
    if (blocks > 0) {
      const lanes = [this, this.#copy(), this.#copy(), this.#copy()];
      for (let at = 0; at < blocks; at += 32) lanes.forEach((lane, index) => addWord(lane, at + 8 * index));
      for (const other of lanes.slice(1)) this.addDigest(other);
    }
    for (let at = blocks; at < whole; at += 8) addWord(this, at);
    const last = new Uint8Array(8);
    last.set(bytes.subarray(whole));
    const rest = new DataView(last.buffer);
    return this.addHalves(rest.getUint32(4, true), rest.getUint32(0, true)).add(bytes.length);
  }

  #copy(): Digest {
    const copy = new Digest();
    copy.#high = this.#high;
    copy.#low = this.#low;
    return copy;
  }

  /** Adds text byte by byte. */
  addText(text: string): this {
    for (const byte of encode(text)) this.addHalves(0, byte);
    return this;
  }

  /** Adds what another one was made of. */
  addDigest(other: Digest): this {
    return this.addHalves(other.#high, other.#low);
  }

  get folded(): number {
    return (this.#high ^ this.#low) >>> 0;
  }
}
