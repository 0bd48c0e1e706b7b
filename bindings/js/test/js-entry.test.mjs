// `jsonspigot/js`: without WebAssembly, and without what else some engines lack.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

// In a process of its own: what is deleted stays deleted.
function inPoorEngine(code) {
  const script = `
    for (const name of ["WebAssembly", "TransformStream", "ReadableStream", "Response", "FinalizationRegistry"]) delete globalThis[name];
    const jsonspigot = await import(${JSON.stringify(new URL("../dist/js.js", import.meta.url).href)});
    ${code}
  `;
  return execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
}

test("needs neither WebAssembly nor web streams", () => {
  const printed = inPoorEngine(`
    const { Parser, deltas, init, initSync } = jsonspigot;
    await init();
    initSync(new Uint8Array());
    const texts = [];
    for await (const text of deltas(['{"city": "Kö', 'ln"}'], "city")) texts.push(text);
    const parser = new Parser([], { snapshots: true });
    parser.feed('{"a": [1, {"b": "c');
    console.log(JSON.stringify([texts, parser.snapshot()]));
  `);
  assert.deepEqual(JSON.parse(printed), [["Kö", "ln"], { a: [1, { b: "c" }] }]);
});

test("its memory grows under views that others hold", () => {
  const printed = inPoorEngine(`
    const { Parser } = jsonspigot;
    const text = JSON.stringify({ text: "x".repeat(5_000_000), more: ["y".repeat(100), 1.5e300] });
    // Memory grows while a chunk is parsed, and the next one is written into it.
    const parser = new Parser("text", { snapshots: true });
    let sum = 0;
    for (let at = 0; at < text.length; at += 60_000) {
      for (const event of parser.feed(text.slice(at, at + 60_000))) if (event.kind === "delta") sum += event.text.length;
    }
    parser.finish();
    console.log(sum, JSON.stringify(parser.value()) === text, JSON.stringify(parser.snapshot()) === text);
  `);
  assert.equal(printed.trim(), "5000000 true true");
});

test("a trap ends its instance, and later parsers get a new one", () => {
  const printed = inPoorEngine(`
    const { Parser } = jsonspigot;
    const kinds = [];
    const tell = (run) => {
      try {
        run();
        kinds.push("none");
      } catch (error) {
        kinds.push(error.kind ?? String(error));
      }
    };
    const first = new Parser();
    const second = new Parser();
    // No text makes the module trap, so one of its calls is made with a number that no parser has.
    const exports = first.module.exports;
    first.parser = 1_000_000;
    tell(() => first.feed("1"));
    tell(() => second.feed("1"));
    const third = new Parser();
    tell(() => third.feed("[1]"));
    kinds.push(third.module.exports !== exports, JSON.stringify((third.finish(), third.value())));
    console.log(kinds.join(" "));
  `);
  assert.equal(printed.trim(), "trap trap none true [1]");
});
