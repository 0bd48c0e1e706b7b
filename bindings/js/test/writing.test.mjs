// How strings get into the module's memory: whatever their length, and however many bytes their characters take.

import assert from "node:assert/strict";
import test from "node:test";
import { Parser } from "../dist/index.js";

test("a string of any length and width arrives whole, whatever the input's capacity was before", () => {
  for (const character of ["a", "é", "₹", "😀"]) {
    // The input's capacity becomes the length of the longest string so far: from 1,024 on, each of these is the longest.
    for (let length = 1_000; length < 12_000; length += 331) {
      const text = JSON.stringify("x".repeat(length) + character.repeat(7));
      const parser = new Parser();
      parser.feed(text);
      parser.finish();
      assert.equal(parser.value(), JSON.parse(text));
      parser.dispose();
    }
  }
});

test("a string that fills the input to its last byte before it has ended arrives whole", () => {
  const parser = new Parser();
  const text = JSON.stringify(`${"₹".repeat(3)}${"a".repeat(300_000)}`);
  parser.feed(text);
  parser.finish();
  assert.equal(parser.value(), JSON.parse(text));
});
