// Bytes as text: what is UTF-8 becomes its characters, and a byte that is not becomes half a surrogate pair, which no UTF-8
// text has, with the byte in its lowest eight bits and in the two above them how many bytes after it the sequence breaks.
// So the parser, which alone knows where it is, judges it: in a string the byte that breaks the sequence is the error,
// anywhere else its first byte is.

// Made when they are needed: a page that is fed strings never does.
let encoder: TextEncoder | undefined;
let decoder: TextDecoder | undefined;

/** Up to this length a loop is faster than the decoder. */
const SHORT = 12;

/** Half a surrogate pair. */
export const LONE = /[\ud800-\udfff]/gu;

const unit = String.fromCharCode;

/** Returns true if a text, or what is before a place in it, ends in the first half of a surrogate pair. */
export const endsInHalf = (text: string, end = text.length): boolean => (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;

/** Returns after how many bytes the sequence breaks that begins with the byte of this unit. */
export function breakOf(unit: number): number {
  return (unit >> 8) & 3;
}

/** Returns the length of the sequence that begins with this byte; 0 if none does. */
function lengthOf(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** Returns how many bytes from an index on can begin a sequence, at most all of it. */
function viable(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  const length = lengthOf(first);
  let count = Math.min(1, length);
  for (; count < length && at + count < bytes.length; count++) {
    const byte = bytes[at + count]!;
    const low = count > 1 ? 0x80 : first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    const high = count > 1 ? 0xbf : first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    if (byte < low || byte > high) break;
  }
  return count;
}

/** Returns the length of the incomplete sequence at the end. */
export function openTail(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    return lengthOf(byte) > back && viable(bytes, end - back) === back ? back : 0;
  }
  return 0;
}

/** Decodes bytes. Returns `undefined` if they are not UTF-8. */
function easyText(bytes: Uint8Array): string | undefined {
  try {
    return shortAscii(bytes, 0, bytes.length) ?? decodeAll(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes few bytes that are ASCII. Returns `undefined` for others. */
export function shortAscii(bytes: Uint8Array, from: number, to: number): string | undefined {
  if (to - from > SHORT) return undefined;
  let all = 0;
  for (let at = from; at < to; at++) all |= bytes[at]!;
  if (all > 0x7f) return undefined;
  let text = "";
  let at = from;
  for (; at + 4 <= to; at += 4) text += unit(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!);
  for (; at < to; at++) text += unit(bytes[at]!);
  return text;
}

/** Decodes bytes that do not end inside a character. Returns `undefined` for others. */
export function wholeText(bytes: Uint8Array): string | undefined {
  return bytes[bytes.length - 1]! > 0x7f ? undefined : easyText(bytes);
}

/** Decodes bytes. Each byte that is not UTF-8 becomes a unit that stands for it. */
export function decode(bytes: Uint8Array): string {
  const easy = easyText(bytes);
  if (easy !== undefined) return easy;
  let text = "";
  for (let at = 0, next = 0; at < bytes.length; at = next) {
    const count = viable(bytes, at);
    const isWhole = count > 0 && count === lengthOf(bytes[at]!);
    next = at + (isWhole ? count : 1);
    text += isWhole ? decodeAll(bytes.subarray(at, next)) : unit(0xdc00 | (count << 8) | bytes[at]!);
  }
  return text;
}

export const encode = (text: string): Uint8Array => (encoder ??= new TextEncoder()).encode(text);

/** @throws {TypeError} if they are not UTF-8 */
export const decodeAll = (bytes: Uint8Array): string =>
  (decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })).decode(bytes);

/** Encodes the character at an index of a text. */
export const encodeAt = (text: string, at: number): Uint8Array => encode(String.fromCodePoint(text.codePointAt(at)!));

/** Returns the number of bytes of a text as UTF-8. A byte that is not UTF-8 counts as one, in a text that was bytes. */
export function utf8Length(text: string, from = 0, to = text.length, wasBytes = false): number {
  let length = to - from;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a pair is two of its four bytes.
    if (unit >= 0x80) length += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return wasBytes ? length - (text.slice(from, to).match(LONE)?.length ?? 0) : length;
}

/** Returns true if half a surrogate pair is at a place of a text, and not the other half. */
export const isLone = (text: string, at: number): boolean => (text.codePointAt(at)! & 0x1ff800) === 0xd800;

/**
 * Returns the bytes of a text that was read: a unit that stands for a byte is that byte. Half a pair becomes any two bytes,
 * or the first two of its character if the next chunk may complete it.
 */
export function bytesOf(text: string, wereBytes: boolean, mayGoOn = false): Uint8Array {
  const parts = text.split(/([\ud800-\udfff])/u);
  const ofLone = (unit: string, at: number): number[] | Uint8Array => {
    if (wereBytes) return [unit.charCodeAt(0) & 0xff];
    const isCut = mayGoOn && at === parts.length - 2 && endsInHalf(text);
    return isCut ? encodeAt(`${unit}\udc00`, 0).subarray(0, 2) : [32, 32];
  };
  return joinedAll(parts.map((part, at) => (at % 2 === 0 ? encode(part) : Uint8Array.from(ofLone(part, at)))));
}

export function joinedAll(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Joins two parts of a text. */
export function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other;
  return joinedAll([one, other]);
}

/** Returns the length of the longest beginning of a text, in whole characters, that has at most this many bytes. */
export function within(text: string, most: number, wasBytes = false): number {
  if (text.length * 3 <= most) return text.length;
  let bytes = 0;
  for (let at = 0; at < text.length; ) {
    const next = at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
    bytes += utf8Length(text, at, next, wasBytes);
    if (bytes > most) return at;
    at = next;
  }
  return text.length;
}

/** Joins characters that the ends of chunks cut. */
export class Characters {
  /** The first half of a surrogate pair, or the first bytes of a character, from the end of the last chunk. */
  held: string | Uint8Array = "";

  /** Returns the text of what is held and a chunk of the same type, up to a character that its end cuts. */
  take(chunk: string | Uint8Array): string {
    const { held } = this;
    if (typeof chunk === "string") {
      const text = held.length > 0 ? held + chunk : chunk;
      const isCut = endsInHalf(text);
      this.held = isCut ? text.slice(-1) : "";
      return isCut ? text.slice(0, -1) : text;
    }
    const bytes = typeof held === "string" ? chunk : joined(held, chunk);
    const end = bytes.length - openTail(bytes);
    this.held = bytes.slice(end);
    return decode(bytes.subarray(0, end));
  }
}
