// The rows of bytes: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import test from "node:test";

import { bytesOf, hexDump } from "./bytes.js";

test("each byte is shown, in hexadecimal and as ASCII", () => {
  assert.equal(hexDump(bytesOf("")), "");
  assert.equal(
    hexDump(bytesOf('data: "é"\n')),
    '0000  64 61 74 61 3a 20 22 c3  data: "·\n0008  a9 22 0a                 ·"·',
  );
});

test("a long frame is cut, and says so", () => {
  const rows = hexDump(bytesOf("x".repeat(2051))).split("\n");
  assert.equal(rows.length, 257);
  assert.equal(rows.at(-1), "… and 3 more");
});
