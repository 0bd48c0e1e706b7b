// Events from Amazon's event stream (`application/vnd.amazon.eventstream`), as Bedrock sends it.
//
// A message has a prelude (its length, that of its headers, and the checksum of these eight bytes, four bytes each, the
// highest first), headers, the payload, and the checksum of all that. A header names the event and the payload is its
// JSON, which is wrapped in the name: `{"messageStop":{…}}` is the form that the library reads. If the prelude is
// damaged, the start of the next message is unknown, and the rest is lost; any other damage affects one message.

import type { OnFrame } from "./framing.js";
import { lossy, strict } from "./utf8.js";

/** The lengths of a prelude and of the checksum at the end. */
export const PRELUDE = 12;
const CHECKSUM = 4;
/** The longest headers that Amazon allows. */
const MOST_HEADERS = 128 << 10;

interface Lengths {
  readonly total: number;
  readonly headers: number;
}

function lengthsOf(prelude: Uint8Array): Lengths | undefined {
  const view = new DataView(prelude.buffer, prelude.byteOffset, PRELUDE);
  const total = view.getUint32(0);
  const headers = view.getUint32(4);
  return headers <= Math.min(total - PRELUDE - CHECKSUM, MOST_HEADERS) ? { total, headers } : undefined;
}

function hasChecksum(prelude: Uint8Array): boolean {
  return crc32(prelude.subarray(0, 8)) === new DataView(prelude.buffer, prelude.byteOffset, PRELUDE).getUint32(8);
}

/**
 * Whether an input that begins with these bytes consists of messages. A damaged first message is recognized by its
 * lengths: the bytes of a text would make them far too large.
 */
export function isPrelude(first: Uint8Array): boolean {
  return hasChecksum(first) || lengthsOf(first) !== undefined;
}

export class Messages {
  readonly #limit: number;
  readonly #onFrame: OnFrame;
  /** The current message so far: `size` bytes of this, which grows with what arrives. */
  #held: Uint8Array<ArrayBuffer> = new Uint8Array(1024);
  #size = 0;
  #lengths: Lengths | undefined;
  /** How many bytes of a message that is too long are still to be skipped. */
  #passing = 0;
  #isLost = false;

  constructor(limit: number, onFrame: OnFrame) {
    this.#limit = limit;
    this.#onFrame = onFrame;
  }

  /** How far the bytes have come, to be saved; to be restored, what is held is fed afterwards. */
  get state(): [held: Uint8Array, passing: number, isLost: boolean] {
    return [this.#held.subarray(0, this.#size), this.#passing, this.#isLost];
  }

  set state([, passing, isLost]) {
    this.#size = 0;
    this.#lengths = undefined;
    this.#passing = passing;
    this.#isLost = isLost;
  }

  feed(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length && !this.#isLost) {
      if (this.#passing > 0) {
        const passed = Math.min(this.#passing, chunk.length - at);
        this.#passing -= passed;
        at += passed;
        continue;
      }
      const wanted = (this.#lengths?.total ?? PRELUDE) - this.#size;
      const taken = chunk.subarray(at, at + wanted);
      at += taken.length;
      this.#hold(taken);
      if (taken.length < wanted) return;
      if (this.#lengths) this.#readMessage(this.#lengths);
      else this.#readPrelude();
    }
  }

  /** Ends the input. A message that is still open was cut off. */
  finish(): void {
    if (!this.#isLost && this.#size > 0) {
      const payload = this.#lengths ? this.#held.subarray(PRELUDE + this.#lengths.headers, this.#size) : new Uint8Array(0);
      this.#onFrame("unreadable", lossy.decode(payload));
    } else if (!this.#isLost && this.#passing > 0) {
      this.#onFrame("unreadable", "");
    }
    this.#isLost = true;
  }

  #hold(bytes: Uint8Array): void {
    if (this.#size + bytes.length > this.#held.length) {
      const grown = new Uint8Array(Math.max(2 * this.#held.length, this.#size + bytes.length));
      grown.set(this.#held.subarray(0, this.#size));
      this.#held = grown;
    }
    this.#held.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  #readPrelude(): void {
    const prelude = this.#held.subarray(0, PRELUDE);
    const lengths = hasChecksum(prelude) ? lengthsOf(prelude) : undefined;
    if (!lengths) {
      this.#isLost = true;
      this.#onFrame("unreadable", "");
    } else if (lengths.total - lengths.headers > this.#limit + PRELUDE + CHECKSUM) {
      this.#passing = lengths.total - PRELUDE;
      this.#size = 0;
      this.#onFrame("too-long", "");
    } else {
      this.#lengths = lengths;
    }
  }

  #readMessage({ total, headers }: Lengths): void {
    const message = this.#held.subarray(0, total - CHECKSUM);
    const isSound = crc32(message) === new DataView(this.#held.buffer).getUint32(total - CHECKSUM);
    const names = isSound ? readNames(message.subarray(PRELUDE, PRELUDE + headers)) : undefined;
    const payload = message.subarray(PRELUDE + headers);
    if (names) tell(names, payload, this.#onFrame);
    else this.#onFrame("unreadable", lossy.decode(payload));
    this.#size = 0;
    this.#lengths = undefined;
  }
}

type Names = Map<string, string>;

/** How long a header's value is, by its type; strings and bytes have their length before them. */
const VALUE_LENGTHS = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];
const STRING = 7;

/** The headers that are strings; `undefined` if they are not headers. */
function readNames(headers: Uint8Array): Names | undefined {
  const names: Names = new Map();
  const view = new DataView(headers.buffer, headers.byteOffset, headers.length);
  try {
    for (let at = 0; at < headers.length; ) {
      const nameEnd = at + 1 + view.getUint8(at);
      const name = text(headers, at + 1, nameEnd);
      const type = view.getUint8(nameEnd);
      let length = VALUE_LENGTHS[type];
      if (length === undefined) return undefined;
      at = nameEnd + 1;
      if (length < 0) {
        length = view.getUint16(at);
        at += 2;
      }
      if (at + length > headers.length) return undefined;
      if (type === STRING) names.set(name, text(headers, at, at + length));
      else names.delete(name);
      at += length;
    }
  } catch {
    // Cut, or not UTF-8.
    return undefined;
  }
  return names;
}

function text(bytes: Uint8Array, from: number, to: number): string {
  if (to > bytes.length) throw new RangeError("cut");
  return strict.decode(bytes.subarray(from, to));
}

function tell(names: Names, payload: Uint8Array, onFrame: OnFrame): void {
  let json: string | undefined;
  const shown = lossy.decode(payload);
  try {
    json = jsonOf(strict.decode(payload));
  } catch {
    json = undefined;
  }
  const message = (words: string): string => JSON.stringify({ message: words });
  const wrap = (name: string, value: string): string => `{${JSON.stringify(name)}:${value}}`;
  const event = names.get(":event-type");
  switch (names.get(":message-type")) {
    case "event":
    case undefined:
      if (event !== undefined && json !== undefined) onFrame("text", wrap(event, json));
      else onFrame("unreadable", shown);
      return;
    case "exception":
      // An error is reported even if its payload is not what it should be.
      onFrame("exception", wrap(names.get(":exception-type") ?? "exception", json ?? message(shown)));
      return;
    case "error":
      onFrame("exception", wrap(names.get(":error-code") ?? "error", message(names.get(":error-message") ?? shown)));
      return;
    default:
      onFrame("unreadable", shown);
  }
}

/** A payload, if it is exactly one JSON value. Wrapping anything else could add members to the event. */
function jsonOf(payload: string): string {
  if (payload === "") return "{}";
  JSON.parse(payload);
  return payload;
}

let table: Uint32Array | undefined;

export function crc32(bytes: Uint8Array): number {
  if (!table) {
    table = new Uint32Array(256);
    for (let byte = 0; byte < 256; byte++) {
      let sum = byte;
      for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
      table[byte] = sum;
    }
  }
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ table[(sum ^ byte) & 0xff]!;
  return (sum ^ 0xffffffff) >>> 0;
}
