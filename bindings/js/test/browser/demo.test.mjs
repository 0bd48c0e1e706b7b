// The demo page, as `npm run build:demo` makes it, opened from the disk: wide and narrow, light and dark, by keyboard, and
// by its own measurements.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";

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
      // The player would begin again, and the test must not depend on when it looks.
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

  test("it is one file of at most 360 KB gzipped, with the module of the provider streams", () => {
    const { length } = gzipSync(readFileSync(file), { level: 9 });
    assert.ok(length <= 360_000, `${length} bytes`);
    assert.doesNotMatch(readFileSync(file, "utf8"), /<(?:script|link|img)[^>]*(?:src|href)="(?!data:)/);
  });

  test("it links to the repository", async () => {
    const { repository } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
    const page = await open();
    assert.equal(`git+${await page.locator("nav a", { hasText: "Source" }).getAttribute("href")}.git`, repository.url);
    await page.close();
  });

  test("each program is copied as it is shown, and the JavaScript one runs", async () => {
    const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    for (const language of ["Rust", "JavaScript", "Python"]) {
      await page.locator(".tabs label", { hasText: new RegExp(`^${language}$`) }).click();
      await page.locator("#copy").click();
      await page.locator("#copy", { hasText: "Copied" }).waitFor();
      const code = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(code, await page.locator(`.code.${language.toLowerCase()}`).textContent());
      if (language !== "JavaScript") continue;
      const program = join(root, "demo/site/sample.mjs");
      writeFileSync(program, code);
      const output = execFileSync(process.execPath, [program], { input: readFileSync(`${root}demo/call.txt`), encoding: "utf8" });
      assert.match(output, /^ask_slots\[0\]\.options\[1\] end On hikes$/m);
      assert.match(output, /^reply end Three quick questions/m);
    }
    await page.close();
  });

  test("a phone shows the stage on its first screen, and nothing is cut", async () => {
    const page = await open({ viewport: { width: 390, height: 844 }, reducedMotion: "reduce" });
    await page.locator(".done.valid").waitFor();
    const bottom = (selector) => page.locator(selector).last().evaluate((element) => element.getBoundingClientRect().bottom);
    for (const selector of ["#stage .stage-row.waits", "#stage .panel", "#stage .buttons"]) {
      assert.ok((await bottom(selector)) <= 844, `${selector} ends at ${await bottom(selector)}`);
    }
    assert.ok((await bottom(".reply")) <= (await bottom(".seen")), "the reply's last line");
    for (const language of ["rust", "javascript", "python"]) {
      await page.locator(`.tabs label[for=${language}]`).click();
      const cut = await page.locator("pre:visible").evaluateAll((all) => all.filter((pre) => pre.scrollWidth > pre.clientWidth).length);
      assert.equal(cut, 0, language);
    }
    await page.close();
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
    await page.locator("#text").fill('{"city": "Köln", "days": [1, 23');
    await page.locator("#patterns").fill("city");
    await page.locator("#size").fill("12");
    await page.locator("#step").fill("1");
    assert.equal(await page.locator("#events").textContent(), 'begin  city  (string)\ndelta  city  "Kö"');
    await page.locator("#step").fill("2");
    assert.equal(JSON.parse(await page.locator("#known").textContent()).city, "Köln");
    assert.match(await page.locator("#patch").textContent(), /"op":"append","path":"\/city","value":"ln"/);
    await page.locator("#step").fill("3");
    assert.match(await page.locator("#verdict").textContent(), /^incomplete: /);
    assert.equal(await page.locator("#fed mark").count(), 1);
    await page.locator("#patterns").fill("city[");
    assert.match(await page.locator("#verdict").textContent(), /^invalid pattern/);
    for (const panel of ["#known", "#events", "#patch"]) assert.equal(await page.locator(panel).textContent(), "", "nothing of before");
    await page.close();
  });

  test("a bad byte is marked where it is, and what was known stays", async () => {
    const page = await open();
    await page.locator("#text").fill('{"city": "Köln 🗼", "days": [1, x]}');
    assert.equal(await page.locator("#fed mark").textContent(), "x");
    await page.locator("#text").fill(`["${"long ".repeat(2000)}"x]`);
    const inSight = await page.locator("#fed").evaluate((fed) => {
      const [box, mark] = [fed, fed.querySelector("mark")].map((it) => it.getBoundingClientRect());
      return fed.scrollHeight > fed.clientHeight && mark.top >= box.top && mark.bottom <= box.bottom;
    });
    assert.ok(inSight, "in a long text too");
    await page.locator("#text").fill('{"city": "Köln 🗼", "days": [1, x]}');
    assert.deepEqual(JSON.parse(await page.locator("#known").textContent()), { city: "Köln 🗼", days: [1] });
    await page.close();
  });

  test("numbers are shown as they are spelled", async () => {
    const page = await open();
    await page.locator("#text").fill('{"a":12345678901234567890,"b":1e400,"c":-0.0}');
    await page.locator("#patterns").fill("*");
    await page.locator("#size").fill("500");
    assert.equal(await page.locator("#known").textContent(), '{\n  "a": 12345678901234567890,\n  "b": 1e400,\n  "c": -0.0\n}');
    assert.match(await page.locator("#events").textContent(), /end {4}a {2}= 12345678901234567890\n.*\nend {4}b {2}= 1e400\n/);
    assert.match(await page.locator("#patch").textContent(), /12345678901234567890.*1e400/);
    await page.locator("#text").fill('{"a":1e400}\n{"a":2}');
    assert.match(await page.locator("#known").textContent(), /"a": 1e400/);
    await page.close();
  });

  test("JSON Lines, a provider's stream and text with fences are recognized, and may be named", async () => {
    const page = await open();
    const verdict = async (text) => {
      await page.locator("#text").fill(text);
      return page.locator("#verdict").textContent();
    };
    await page.locator("#patterns").fill("city");
    const events = [
      '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"plan","input":{}}}',
      '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"city\\": 1e400"}}',
    ];
    const body = events.map((event) => `event: ${JSON.parse(event).type}\ndata: ${event}\n\n`).join("");
    assert.match(await verdict(body), /^Stream of anthropic: the input of a call is incomplete/);
    assert.equal(await page.locator("#known").textContent(), 'plan, truncated\n{\n  "city": 1e400');
    assert.equal(await page.locator("#verdict.bad").count(), 1);
    assert.match(await verdict(events.join("\n")), /^2 lines, all of them whole/);
    await page.locator("#kind").selectOption("stream");
    assert.match(await page.locator("#verdict").textContent(), /^Stream of anthropic: /);
    await page.locator("#kind").selectOption("");
    assert.equal(await verdict('So:\n```json\n{"city": "K"}\n```\nOr:\n```\n[1,'), "Fences of JSON: complete, truncated");
    assert.equal(await page.locator("#known").textContent(), 'text\nSo:\n\nfence:*, complete\n{\n  "city": "K"\n}\n\ntext\nOr:\n\nfence:*, truncated\n[\n  1,\n  ');
    assert.match(await verdict('{"code": "```"}'), /complete and strict/);
    assert.match(await verdict("{\n}"), /complete and strict/);
    await page.close();
  });

  test("a long text costs no more to draw than a short one", async () => {
    // Without motion the stage draws nothing meanwhile.
    const page = await open({ reducedMotion: "reduce" });
    await page.evaluate(() => {
      window.drawn = { reads: 0, nodes: 0 };
      for (const [type, name] of [[HTMLElement, "offsetTop"], [Element, "clientHeight"], [Element, "scrollTop"], [Element, "scrollHeight"]]) {
        const { get, ...others } = Object.getOwnPropertyDescriptor(type.prototype, name);
        const counting = function () {
          window.drawn.reads += 1;
          return get.call(this);
        };
        Object.defineProperty(type.prototype, name, { ...others, get: counting });
      }
      new MutationObserver((records) => records.forEach(({ addedNodes }) => addedNodes.forEach((node) => {
        window.drawn.nodes += 1 + (node.querySelectorAll?.("*").length ?? 0);
      }))).observe(document.getElementById("fed").closest("section"), { childList: true, subtree: true });
    });
    const row = '{"id": 1, "name": "Köln 🗼"}';
    const texts = {
      text: `[${`${row},`.repeat(7000)}1]`,
      bad: `[${`${row},`.repeat(7000)}x`,
      lines: `${row}\n`.repeat(7000),
      "bad lines": `1\n${"x\n".repeat(100_000)}`,
      stream: `data: {"choices": [{"delta": {"content": "${"a piece ".repeat(8)}"}}]}\n\n`.repeat(2000),
      fence: `\`\`\`\n[${`${row},`.repeat(7000)}1]\n\`\`\``,
    };
    for (const [name, text] of Object.entries(texts)) {
      assert.ok(text.length >= 190_000, `${name}: ${text.length}`);
      for (const size of ["1", "6", "500"]) {
        const { reads, nodes, shown } = await page.evaluate(async ([text, size]) => {
          const find = (id) => document.getElementById(id);
          find("text").value = text;
          find("size").value = size;
          window.drawn = { reads: 0, nodes: 0 };
          find("text").dispatchEvent(new Event("input"));
          await new Promise(requestAnimationFrame);
          return { ...window.drawn, shown: ["fed", "known", "events", "patch"].reduce((sum, id) => sum + find(id).textContent.length, 0) };
        }, [text, size]);
        assert.ok(nodes > 1 && nodes <= 4000, `${name}, ${size}: ${nodes} nodes`);
        assert.ok(reads <= 4, `${name}, ${size}: layout is read ${reads} times`);
        assert.ok(shown <= 30_000, `${name}, ${size}: ${shown} characters`);
      }
    }
    // A link of it has all of it.
    await page.locator("#link").click();
    const again = await open({ fragment: new URL(page.url()).hash });
    assert.equal(await again.locator("#text").inputValue(), texts.fence);
    await Promise.all([page, again].map((opened) => opened.close()));
  });

  test("the examples, and what is tolerated", async () => {
    const page = await open();
    const show = async (name) => {
      await page.locator("#examples button", { hasText: name }).click();
      return page.locator("#verdict").textContent();
    };
    assert.match(await show("A model's mistakes"), /complete; tolerated: comments at byte 4, control-characters at byte 69, trailing-commas at byte 100/);
    assert.deepEqual(JSON.parse(await page.locator("#known").textContent()).days, [1, 2, 3]);
    await page.locator("#tolerate").uncheck();
    assert.match(await page.locator("#verdict").textContent(), /line 2 column 3/);
    assert.match(await show("Cut off"), /^incomplete: /);
    assert.match(await show("JSON Lines"), /^3 lines, 1 of them not JSON/);
    assert.equal(JSON.parse(await page.locator("#known").textContent())[2].name, "Edsger");
    assert.equal(await page.locator("#fed mark").count(), 1);
    assert.equal(await show("Provider's stream"), "Stream of openai-chat: whole");
    assert.equal(await page.locator("#known").textContent(), 'text\nLet me look.\n\nplan_trip, complete\n{\n  "city": "Köln",\n  "days": 3\n}');
    assert.equal(await show("JSON in a fence"), "Fences of JSON: complete");
    assert.match(await show("JSON in a string"), /complete and strict/);
    const text = await page.locator("#text").inputValue();
    await page.locator("#step").fill(String(Math.ceil((text.indexOf("K") + 1) / 6)));
    assert.match(await page.locator("#events").textContent(), /arguments \| city/);
    await page.close();
  });

  test("the play button goes through the chunks", async () => {
    const page = await open();
    await page.locator("#text").fill('["a", "b"]');
    await page.locator("#size").fill("4");
    await page.evaluate(() => {
      window.labels = [];
      const label = document.getElementById("step-label");
      new MutationObserver(() => window.labels.push(label.textContent)).observe(label, { childList: true });
    });
    await page.locator("#play").click();
    await page.locator("#play", { hasText: "Play" }).waitFor();
    assert.deepEqual(await page.evaluate(() => window.labels), ["1 of 3", "2 of 3", "3 of 3"]);
    await page.close();
  });

  test("a link has the text, its patterns and how it is read", async () => {
    const page = await open();
    await page.locator("#text").fill('{"a": "\u{1F37A}"}\n{"a": 2}');
    await page.locator("#patterns").fill("a");
    await page.locator("#kind").selectOption("lines");
    await page.locator("#link").click();
    const fragment = new URL(page.url()).hash;
    const again = await open({ fragment });
    assert.equal(await again.locator("#text").inputValue(), '{"a": "\u{1F37A}"}\n{"a": 2}');
    assert.match(await again.locator("#verdict").textContent(), /^2 lines, all of them whole/);
    // Another page's fragment is ignored.
    const other = await open({ fragment: "#play-title" });
    assert.match(await other.locator("#text").inputValue(), /ask_slots/);
    await Promise.all([page, again, other].map((opened) => opened.close()));
  });

  test("it makes no request, and no mistake", () => assert.deepEqual(faults, []));
});
