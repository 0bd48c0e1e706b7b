// Replays all vectors in every engine: `npm run test:engines`. npm installs Bun, Deno and workerd from the lock file
// beside this; Chromium has to be installed. An engine that is missing is left out and named.

import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { launch, program, serve } from "../chromium.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../../../", import.meta.url));
const packageFolder = join(root, "bindings/js");
const vectors = join(root, "vectors");
const names = readdirSync(vectors).filter((name) => name.endsWith(".jsonl"));

/** Most of them, twice; without WebAssembly those of the core. */
const LEAST = 1_080;
const LEAST_OF_CORE = 900;
let hasFailed = false;

async function inEngine(engine, run, least = LEAST) {
  let outcome;
  try {
    outcome = await run();
  } catch (thrown) {
    outcome = { count: 0, failed: [], thrown };
  }
  if (outcome.leftOut !== undefined) {
    console.log(`${engine}: left out, ${outcome.leftOut}`);
    return;
  }
  const { count, failed, thrown } = outcome;
  if (thrown === undefined && failed.length === 0 && count >= least) {
    console.log(`${engine}: ${count} vectors`);
    return;
  }
  hasFailed = true;
  console.log(`${engine}: FAILED, ${failed.length} of ${count} vectors ${failed.slice(0, 5).join(", ")} ${thrown?.stack ?? ""}`);
}

/** Returns the JSON that a program prints in an engine. */
async function printed(file, args) {
  const { stdout } = await promisify(execFile)(file, args, { cwd: packageFolder, timeout: 120_000, maxBuffer: 1 << 24 });
  return JSON.parse(stdout);
}

const require = createRequire(import.meta.url);

/** Returns the first of these programs that npm has installed. */
function programOf(...places) {
  return places.map((place) => join(here, "node_modules", place)).find((file) => existsSync(file));
}

let why = "npm has not brought it";
if (!existsSync(join(here, "node_modules"))) {
  try {
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here, stdio: "pipe", timeout: 300_000 });
  } catch (error) {
    const code = /npm error code (\w+)/.exec(String(error.stderr))?.[1] ?? String(error.code);
    // A lock file that does not fit is a fault here, and no registry's.
    if (code === "EUSAGE") throw error;
    why += ` (${code})`;
  }
}

const notBrought = { leftOut: why };

const node = `Node ${process.versions.node}`;
await inEngine(node, () => printed(process.execPath, [join(here, "here.mjs")]));
await inEngine(`${node} --jitless, the core`, () => printed(process.execPath, ["--jitless", join(here, "here.mjs"), "core"]), LEAST_OF_CORE);

const bun = programOf("bun/bin/bun.exe", `@oven/bun-${process.platform}-${process.arch}/bin/bun`);
await inEngine("Bun", () => (bun ? printed(bun, ["run", join(here, "here.mjs")]) : notBrought));

const deno = programOf("deno/deno", "deno/deno.exe", "@deno/linux-x64-glibc/deno");
await inEngine("Deno", () => (deno ? printed(deno, ["run", "--allow-read", "--no-lock", join(here, "here.mjs")]) : notBrought));

await inEngine("workerd", async () => {
  let miniflare;
  try {
    miniflare = require("miniflare");
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return notBrought;
    throw error;
  }
  return inWorker(miniflare);
});

/** Runs a worker with the package's files as modules: the `workerd` entry of the providers, and their module as workers import it. */
async function inWorker({ Miniflare }) {
  const files = ["all.mjs", "replay.mjs", "replay-providers.mjs", "engines/replay-all.mjs"].map((name) => `bindings/js/test/${name}`);
  for (const name of readdirSync(join(packageFolder, "dist"), { recursive: true })) {
    if (name.endsWith(".js") && !/^(react|providers\/(inlined|index))\b/.test(name)) files.push(`bindings/js/dist/${name}`);
  }
  const modules = files.map((path) => ({ type: "ESModule", path, contents: readFileSync(join(root, path), "utf8") }));
  modules.push({ type: "CompiledWasm", path: "bindings/js/dist/providers.wasm", contents: readFileSync(join(packageFolder, "dist/providers.wasm")) });
  const worker = `
    import * as jsonspigot from "./bindings/js/test/all.mjs";
    import * as providers from "./bindings/js/dist/providers/workerd.js";
    import { replayAll } from "./bindings/js/test/engines/replay-all.mjs";
    export default {
      async fetch(request) {
        return Response.json(replayAll(jsonspigot, await request.json(), providers));
      },
    };
  `;
  const server = new Miniflare({ modules: [{ type: "ESModule", path: "worker.mjs", contents: worker }, ...modules], compatibilityDate: "2026-01-01" });
  try {
    const body = JSON.stringify(names.map((name) => readFileSync(join(vectors, name), "utf8")));
    return await (await server.dispatchFetch("http://here/", { method: "POST", body })).json();
  } finally {
    await server.dispose();
  }
}

/** Opens a page under this content security policy. Its hash says whether it loads provider streams. */
async function inChromium(browser, policy, what) {
  const script = `
    import { replayAll } from "/bindings/js/test/engines/replay-all.mjs";
    let outcome;
    try {
      const jsonspigot = await import("/bindings/js/test/all.mjs");
      const providers = location.hash === "#all" ? await import("/bindings/js/dist/providers/index.js") : undefined;
      const files = await Promise.all(${JSON.stringify(names)}.map(async (name) => (await fetch("/vectors/" + name)).text()));
      if (providers) new providers.ProviderStream("auto").dispose();
      outcome = replayAll(jsonspigot, files, providers);
    } catch (error) {
      outcome = { count: 0, failed: [], error: { kind: error.kind, message: error.message } };
    }
    document.body.innerHTML = "<pre></pre>";
    document.querySelector("pre").textContent = JSON.stringify(outcome);
  `;
  const pages = { "/page.html": '<!doctype html><script type="module" src="/page.js"></script>', "/page.js": script };
  const server = await serve(root, pages, { "content-security-policy": policy });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.address}/page.html#${what}`);
    // Not by a function in the page: the policy forbids that too.
    return JSON.parse(await page.locator("pre").textContent({ timeout: 120_000 }));
  } finally {
    await server.close();
  }
}

if (!program) {
  console.log("Chromium: left out, it is not installed here");
} else {
  const browser = await launch();
  const strict = "default-src 'self'";
  const allowing = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
  await inEngine(`Chromium ${browser.version()}, 'wasm-unsafe-eval'`, () => inChromium(browser, allowing, "all"));
  await inEngine("Chromium, the core, without it", () => inChromium(browser, strict, "core"), LEAST_OF_CORE);
  const { error } = await inChromium(browser, strict, "all");
  if (error?.kind === "not-started" && error.message.includes("'wasm-unsafe-eval'")) {
    console.log("Chromium, provider streams, without it: one error, which names the keyword");
  } else {
    hasFailed = true;
    console.log(`Chromium, provider streams, without it: FAILED, ${JSON.stringify(error)}`);
  }
  await browser.close();
}

process.exitCode = hasFailed ? 1 : 0;
