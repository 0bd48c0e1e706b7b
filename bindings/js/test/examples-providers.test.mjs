// The examples of `jsonspigot/providers` say what they promise.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const run = (name) => execFileSync(process.execPath, [fileURLToPath(new URL(`../examples/${name}`, import.meta.url))], { encoding: "utf8" });

test("provider-stream.mjs", () => {
  assert.equal(
    run("provider-stream.mjs"),
    [
      "city: Bern",
      "city: Zürich",
      "summary: By tr",
      "summary: ain.",
      "plan { cities: [ 'Bern', 'Zürich' ], summary: 'By train.' }",
      "stopped: tool-use",
      "",
    ].join("\n"),
  );
});

test("envelope.mjs", () => {
  assert.equal(
    run("envelope.mjs"),
    [
      "tag:think raw 1 < 2",
      "next: Bell",
      "next: evue",
      "comment:context complete { next: 'Bellevue' }",
      "shown: Take the tram. Bye!",
      "",
    ].join("\n"),
  );
});
