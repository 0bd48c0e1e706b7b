// Takes pictures of the demo's stage, which `animate.py` joins: `npm run build:demo`, then
// `node scripts/demo-picture.mjs FOLDER`.

import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { launch } from "../test/chromium.mjs";

const folder = process.argv[2];
if (!folder) throw new Error("a folder for the frames is needed");
const site = fileURLToPath(new URL("../demo/site/index.html", import.meta.url));
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 960, height: 900 }, colorScheme: "light" });
await page.clock.install({ time: 0 });
await page.goto(pathToFileURL(site).href);
await page.clock.pauseAt(60_000);
await page.locator('[data-part="again"]').click();
const { y, height } = await page.locator("#stage").boundingBox();
const clip = { x: 0, y: y - 12, width: 960, height: height + 16 };
for (let frame = 0; frame < 56; frame++) {
  await page.clock.runFor(250);
  await page.screenshot({ path: join(folder, `${String(frame).padStart(3, "0")}-250.png`), clip });
}
await browser.close();
