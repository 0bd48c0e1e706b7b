// The demo page, as `npm run build:demo` makes it, opened from the disk: wide and narrow, light and dark, by keyboard, and
// by its own measurements.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";

import { launch, program } from "../chromium.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const file = `${root}demo/site/index.html`;
const axe = readFileSync(`${root}node_modules/axe-core/axe.min.js`, "utf8");

/** Runs before the page does: notes each change in what the model sends and what the user sees, by the stage's clock. */
function measure() {
  window.measured = { changes: [], shift: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.measured.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  addEventListener("DOMContentLoaded", () => {
    const part = (name) => document.querySelector(`[data-part="${name}"]`);
    new MutationObserver((_, observer) => {
      window.measured.changes.push([parseFloat(part("clock").textContent), part("seen").textContent.length]);
      if (!document.querySelector("#stage .done.valid")) return;
      // It would begin again, which is not to depend on when somebody looks.
      observer.disconnect();
      part("pause").click();
    }).observe(document.querySelector("#stage .pair"), { childList: true, characterData: true, subtree: true });
  });
}

describe("the demo page", { skip: program ? false : "no Chromium here" }, () => {
  let browser;
  const faults = [];

  async function open({ fragment = "", ...options } = {}) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => {
      if (!/^(?:file|data):/.test(request.url())) faults.push(request.url());
    });
    await page.addInitScript(measure);
    await page.goto(pathToFileURL(file).href + fragment);
    return page;
  }

  before(async () => {
    execFileSync(process.execPath, ["scripts/build-demo.mjs"], { cwd: root });
    browser = await launch();
  });
  after(() => browser?.close());

  test("it is one file of at most 150 KB", () => {
    assert.ok(statSync(file).size <= 150_000, `${statSync(file).size} bytes`);
    assert.doesNotMatch(readFileSync(file, "utf8"), /<(?:script|link|img)[^>]*(?:src|href)="(?!data:)/);
  });

  test("the stage never stands still and nothing jumps, wide and narrow, light and dark", async () => {
    const looks = [[1440, 900], [390, 844]].flatMap((size) => ["light", "dark"].map((colorScheme) => [...size, colorScheme]));
    await Promise.all(looks.map(async ([width, height, colorScheme]) => {
      const look = `${width} px, ${colorScheme}`;
      const page = await open({ viewport: { width, height }, colorScheme });
      await page.locator(".done.valid").waitFor({ timeout: 60_000 });
      const { changes, shift } = await page.evaluate(() => window.measured);
      const times = [0, ...changes.map(([time]) => time)];
      const still = Math.max(...times.slice(1).map((time, at) => time - times[at]));
      assert.ok(still <= 0.4, `${look}: ${still} s without a change`);
      assert.equal(times.at(-1), 12.4, look);
      const [first] = changes.find(([, seen]) => seen > 0);
      assert.ok(first <= 1, `${look}: the first word after ${first} s`);
      assert.ok(shift < 0.1, `${look}: a layout shift of ${shift}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      // Nothing that the page hides from the user is in what the user sees.
      const seen = await page.locator('[data-part="seen"]').textContent();
      assert.ok(seen.includes('"all in"') && seen.includes("€150") && !seen.includes("filling") && !seen.includes("margin"));
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document));
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)]), [], look);
      await page.close();
    }));
  });

  test("nothing jumps where the page is painted before its script runs", async () => {
    const late = join(mkdtempSync(join(tmpdir(), "demo-")), "late.html");
    const page = readFileSync(file, "utf8").replace("<script>", "<script>window.runsLate = () => {");
    writeFileSync(late, page.replace(/<\/script>\s*<\/body>/, "};</script></body>"));
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      const page = await browser.newPage({ viewport: { width, height } });
      await page.addInitScript(() => {
        window.shift = 0;
        new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.shift += entry.value)))
          .observe({ type: "layout-shift", buffered: true });
      });
      await page.goto(pathToFileURL(late).href);
      assert.equal(await page.locator("#stage .pair").count(), 0, "it is painted without the stage");
      await page.waitForTimeout(300);
      await page.evaluate(() => window.runsLate());
      await page.locator("#stage .pair").waitFor();
      await page.waitForTimeout(300);
      const shift = await page.evaluate(() => window.shift);
      assert.ok(shift < 0.1, `${width} px: a layout shift of ${shift}`);
      await page.close();
    }
  });

  test("the stage by keyboard: pause, slow, again", async () => {
    const page = await open();
    const clock = async () => parseFloat(await page.locator('[data-part="clock"]').textContent());
    await page.locator('[data-part="pause"]').focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator('[data-part="pause"]').textContent(), "Play");
    const paused = await clock();
    await page.waitForTimeout(400);
    assert.equal(await clock(), paused);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    assert.equal(await page.locator('[data-part="slow"]').getAttribute("aria-pressed"), "true");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator('[data-part="pause"]').textContent(), "Pause");
    await page.waitForTimeout(1200);
    const slow = await clock();
    assert.ok(slow > 0 && slow < 0.8, `${slow} s at a quarter of the speed`);
    await page.close();
  });

  test("whoever wants no motion is shown the end, and can still play it", async () => {
    const page = await open({ reducedMotion: "reduce" });
    await page.locator(".done.valid").waitFor();
    assert.equal(await page.locator('[data-part="clock"]').textContent(), "12.4 s");
    await page.locator('[data-part="pause"]').click();
    await page.locator('[data-part="clock"]', { hasText: /^[0-2]\./ }).waitFor({ timeout: 20_000 });
    await page.close();
  });

  test("the playground shows what each chunk tells", async () => {
    const page = await open();
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
    assert.equal(await page.locator("#fed mark").count(), 1);
    await page.locator("#patterns").fill("city[");
    assert.match(await page.locator("#verdict").textContent(), /^invalid pattern/);
    await page.close();
  });

  test("a bad byte is marked where it is, and what was known stays", async () => {
    const page = await open();
    await page.locator("#json").fill('{"city": "Köln 🗼", "days": [1, x]}');
    assert.equal(await page.locator("#fed mark").textContent(), "x");
    await page.locator("#json").fill(`["${"long ".repeat(2000)}"x]`);
    const inSight = await page.locator("#fed").evaluate((fed) => {
      const [box, mark] = [fed, fed.querySelector("mark")].map((it) => it.getBoundingClientRect());
      return fed.scrollHeight > fed.clientHeight && mark.top >= box.top && mark.bottom <= box.bottom;
    });
    assert.ok(inSight, "in a long text too");
    await page.locator("#json").fill('{"city": "Köln 🗼", "days": [1, x]}');
    assert.deepEqual(JSON.parse(await page.locator("#snapshot").textContent()), { city: "Köln 🗼", days: [1] });
    await page.close();
  });

  test("the examples, and what is tolerated", async () => {
    const page = await open();
    const show = async (name) => {
      await page.locator("#examples button", { hasText: name }).click();
      return page.locator("#verdict").textContent();
    };
    assert.match(await show("A model's mistakes"), /complete; tolerated: comments at byte 4, control-characters at byte 69, trailing-commas at byte 100/);
    assert.deepEqual(JSON.parse(await page.locator("#snapshot").textContent()).days, [1, 2, 3]);
    await page.locator("#tolerate").uncheck();
    assert.match(await page.locator("#verdict").textContent(), /line 2 column 3/);
    assert.match(await show("Cut off"), /^incomplete: /);
    assert.match(await show("JSON Lines"), /^3 lines, 1 of them not JSON/);
    assert.equal(JSON.parse(await page.locator("#snapshot").textContent())[2].name, "Edsger");
    assert.equal(await page.locator("#fed mark").count(), 1);
    assert.match(await show("Provider's chunks"), /^4 lines, all of them whole/);
    assert.match(await show("JSON in a string"), /complete and strict/);
    const text = await page.locator("#json").inputValue();
    await page.locator("#step").fill(String(Math.ceil((text.indexOf("K") + 1) / 6)));
    assert.match(await page.locator("#events").textContent(), /arguments \| city/);
    await page.close();
  });

  test("the play button goes through the chunks", async () => {
    const page = await open();
    await page.locator("#json").fill('["a", "b"]');
    await page.locator("#size").fill("4");
    await page.locator("#play").click();
    await page.locator("#step-label", { hasText: "1 of 3" }).waitFor();
    await page.locator("#step-label", { hasText: "3 of 3" }).waitFor();
    assert.equal(await page.locator("#play").textContent(), "Play");
    await page.close();
  });

  test("a link has the text, its patterns and how it is read", async () => {
    const page = await open();
    await page.locator("#json").fill('{"a": "\u{1F37A}"}\n{"a": 2}');
    await page.locator("#patterns").fill("a");
    await page.locator("#lines").check();
    await page.locator("#link").click();
    const fragment = new URL(page.url()).hash;
    const again = await open({ fragment });
    assert.equal(await again.locator("#json").inputValue(), '{"a": "\u{1F37A}"}\n{"a": 2}');
    assert.match(await again.locator("#verdict").textContent(), /^2 lines, all of them whole/);
    // Somebody else's fragment is none.
    const other = await open({ fragment: "#play-title" });
    assert.match(await other.locator("#json").inputValue(), /ask_slots/);
    await Promise.all([page, again, other].map((opened) => opened.close()));
  });

  test("it makes no request, and no mistake", () => assert.deepEqual(faults, []));
});
