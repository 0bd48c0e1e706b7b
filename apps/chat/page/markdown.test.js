// Where Markdown is cut into blocks while it streams: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import test from "node:test";

import { Blocks } from "./markdown.js";

const TEXT =
  "# One\n\nA *b*\nc\n\n\n- d\n\n- e\n\n  more of e\n- f\n\nAfter\n\n```js\n\nx\n\n~~~\n```\n\n1. g\n\n   ```\n\nh\n   ```\n2. i\n\n> j\n\n> k\n\nThe end";
const BLOCKS = [
  "# One\n\n",
  "A *b*\nc\n\n\n",
  "- d\n\n- e\n\n  more of e\n- f\n\n",
  "After\n\n",
  "```js\n\nx\n\n~~~\n```\n\n",
  "1. g\n\n   ```\n\nh\n   ```\n2. i\n\n",
  "> j\n\n",
];

test("every pair of cuts gives the same blocks, and nothing is lost", () => {
  for (let first = 0; first <= TEXT.length; first += 1) {
    for (let second = first; second <= TEXT.length; second += 1) {
      const blocks = new Blocks();
      const pieces = [TEXT.slice(0, first), TEXT.slice(first, second), "", TEXT.slice(second)];
      assert.deepEqual(
        pieces.flatMap((piece) => blocks.take(piece)),
        BLOCKS,
        `cut at ${first} and ${second}`,
      );
      assert.equal(blocks.rest, "> k\n\nThe end");
    }
  }
});

test("code that is never closed stays one block", () => {
  const blocks = new Blocks();
  assert.deepEqual(blocks.take("Before\n\n````\na\n\nb\n```\n\nc"), ["Before\n\n"]);
  assert.equal(blocks.rest, "````\na\n\nb\n```\n\nc");
});
