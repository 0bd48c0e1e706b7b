// The hook in a real browser, under strict mode, with React's development build.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { after, before, describe, test } from "node:test";

import { build } from "esbuild";

import { launch, program, serve } from "../chromium.mjs";

describe("useJsonStream", { skip: program ? false : "no Chromium here" }, () => {
  let browser;
  let server;

  before(async () => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL("react-page.js", import.meta.url))],
      bundle: true,
      format: "esm",
      write: false,
      define: { "process.env.NODE_ENV": '"development"' },
    });
    const pages = { "/": "", "/page.html": '<!doctype html><body><script type="module" src="/page.js"></script>', "/page.js": outputFiles[0].text };
    server = await serve("/", pages);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Runs a case in a page of its own, since some cases change the page. */
  async function run(name) {
    const page = await browser.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !message.location().url.includes("favicon")) errors.push(message.text());
    });
    await page.goto(`${server.address}/page.html`);
    await page.waitForFunction(() => window.cases);
    const outcome = await page.evaluate((name) => window.cases[name](), name);
    await page.close();
    assert.deepEqual(errors, []);
    return outcome;
  }

  test("5,000 deltas, 200 memoized rows: only the growing row renders, once a frame at most", async () => {
    const { opened, wasAborted, status, frames, commits, isWhole, isShown } = await run("list");
    assert.equal(opened, 1);
    assert.equal(wasAborted, false);
    assert.equal(status, "complete");
    assert.ok(isWhole && isShown);
    // The first commit is before the stream, and the last one at its end.
    assert.ok(commits.length <= frames + 2, `${commits.length} commits in ${frames} frames`);
    assert.ok(commits.length >= 20, `${commits.length} commits`);
    let count = 0;
    for (const commit of commits) {
      for (const row of commit.rendered) {
        // The last element may have grown; all elements before it are complete.
        assert.ok(row === -1 || row >= count - 1, `row ${row} of ${count} was rendered again`);
      }
      count = commit.count;
    }
    const renders = commits.reduce((sum, commit) => sum + commit.rendered.length, 0);
    assert.ok(renders >= 200 && renders <= 200 + commits.length, `${renders} renders`);
  });

  test("a response that is already there", async () => {
    assert.deepEqual(await run("response"), { value: { city: "Köln" }, status: "complete", error: undefined });
  });

  test("hidden tabs show what comes, without frames", async () => {
    assert.deepEqual(await run("hidden"), {
      before: undefined,
      onHiding: { a: "1" },
      whileHidden: { a: "12" },
      atTheEnd: { value: { a: "123" }, status: "complete", error: undefined },
    });
  });

  test("an error comes with what was known", async () => {
    assert.deepEqual(await run("error"), { value: { a: [1, 2] }, status: "error", name: "JsonSpigotError", kind: "unexpected-byte", offset: 13 });
    assert.deepEqual(await run("sourceError"), { status: "error", message: "no such trip" });
  });

  test("a refused key is an error, and so are refused options", async () => {
    assert.deepEqual(await run("refusals"), [
      { value: { a: 1 }, status: "error", kind: "prototype-key" },
      { value: undefined, status: "error", kind: "invalid-option" },
    ]);
  });

  test("a key that is no number is the same key", async () => {
    assert.equal(await run("notANumber"), "complete");
  });

  test("unmounting aborts and closes the source", async () => {
    assert.deepEqual(await run("unmount"), { told: ["aborted", "closed"], isQuiet: true });
  });

  test("another key is another stream, another function is not", async () => {
    const { shown, aborted } = await run("key");
    assert.deepEqual(aborted, ["first"]);
    assert.equal(shown[0], "idle undefined");
    assert.equal(shown.at(-1), 'complete ["second"]');
    assert.ok(!shown.join().includes("never"));
    const restart = shown.lastIndexOf("streaming undefined");
    assert.ok(restart > shown.indexOf('streaming ["first"]'), shown.join("; "));
    assert.ok(!shown.slice(restart).join().includes("first"), shown.join("; "));
  });
});
