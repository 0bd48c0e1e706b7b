// Imports do not go round in circles: those of what runs, as types refer to one another wherever they like.

import { deepEqual, ok } from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../dist", import.meta.url));

const IMPORT = /^(?:import|export)\b[^"'`;]*?from\s*"(\.[^"]+)"|^import\s*"(\.[^"]+)"/gm;

test("no imports form a cycle", () => {
  const files = readdirSync(dist, { recursive: true }).filter((name) => name.endsWith(".js"));
  const imports = new Map(
    files.map((file) => {
      const found = [...readFileSync(join(dist, file), "utf8").matchAll(IMPORT)];
      return [file, found.map(([, from, bare]) => relative(dist, join(dist, dirname(file), from ?? bare)))];
    }),
  );
  ok([...imports.values()].flat().length > 100, "the test reads imports");

  const circles = [];
  const done = new Set();
  const visit = (file, way) => {
    const at = way.indexOf(file);
    if (at >= 0) circles.push([...way.slice(at), file].join(" -> "));
    if (at >= 0 || done.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...way, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  deepEqual(circles, []);
});
