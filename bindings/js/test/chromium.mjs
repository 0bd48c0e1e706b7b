// A browser for tests, and a server on loopback for what it is to load.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

import { chromium } from "playwright-core";

const PLACES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser's program, or the one that `CHROMIUM` names; `undefined` without a browser. */
export const program = PLACES.find((path) => path && existsSync(path));

export function launch() {
  // Containers rarely have what its sandbox needs, and it loads nothing but our own pages here.
  return chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".css": "text/css" };

/**
 * Serves the files of a folder, and the pages (texts by path). `headers` go with every answer.
 *
 * @returns its address, and how to end it
 */
export async function serve(folder, pages = {}, headers = {}) {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://here").pathname);
    try {
      const body = pages[path] ?? (await readFile(join(folder, normalize(path))));
      response.writeHead(200, { ...headers, "content-type": `${TYPES[extname(path)] ?? "text/plain"}; charset=utf-8` });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((done) => (server.closeAllConnections(), server.close(done))),
  };
}
