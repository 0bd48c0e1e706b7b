// `jsonspigot/providers` says what the command says, byte for byte: `vectors/` at the top of the repository.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as providers from "../dist/providers/index.js";
import { isReplayedHere, replayProviders } from "./replay-providers.mjs";
import { readVectors } from "./replay.mjs";

const folder = new URL("../../../vectors/", import.meta.url);

test("providers.jsonl", () => {
  const vectors = readVectors(readFileSync(new URL("providers.jsonl", folder), "utf8"));
  assert.ok(vectors.length >= 80, `${vectors.length} vectors`);
  for (const vector of vectors) {
    assert.ok(isReplayedHere(vector), vector.header.vector);
    assert.deepEqual(replayProviders(vector, providers), vector.lines, vector.header.vector);
  }
});
