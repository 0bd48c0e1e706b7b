// The demo page, as `npm run build:demo` makes it, opened from the disk.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";

import { launch, program } from "../chromium.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const recording = JSON.parse(readFileSync(`${root}demo/recording.json`, "utf8"));
const trip = JSON.parse(recording.map(([, delta]) => delta).join(""));

describe("the demo page", { skip: program ? false : "no Chromium here" }, () => {
  let browser;
  let page;
  const faults = [];

  before(async () => {
    execFileSync(process.execPath, ["scripts/build-demo.mjs"], { cwd: root });
    browser = await launch();
    page = await browser.newPage();
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => {
      if (!/^(?:file|data):/.test(request.url())) faults.push(request.url());
    });
    await page.goto(pathToFileURL(`${root}demo/site/index.html`).href);
  });
  after(() => browser?.close());

  test("one client waits while the other one streams, and both have all of it at the end", async () => {
    const waits = page.locator("#waits");
    const streams = page.locator("#streams");
    await streams.locator("h4", { hasText: trip.title }).waitFor();
    assert.equal(await waits.textContent(), "");
    await waits.locator(".total").waitFor({ timeout: 60_000 });
    assert.equal(await streams.textContent(), await waits.textContent());
    for (const { place, plan } of trip.days) {
      const shown = await streams.textContent();
      assert.ok(shown.includes(place) && shown.includes(plan));
    }
    const length = recording.reduce((sum, [ms]) => sum + ms, 0);
    assert.equal(await page.locator("#clock").textContent(), `${(length / 1000).toFixed(1)} s`);
  });

  test("the playground shows what each chunk tells", async () => {
    await page.locator("#json").fill('{"city": "Köln", "days": [1, 23');
    await page.locator("#patterns").fill("city");
    await page.locator("#size").fill("12");
    await page.locator("#step").fill("1");
    assert.equal(await page.locator("#events").textContent(), 'begin  city  (string)\ndelta  city  "Kö"');
    await page.locator("#step").fill("2");
    assert.equal(JSON.parse(await page.locator("#snapshot").textContent()).city, "Köln");
    assert.match(await page.locator("#patch").textContent(), /"op":"append","path":"\/city","value":"ln"/);
    await page.locator("#step").fill("3");
    assert.match(await page.locator("#verdict").textContent(), /^incomplete: /);
    await page.locator("#patterns").fill("city[");
    assert.match(await page.locator("#verdict").textContent(), /^invalid pattern/);
  });

  test("it makes no request, and no mistake", () => assert.deepEqual(faults, []));
});
