// Builds the demo into `demo/site/index.html`: one file, which a browser opens from the disk and a web server need only pass
// on.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const demo = join(dirname(dirname(fileURLToPath(import.meta.url))), "demo");
const site = join(demo, "site");

async function bundle(name, options) {
  const { outputFiles } = await build({
    entryPoints: [join(demo, name)],
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    ...options,
  });
  return outputFiles[0].text.trim();
}

// Pages from the disk load no ES modules.
const script = await bundle("main.js", { format: "iife", target: "es2022" });
const style = await bundle("style.css", {});
const page = readFileSync(join(demo, "index.html"), "utf8")
  .replace('<link rel="stylesheet" href="style.css">', () => `<style>${style}</style>`)
  .replace('<script src="main.js" defer></script>', "")
  // A text that looks like the end of the script is none.
  .replace("</body>", () => `<script>${script.replaceAll("</script", "<\\/script")}</script>\n</body>`);
rmSync(site, { recursive: true, force: true });
mkdirSync(site);
writeFileSync(join(site, "index.html"), page);
