// Runs the tests of the providers' own clients, if the scripted provider of `apps/chat` has been built
// (`cargo build -p chat --bin scripted-provider`). It is looked for in `target/debug`, or where
// JSONSPIGOT_SCRIPTED_PROVIDER says.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(here, "../../../../target");
const told = process.env.JSONSPIGOT_SCRIPTED_PROVIDER;
const binary = told ?? join(target, "debug/scripted-provider");

if (told === undefined && !existsSync(binary)) {
  console.log(`left out: there is no ${binary}`);
} else {
  const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=spec", join(here, "clients.test.mjs")], {
    stdio: "inherit",
    env: { ...process.env, JSONSPIGOT_SCRIPTED_PROVIDER: binary },
  });
  process.exit(status ?? 1);
}
