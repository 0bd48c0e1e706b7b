// Replays all vectors in every engine: `npm run test:engines`. Bun, Deno and workerd come by npm, from the lock file beside
// this; Chromium is the one that is installed. One that can't be had is left out, with a sentence.

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

/** Most of them, and again through the entries that save: `jsonspigot/js` has neither these nor provider streams. */
const LEAST = 1_080;
const LEAST_OF_JS = 400;
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

/** What the engine's program prints. */
async function printed(file, args) {
  const { stdout } = await promisify(execFile)(file, args, { cwd: packageFolder, timeout: 120_000, maxBuffer: 1 << 24 });
  return JSON.parse(stdout);
}

const require = createRequire(import.meta.url);

/** The program that one of the packages has brought, if it has. */
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

for (const entry of ["index", "js"]) {
  await inEngine(`Node ${process.versions.node}, ${entry}`, () => printed(process.execPath, [join(here, "here.mjs"), entry]), entry === "js" ? LEAST_OF_JS : LEAST);
}

const bun = programOf("bun/bin/bun.exe", `@oven/bun-${process.platform}-${process.arch}/bin/bun`);
await inEngine("Bun", () => (bun ? printed(bun, ["run", join(here, "here.mjs"), "index"]) : notBrought));

const deno = programOf("deno/deno", "deno/deno.exe", "@deno/linux-x64-glibc/deno");
await inEngine("Deno", () => (deno ? printed(deno, ["run", "--allow-read", "--no-lock", join(here, "here.mjs"), "index"]) : notBrought));

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

/** A worker with the package's files as modules: its `workerd` entry, and the module as workers import one. */
async function inWorker({ Miniflare }) {
  const files = ["replay.mjs", "replay-providers.mjs", "engines/replay-all.mjs"].map((name) => `bindings/js/test/${name}`);
  for (const folder of ["", "providers/", "durable/", "durable/providers/"]) {
    for (const name of readdirSync(join(packageFolder, "dist", folder))) {
      if (name.endsWith(".js") && !["inlined.js", "plain.js", "index.js", "node.js", "js.js", "translated.js", "react.js"].includes(name)) {
        files.push(`bindings/js/dist/${folder}${name}`);
      }
    }
  }
  const modules = files.map((path) => ({ type: "ESModule", path, contents: readFileSync(join(root, path), "utf8") }));
  for (const name of ["jsonspigot.wasm", "providers.wasm", "durable.wasm", "durable-providers.wasm"]) {
    modules.push({ type: "CompiledWasm", path: `bindings/js/dist/${name}`, contents: readFileSync(join(packageFolder, "dist", name)) });
  }
  const worker = `
    import * as jsonspigot from "./bindings/js/dist/workerd.js";
    import * as providers from "./bindings/js/dist/providers/workerd.js";
    import * as durable from "./bindings/js/dist/durable/workerd.js";
    import * as durableProviders from "./bindings/js/dist/durable/providers/workerd.js";
    import { replayAll } from "./bindings/js/test/engines/replay-all.mjs";
    export default {
      async fetch(request) {
        return Response.json(replayAll(jsonspigot, await request.json(), providers, durable, durableProviders));
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

/** The page of a site with this content security policy; which entry it loads is the hash. */
async function inChromium(browser, policy, entry) {
  const script = `
    import { replayAll } from "/bindings/js/test/engines/replay-all.mjs";
    let outcome;
    try {
      const entry = location.hash.slice(1);
      const jsonspigot = await import("/bindings/js/dist/" + entry + ".js");
      const providers = entry === "index" ? await import("/bindings/js/dist/providers/index.js") : undefined;
      const durable = entry === "index" ? await import("/bindings/js/dist/durable/index.js") : undefined;
      const durableProviders = entry === "index" ? await import("/bindings/js/dist/durable/providers/index.js") : undefined;
      const files = await Promise.all(${JSON.stringify(names)}.map(async (name) => (await fetch("/vectors/" + name)).text()));
      const first = new jsonspigot.Parser();
      first.dispose();
      outcome = replayAll(jsonspigot, files, providers, durable, durableProviders);
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
    await page.goto(`${server.address}/page.html#${entry}`);
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
  await inEngine(`Chromium ${browser.version()}, index, 'wasm-unsafe-eval'`, () => inChromium(browser, allowing, "index"));
  await inEngine("Chromium, js, without it", () => inChromium(browser, strict, "js"), LEAST_OF_JS);
  const { error } = await inChromium(browser, strict, "index");
  if (error?.kind === "not-started" && error.message.includes("'wasm-unsafe-eval'") && error.message.includes("jsonspigot/js")) {
    console.log("Chromium, index, without it: one error, which names the keyword and jsonspigot/js");
  } else {
    hasFailed = true;
    console.log(`Chromium, index, without it: FAILED, ${JSON.stringify(error)}`);
  }
  await browser.close();
}

process.exitCode = hasFailed ? 1 : 0;
