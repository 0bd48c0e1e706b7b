// Builds `dist/`: the module by cargo and wasm-opt, the TypeScript by tsc, and the module's bytes as text.
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
const remap = [
  [cargoHome, "/cargo"],
  [repository, "/jsonspigot"],
].map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
// More than the frames of all functions together, and none calls itself: so it never overflows, and the addresses of data
// are short.
const flags = [...remap, "-Clink-arg=-zstack-size=131072"].join(" ");
// What it mends differs between folders of systems that have it, too.
const wrapper = process.platform === "win32" ? "" : join(here, "scripts/rustc-wrapper.sh");
run(
  "cargo",
  [
    "build",
    "--quiet",
    "--release",
    "--locked",
    "--target",
    "wasm32-unknown-unknown",
    "--manifest-path",
    "wasm/Cargo.toml",
    "--target-dir",
    "wasm/target",
  ],
  {
    env: { ...process.env, RUSTFLAGS: flags, RUSTC_WRAPPER: wrapper, CARGO_INCREMENTAL: "0" },
  },
);
run("node_modules/.bin/wasm-opt", [
  "wasm/target/wasm32-unknown-unknown/release/jsonspigot_wasm.wasm",
  ...["-Oz", "--converge", "--strip-debug", "--strip-producers", "--strip-target-features"],
  // What is called most comes first and has the short numbers; and nobody reads the lowest kilobyte of memory, the end of
  // the stack.
  ...["--reorder-functions", "--low-memory-unused"],
  // What every engine has had since 2021, and rustc uses.
  ...["--enable-bulk-memory", "--enable-nontrapping-float-to-int", "--enable-sign-ext", "--enable-mutable-globals"],
  ...["-o", "dist/providers.wasm"],
]);
run("node_modules/.bin/tsc", []);
// The last file: `npm pack` refuses to pack without it.
const digits = readFileSync(join(here, "dist/providers.wasm")).toString("hex");
writeFileSync(
  join(here, "dist/providers/inlined.js"),
  `// The module's bytes; made by \`npm run build\`.\nexport const digits = "${digits}";\n`,
);
