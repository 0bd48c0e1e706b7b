// The package can touch nothing, as its README says.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const dist = new URL("../dist/", import.meta.url);
const files = readdirSync(dist, { recursive: true }).map(String);

test("the modules import nothing", () => {
  const modules = files.filter((name) => name.endsWith(".wasm"));
  assert.deepEqual(modules, ["providers.wasm"]);
  for (const name of modules) {
    const module = new WebAssembly.Module(readFileSync(new URL(name, dist)));
    assert.deepEqual(WebAssembly.Module.imports(module), [], name);
  }
});

test("the package imports React, and nothing else", () => {
  const outside = new Set();
  for (const name of files.filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(new URL(name, dist), "utf8");
    for (const [, from] of text.matchAll(/^(?:import |(?:import|export) .* from |\} from )["']([^"']+)["'];$/gm)) {
      if (!from.startsWith("./") && !from.startsWith("../")) outside.add(from);
    }
    assert.doesNotMatch(text, /\b(?:eval|Function|require|import|getBuiltinModule)\(/, name);
  }
  assert.deepEqual([...outside].sort(), ["react"]);
  const { dependencies, scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(dependencies, undefined);
  assert.deepEqual(Object.keys(scripts).filter((name) => /install|prepare$/.test(name)), []);
});
