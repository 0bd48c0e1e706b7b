// The code in the README and in the documentation of the types: compiled strictly, run, and compared with the output that its
// comments state. Declarations for a block of the README are before it, in `<!-- given: … -->`; those for the types are below.
// Blocks with JSX are compiled only: the hook has its tests in a browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";

import { transform } from "esbuild";

// Beside the package's own manifest, by which a package finds itself.
const folder = fileURLToPath(new URL("readme-blocks/", import.meta.url));

/** A response that `fetch(url)` returns. */
const url = (body) => `const url = ${JSON.stringify(`data:,${encodeURIComponent(body)}`)};`;
/** A client of an SDK, or a function of one, and the events of its stream. */
const client = (events, shape) => `const sent = async function* () { yield* ${JSON.stringify(events)}; }; const request = {}; const ${shape};`;

const CHAT = [{ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "plan", arguments: '{"city": "Kö' } }] }, { tool_calls: [{ index: 0, function: { arguments: 'ln"}' } }] }];
const MESSAGE = [
  { type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "toolu_1", name: "plan", input: {} } },
  { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"city": "Köln"}' } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "tool_use" } },
  { type: "message_stop" },
];
const ITEM = { type: "function_call", id: "fc_1", call_id: "call_1", name: "plan", arguments: "" };

/** By the first name that the block imports of this package. */
const GIVEN = {
  deltas: url('{"title":"Köln"}'),
  snapshots: url('{"city":"Köln","days":["one"]}'),
  init: "const fetch = async (_: string) => new Response((globalThis as unknown as { module: BodyInit }).module, { headers: { 'content-type': 'application/wasm' } });",
  EventStream: url('{"title":"Köln"}'),
  RewriteStream: url('{"title":"Köln","days":["one"]}'),
  providerEvents: url(MESSAGE.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")),
  ProviderStream: client(MESSAGE, "client = { messages: { stream: (_: object) => sent() } }"),
  anthropicEvents: client(MESSAGE, "client = { messages: { stream: (_: object) => sent() } }"),
  chatEvents: client(
    [...CHAT.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })), { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }],
    "client = { chat: { completions: { create: async (_: object) => sent() } } }",
  ),
  responsesEvents: client(
    [
      { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...ITEM, status: "in_progress" } },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '{"city": "Köln"}' },
      { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 0, arguments: '{"city": "Köln"}' },
      { type: "response.output_item.done", output_index: 0, item: { ...ITEM, arguments: '{"city": "Köln"}', status: "completed" } },
      { type: "response.completed", response: { id: "resp_1", status: "completed", output: [{ ...ITEM, arguments: '{"city": "Köln"}', status: "completed" }] } },
    ],
    "client = { responses: { create: async (_: object) => sent() } }",
  ),
  geminiEvents: client(
    [{ candidates: [{ index: 0, content: { role: "model", parts: [{ functionCall: { id: "call_1", name: "plan", args: { city: "Köln" } } }] }, finishReason: "STOP" }] }],
    "ai = { models: { generateContentStream: async (_: object) => sent() } }",
  ),
  aiSdkEvents: client(
    [
      { type: "start" },
      { type: "start-step" },
      { type: "tool-input-start", id: "call_1", toolName: "plan" },
      { type: "tool-input-delta", id: "call_1", delta: '{"city": "Köln"}' },
      { type: "tool-input-end", id: "call_1" },
      { type: "tool-call", toolCallId: "call_1", toolName: "plan", input: { city: "Köln" } },
      { type: "finish-step", finishReason: "tool-calls" },
      { type: "finish", finishReason: "tool-calls" },
    ],
    "streamText = (_: object) => ({ fullStream: sent() })",
  ),
};

const BLOCK = /(?:<!-- given: (.*) -->\n)?```(tsx?)\n([^]*?)```/g;

/** Returns the blocks of a text; `find` returns the declarations for a block that has none before it. */
function blocksIn(name, text, find = () => "") {
  return [...text.matchAll(BLOCK)].map(([, given, language, code], at) => {
    const imports = [...code.matchAll(/ from "([^"]+)"/g)].map(([, from]) => from);
    const title = code.split("\n").find((line) => line.includes('from "jsonspigot')) ?? code.split("\n")[0];
    return { name: `${name}-${at}.${language}`, given: given ?? find(code), language, code, imports, title };
  });
}

const dist = new URL("../dist/", import.meta.url);
const declarations = readdirSync(dist, { recursive: true }).map(String).filter((name) => name.endsWith(".d.ts")).sort();
const blocks = [
  ...blocksIn("README", readFileSync(new URL("../README.md", import.meta.url), "utf8")),
  ...declarations.flatMap((name) => {
    const comments = readFileSync(new URL(name, dist), "utf8").replace(/^ *\* ?/gm, "");
    const find = (code) => GIVEN[/import \{ (?:type )?(\w+).* from "jsonspigot/.exec(code)?.[1]] ?? "";
    return blocksIn(name.replace(/\.d\.ts$/, "").replaceAll(/\W/g, "-"), comments, find);
  }),
];

/** Returns true if a package that a block imports is installed. */
function isHere(name) {
  const root = name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/");
  return root === "jsonspigot" || root.startsWith("node:") || createRequire(import.meta.url).resolve.paths(root).some((path) => existsSync(`${path}/${root}`));
}

before(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  globalThis.module = readFileSync(new URL("providers.wasm", dist));
  for (const { name, given, code } of blocks) writeFileSync(folder + name, `${given}\n${code}\nexport {};\n`);
});
after(() => {
  rmSync(folder, { recursive: true, force: true });
  delete globalThis.module;
});

test("there are blocks for each replaced package and each entry", () => {
  const all = blocks.flatMap(({ imports }) => imports);
  for (const name of ["ai", "partial-json", "best-effort-json-parser", "jsonriver", "@streamparser/json"]) {
    assert.ok(all.includes(name), name);
  }
  const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  for (const entry of Object.keys(exports)) {
    if (/\.wasm$|\.json$/.test(entry)) continue;
    assert.ok(all.includes(`jsonspigot${entry.slice(1)}`), entry);
  }
});

test("each block imports this package", () => {
  for (const { name, imports } of blocks) assert.ok(imports.some((from) => from.startsWith("jsonspigot")), name);
});

test("the blocks compile under strict", () => {
  const files = blocks.filter(({ imports }) => imports.every(isHere)).map(({ name }) => name);
  const compilerOptions = { noEmit: true, strict: true, module: "nodenext", target: "es2022", lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"], jsx: "react-jsx", types: [], skipLibCheck: true };
  writeFileSync(`${folder}tsconfig.json`, JSON.stringify({ compilerOptions, files }));
  const root = fileURLToPath(new URL("..", import.meta.url));
  try {
    execFileSync(`${root}node_modules/.bin/tsc`, ["--project", folder], { encoding: "utf8", cwd: root });
  } catch ({ stdout }) {
    assert.fail(stdout);
  }
});

for (const { name, title, given, language, code, imports } of blocks.filter(({ language }) => language === "ts")) {
  const absent = imports.filter((from) => !isHere(from));
  test(`${name}: ${title}`, { skip: absent.length > 0 && `${absent} is not installed` }, async () => {
    const expected = [...code.matchAll(/console\.log\(.*; \/\/ (.*)$/gm)].flatMap(([, said]) => said.split(", then "));
    assert.ok(expected.length > 0, "it says what it prints");
    const js = await transform(`${given}\n${code}`, { loader: language, target: "es2022" });
    writeFileSync(`${folder}${name}.mjs`, js.code);
    const printed = [];
    const { log } = console;
    console.log = (...values) => printed.push(values.map((value) => JSON.stringify(value)).join(" "));
    try {
      await import(`./readme-blocks/${name}.mjs`);
    } finally {
      console.log = log;
    }
    assert.deepEqual(printed, expected);
  });
}

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
test("the README names the versions of the SDKs that the tests use", () => {
  const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));
  const rows = [...readme.matchAll(/`([@a-z/-]+)`\s([0-9]+\.[0-9.]*[0-9])/g)].map(([, name, tried]) => [name, tried]);
  assert.deepEqual(rows.map(([name]) => name).sort(), ["@anthropic-ai/sdk", "ai", "openai"]);
  for (const [name, tried] of rows) assert.equal(lock.packages[`node_modules/${name}`].version, tried, name);
});
