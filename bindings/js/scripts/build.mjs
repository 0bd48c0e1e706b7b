// Builds `dist/`: the module by cargo and wasm-opt, its bytes as text, the TypeScript by tsc.
//
// Needs Rust with the target wasm32-unknown-unknown (`rustup target add wasm32-unknown-unknown`). The same sources give the
// same bytes: the lock files fix what is built, and paths of this machine are kept out.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { homedir } from "node:os";

import { inline, inlinePlain } from "./inline.mjs";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const repository = dirname(dirname(here));
const run = (command, args, options = {}) => execFileSync(command, args, { cwd: here, stdio: "inherit", ...options });

rmSync(join(here, "dist"), { recursive: true, force: true });
mkdirSync(join(here, "dist"));

const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
const remap = [[cargoHome, "/cargo"], [repository, "/jsonspigot"]].map(([from, to]) => `--remap-path-prefix=${from}=${to}`);

// What it mends differs between folders of systems that have it, too.
const wrapper = process.platform === "win32" ? "" : join(here, "scripts/rustc-wrapper.sh");

/** The same beside others. */
async function start(command, args, options = {}) {
  const started = spawn(command, args, { cwd: here, stdio: "inherit", ...options });
  const status = await new Promise((ended, failed) => started.on("error", failed).on("close", ended));
  if (status !== 0) throw new Error(`${command} ended with status ${status}`);
}

/** A crate of this folder as a module: small, and without what depends on this machine. */
async function build(crate, file, { flags = [], optimizer = [] } = {}) {
  await start(
    "cargo",
    [
      ...["build", "--quiet", "--release", "--locked", "--target", "wasm32-unknown-unknown"],
      ...["--manifest-path", `${crate}/Cargo.toml`, "--target-dir", `${crate}/target`],
    ],
    { env: { ...process.env, RUSTFLAGS: [...remap, ...flags].join(" "), RUSTC_WRAPPER: wrapper, CARGO_INCREMENTAL: "0" } },
  );
  await start("node_modules/.bin/wasm-opt", [
    `${crate}/target/wasm32-unknown-unknown/release/jsonspigot_${crate}.wasm`,
    ...["-Oz", "--converge", "--strip-debug", "--strip-producers", "--strip-target-features"],
    ...optimizer,
    // What every engine has had since 2021, and rustc uses.
    ...["--enable-bulk-memory", "--enable-nontrapping-float-to-int", "--enable-sign-ext", "--enable-mutable-globals"],
    ...["-o", file],
  ]);
}

// More than the frames of all functions together, and none calls itself: so it never overflows, and the addresses of data
// are short. What is called most comes first and has the short numbers; and nobody reads the lowest kilobyte of memory, the
// end of the stack.
const flags = ["-Clink-arg=-zstack-size=131072"];
// Side by side, since the linker has one thread.
await Promise.all([
  build("wasm", "dist/providers.wasm", { flags, optimizer: ["--reorder-functions", "--low-memory-unused"] }),
  build("unpack", "unpack/target/unpack.wasm", { flags: ["-Clink-arg=-zstack-size=65536"] }),
]);
run("node_modules/.bin/tsc", []);
const { unpack } = await import("../dist/providers/unpack.js");
const unpacker = readFileSync(join(here, "unpack/target/unpack.wasm"));
const module = readFileSync(join(here, "dist/providers.wasm"));
await inline(module, unpacker, unpack, join(here, "dist/providers/inlined.js"));
inlinePlain(module, join(here, "dist/providers/plain.js"), "./base64.js");
