// Bytes for a person: where each row begins, its bytes in hexadecimal, and what of them is ASCII.

const ROW = 8;

/** How many bytes are shown at most. */
const MOST = 2048;

/** The bytes of a text in UTF-8. */
export function bytesOf(text) {
  return new TextEncoder().encode(text);
}

/** Bytes in rows, such as `0008  22 7b 0a 3a  "{·:`. */
export function hexDump(bytes) {
  const rows = [];
  for (let from = 0; from < Math.min(bytes.length, MOST); from += ROW) {
    const row = [...bytes.subarray(from, Math.min(from + ROW, MOST))];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const ascii = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
    rows.push(`${from.toString(16).padStart(4, "0")}  ${hex.padEnd(3 * ROW - 1)}  ${ascii}`);
  }
  if (bytes.length > MOST) rows.push(`… and ${bytes.length - MOST} more`);
  return rows.join("\n");
}
