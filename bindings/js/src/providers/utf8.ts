// Where a chunk cuts a character, and where bytes stop being UTF-8.

/** A byte order mark is a character like any other. What is not UTF-8 the one throws for, and the other replaces. */
export const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
export const lossy = new TextDecoder("utf-8", { ignoreBOM: true });

/** How many bytes at the end are the beginning of a character. */
export function cutLength(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/**
 * The first byte after which nothing could make the bytes UTF-8, and where the sequence that it spoils begins;
 * `undefined` if there is none. The beginning of a character at the end is not bad.
 */
export function badByte(bytes: Uint8Array): { readonly at: number; readonly start: number } | undefined {
  for (let start = 0; start < bytes.length; ) {
    const lead = bytes[start]!;
    const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length === 0) return { at: start, start };
    for (let at = start + 1; at < start + length && at < bytes.length; at++) {
      const byte = bytes[at]!;
      const isSecond = at === start + 1;
      const least = isSecond && lead === 0xe0 ? 0xa0 : isSecond && lead === 0xf0 ? 0x90 : 0x80;
      const most = isSecond && lead === 0xed ? 0x9f : isSecond && lead === 0xf4 ? 0x8f : 0xbf;
      if (byte < least || byte > most) return { at, start };
    }
    start += length;
  }
  return undefined;
}
