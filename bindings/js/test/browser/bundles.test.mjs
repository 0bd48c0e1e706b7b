// The package as it would be published, in bundles by esbuild and Vite, run in a browser: nothing that the package needs at
// its start is left out as unused, and what an application does not use is.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, describe, test } from "node:test";

import { build as esbuild } from "esbuild";
import { build as vite } from "vite";

import { launch, program, serve } from "../chromium.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

const APPLICATIONS = {
  ".": `
    import { Parser } from "jsonspigot";
    const parser = new Parser("city");
    const texts = parser.feed('{"city": "Köln"}').flatMap((event) => event.text ?? []);
    document.body.innerHTML = "<pre></pre>";
    document.querySelector("pre").textContent = texts.join();
  `,
  deltas: `
    import { deltas } from "jsonspigot";
    let shown = "";
    for await (const text of deltas(['{"city": "Kö', 'ln"}'], "city")) shown += text;
    document.body.innerHTML = "<pre></pre>";
    document.querySelector("pre").textContent = shown;
  `,
  "./providers": `
    import { ProviderStream } from "jsonspigot/providers";
    const stream = new ProviderStream("openai-chat");
    const [event] = stream.push({ choices: [{ index: 0, delta: { content: "Köln" } }] }).filter(({ kind }) => kind === "text");
    document.body.innerHTML = "<pre></pre>";
    document.querySelector("pre").textContent = event.text;
  `,
  "./react": `
    import { createElement } from "react";
    import { createRoot } from "react-dom/client";
    import { useJsonStream } from "jsonspigot/react";
    function Show() {
      const { value, status } = useJsonStream(() => ['{"city": "Kö', 'ln"}']);
      return status === "complete" ? createElement("pre", null, value.city) : null;
    }
    createRoot(document.body.appendChild(document.createElement("div"))).render(createElement(Show));
  `,
};

const BUNDLERS = {
  async esbuild(folder, entry) {
    const { outputFiles } = await esbuild({
      entryPoints: [entry], bundle: true, minify: true, format: "esm", write: false, absWorkingDir: folder,
      define: { "process.env.NODE_ENV": '"production"' },
    });
    return outputFiles[0].text;
  },
  async vite(folder, entry) {
    const { output } = await vite({
      root: folder, configFile: false, logLevel: "error",
      build: { write: false, target: "es2022", rollupOptions: { input: entry } },
    });
    assert.equal(output.length, 1);
    return output[0].code;
  },
};

describe("bundles", { skip: program ? false : "no Chromium here" }, () => {
  let folder;
  let browser;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "jsonspigot-"));
    execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root, stdio: "ignore" });
    const [archive] = readdirSync(folder);
    mkdirSync(join(folder, "node_modules/jsonspigot"), { recursive: true });
    execFileSync("tar", ["-xzf", join(folder, archive), "--strip-components=1", "-C", join(folder, "node_modules/jsonspigot")]);
    for (const name of ["react", "react-dom", "scheduler"]) symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [bundler, bundle] of Object.entries(BUNDLERS)) {
    for (const [entry, code] of Object.entries(APPLICATIONS)) {
      test(`${entry} by ${bundler}`, async () => {
        const file = join(folder, `${entry.replace(/\W/g, "") || "main"}.mjs`);
        writeFileSync(file, code);
        const text = await bundle(folder, file);
        // Only provider streams need a module.
        assert.equal(text.includes("0061736d01000000"), entry === "./providers");
        const pages = { "/page.html": '<!doctype html><body><script type="module" src="/page.js"></script>', "/page.js": text };
        const policy = `default-src 'self'; script-src 'self'${entry === "./providers" ? " 'wasm-unsafe-eval'" : ""}`;
        const server = await serve(folder, pages, { "content-security-policy": policy });
        const page = await browser.newPage();
        try {
          const errors = [];
          page.on("pageerror", (error) => errors.push(error));
          await page.goto(`${server.address}/page.html`);
          await page.locator("pre").waitFor({ timeout: 20_000 }).catch(() => assert.fail(String(errors)));
          assert.equal(await page.locator("pre").textContent(), "Köln");
        } finally {
          await page.close();
          await server.close();
        }
      });
    }
  }
});
