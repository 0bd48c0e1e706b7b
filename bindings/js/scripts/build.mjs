// Builds `dist/`: the module by cargo and wasm-opt, its bytes as text, the TypeScript by tsc.
//
// Needs Rust with the target wasm32-unknown-unknown (`rustup target add wasm32-unknown-unknown`). The same sources give the
// same bytes: the lock files fix what is built, and paths of this machine are kept out.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { homedir } from "node:os";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const repository = dirname(dirname(here));
const run = (command, args, options = {}) => execFileSync(command, args, { cwd: here, stdio: "inherit", ...options });

rmSync(join(here, "dist"), { recursive: true, force: true });
mkdirSync(join(here, "dist"));

const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
const remap = [[cargoHome, "/cargo"], [repository, "/jsonspigot"]].map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
run(
  "cargo",
  ["build", "--quiet", "--release", "--locked", "--target", "wasm32-unknown-unknown", "--manifest-path", "wasm/Cargo.toml", "--target-dir", "wasm/target"],
  { env: { ...process.env, RUSTFLAGS: remap.join(" "), CARGO_INCREMENTAL: "0" } },
);
run("node_modules/.bin/wasm-opt", [
  "wasm/target/wasm32-unknown-unknown/release/jsonspigot_wasm.wasm",
  ...["-Oz", "--converge", "--strip-debug", "--strip-producers", "--strip-target-features"],
  // What every engine has had since 2021, and rustc uses.
  ...["--enable-bulk-memory", "--enable-nontrapping-float-to-int", "--enable-sign-ext", "--enable-mutable-globals"],
  ...["-o", "dist/jsonspigot.wasm"],
]);

// Two letters a byte: twice the file, but gzip sees the bytes as they are, which it does not in base64.
const bytes = readFileSync(join(here, "dist/jsonspigot.wasm"));
run("node_modules/.bin/tsc", []);
writeFileSync(
  join(here, "dist/inlined.js"),
  `// The module's bytes, in hexadecimal; made by \`npm run build\`.
const text = "${bytes.toString("hex")}";
export function inlined() {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = digit(text.charCodeAt(2 * at)) * 16 + digit(text.charCodeAt(2 * at + 1));
  return bytes;
}
const digit = (unit) => (unit < 58 ? unit - 48 : unit - 87);
`,
);

run("node", ["scripts/translate.mjs"]);
