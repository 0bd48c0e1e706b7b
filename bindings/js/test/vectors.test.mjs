// The package says what the command says, byte for byte: `vectors/` at the top of the repository.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import * as jsonspigot from "./all.mjs";
import { isReplayed, readVectors, replay } from "./replay.mjs";

const folder = new URL("../../../vectors/", import.meta.url);

for (const file of readdirSync(folder).filter((name) => name.endsWith(".jsonl"))) {
  test(file, () => {
    const vectors = readVectors(readFileSync(new URL(file, folder), "utf8"));
    assert.ok(vectors.length > 0);
    for (const vector of vectors) {
      if (!isReplayed(vector, jsonspigot)) continue;
      assert.deepEqual(replay(vector, jsonspigot), vector.lines, vector.header.vector);
    }
  });
}

for (const every of [1, 2]) {
  test(`all of them, saved and restored after every ${every} chunks`, () => {
    let count = 0;
    for (const file of readdirSync(folder).filter((name) => name.endsWith(".jsonl"))) {
      for (const vector of readVectors(readFileSync(new URL(file, folder), "utf8"))) {
        if (!isReplayed(vector, jsonspigot)) continue;
        count += 1;
        assert.deepEqual(replay(vector, jsonspigot, every), vector.lines, `${file}: ${vector.header.vector}`);
      }
    }
    assert.ok(count >= 450, `${count}`);
  });
}

test("at most a few vectors are left out", () => {
  const all = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readVectors(readFileSync(new URL(name, folder), "utf8")));
  const replayed = all.filter((vector) => isReplayed(vector, jsonspigot));
  assert.ok(replayed.length >= 400, `${replayed.length} of ${all.length}`);
});
