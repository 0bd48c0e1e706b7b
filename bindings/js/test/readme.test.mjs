// The code in the README: compiled strictly, run, and compared with what its comments say it prints. A block begins with
// what stands in `<!-- given: … -->` before it. Blocks with JSX are compiled only: the hook has its tests in a browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";

import { transform } from "esbuild";

// Beside the package's own manifest, by which a package finds itself.
const folder = fileURLToPath(new URL("readme-blocks/", import.meta.url));
const text = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const blocks = [...text.matchAll(/(?:<!-- given: (.*) -->\n)?```(tsx?)\n([^]*?)```/g)].map(([, given = "", language, code], at) => {
  const imports = [...code.matchAll(/ from "([^"]+)"/g)].map(([, from]) => from);
  return { name: `${at}.${language}`, given, language, code, imports, title: code.split("\n").find((line) => line.startsWith("import")) };
});

/** Whether what a block imports is installed. */
function isHere(name) {
  const root = name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/");
  return root === "jsonspigot" || createRequire(import.meta.url).resolve.paths(root).some((path) => existsSync(`${path}/${root}`));
}

before(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const { name, given, code } of blocks) writeFileSync(folder + name, `${given}\n${code}\nexport {};\n`);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("there are blocks for each that one may come from", () => {
  const all = blocks.flatMap(({ imports }) => imports);
  for (const name of ["ai", "partial-json", "best-effort-json-parser", "jsonriver", "@streamparser/json", "jsonspigot/compat"]) {
    assert.ok(all.includes(name), name);
  }
});

test("they compile under strict", () => {
  const files = blocks.filter(({ imports }) => imports.every(isHere)).map(({ name }) => name);
  const compilerOptions = { noEmit: true, strict: true, module: "nodenext", target: "es2022", lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"], jsx: "react-jsx", types: [], skipLibCheck: true };
  writeFileSync(`${folder}tsconfig.json`, JSON.stringify({ compilerOptions, files }));
  const root = fileURLToPath(new URL("..", import.meta.url));
  try {
    execFileSync(`${root}node_modules/.bin/tsc`, ["--project", folder], { encoding: "utf8", cwd: root });
  } catch ({ stdout }) {
    assert.fail(stdout);
  }
});

for (const { name, title, given, language, code, imports } of blocks.filter(({ language }) => language === "ts")) {
  const absent = imports.filter((from) => !isHere(from));
  test(`${name}: ${title}`, { skip: absent.length > 0 && `${absent} is not installed` }, async () => {
    const expected = [...code.matchAll(/console\.log\(.*; \/\/ (.*)$/gm)].flatMap(([, said]) => said.split(", then "));
    const js = await transform(`${given}\n${code}`, { loader: language, target: "es2022" });
    writeFileSync(`${folder}${name}.mjs`, js.code);
    const printed = [];
    const { log } = console;
    console.log = (...values) => printed.push(values.map((value) => JSON.stringify(value)).join(" "));
    try {
      await import(`./readme-blocks/${name}.mjs`);
    } finally {
      console.log = log;
    }
    assert.deepEqual(printed, expected);
  });
}
