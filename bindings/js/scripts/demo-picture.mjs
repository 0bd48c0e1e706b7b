// Takes the moving picture of the demo's stage: `npm run build:demo`, `npm install --no-save sharp`, and then
// `node scripts/demo-picture.mjs ../../pictures/demo.webp`.

import { fileURLToPath, pathToFileURL } from "node:url";

import sharp from "sharp";

import { launch } from "../test/chromium.mjs";

const FRAMES = 56;
const FRAME_MS = 250;
const MOST_BYTES = 2_000_000;

const out = process.argv[2];
if (!out) throw new Error("a file for the picture is needed");
const site = fileURLToPath(new URL("../demo/site/index.html", import.meta.url));
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 960, height: 900 }, colorScheme: "light" });
await page.clock.install({ time: 0 });
await page.goto(pathToFileURL(site).href);
await page.clock.pauseAt(60_000);
await page.locator('[data-part="again"]').click();
const { y, height } = await page.locator("#stage").boundingBox();
const clip = { x: 0, y: y - 12, width: 960, height: height + 16 };
const frames = [];
for (let frame = 0; frame < FRAMES; frame++) {
  await page.clock.runFor(FRAME_MS);
  frames.push(await page.screenshot({ clip }));
}
await browser.close();
const moving = sharp(frames, { join: { animated: true } }).webp({ quality: 70, effort: 6, minSize: true, delay: FRAME_MS, loop: 0 });
const { size } = await moving.toFile(out);
console.log(`${out}: ${FRAMES} frames, ${size} bytes`);
if (size > MOST_BYTES) throw new Error(`more than ${MOST_BYTES} bytes`);
