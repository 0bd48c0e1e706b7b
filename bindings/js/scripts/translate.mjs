// Writes `dist/translated.js`: the module in `dist/jsonspigot.wasm` as JavaScript, by binaryen's `wasm2js`.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { transform } from "esbuild";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const run = (command, args) => execFileSync(command, args, { cwd: here, stdio: "inherit" });

// JavaScript has to do without what WebAssembly has had since 2021.
run("node_modules/.bin/wasm-opt", [
  "dist/jsonspigot.wasm",
  ...["--enable-bulk-memory", "--enable-nontrapping-float-to-int", "--enable-sign-ext", "--enable-mutable-globals"],
  ...["--llvm-nontrapping-fptoint-lowering", "--signext-lowering", "--llvm-memory-copy-fill-lowering", "-Os"],
  ...["-o", "wasm/target/lowered.wasm"],
]);
run("node_modules/.bin/wasm2js", ["-Os", "wasm/target/lowered.wasm", "-o", "wasm/target/lowered.js"]);

let text = readFileSync(join(here, "wasm/target/lowered.js"), "utf8");
/** wasm2js has no options for these. If it writes them in another way one day, the build has to say so. */
const replace = (from, to) => {
  if (text.split(from).length !== 2) throw new Error(`wasm2js writes ${JSON.stringify(from)} in another way`);
  text = text.replace(from, () => to);
};
// It starts the module when it is loaded, and once only.
const loaded = "\nvar retasmFunc = asmFunc({\n});\n";
text = text.slice(0, text.indexOf(loaded) + loaded.length);
replace(loaded, "\nexport const translated = asmFunc;\n");
replace("function asmFunc(imports)", "function asmFunc(grown)");
replace(" initActiveSegments(imports);", " initActiveSegments();");
// Views of memory that has grown stay readable here, so whoever has one is told.
replace("\n   buffer = newBuffer;", "\n   buffer = newBuffer;\n   grown();");
replace("throw new Error('abort')", 'throw new RangeError("unreachable")');

const banner = "// The module as JavaScript; made by `npm run build`.";
const { code } = await transform(text, { minify: true, format: "esm", target: "es2020", charset: "ascii", banner });
writeFileSync(join(here, "dist/translated.js"), code);
