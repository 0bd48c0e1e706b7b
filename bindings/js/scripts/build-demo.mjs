// Builds the demo page into `demo/site/`: a folder that any web server can serve, and a browser can open from the disk.

import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const demo = join(dirname(dirname(fileURLToPath(import.meta.url))), "demo");
const site = join(demo, "site");
rmSync(site, { recursive: true, force: true });
mkdirSync(site);
for (const name of ["index.html", "style.css"]) copyFileSync(join(demo, name), join(site, name));
await build({
  entryPoints: [join(demo, "main.js")],
  outfile: join(site, "main.js"),
  bundle: true,
  minify: true,
  // Pages from the disk load no ES modules.
  format: "iife",
  target: "es2022",
  charset: "utf8",
});
