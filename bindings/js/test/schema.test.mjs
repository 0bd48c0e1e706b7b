// Snapshots with a Standard Schema: what it makes of the complete value comes last, or its error.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { z } from "zod";

import { SchemaError, snapshots } from "../dist/index.js";

const Trip = z.object({ city: z.string(), days: z.array(z.string()).default(["today"]) });

async function read(chunks, schema) {
  const shown = [];
  try {
    for await (const value of snapshots(chunks, { schema })) shown.push(structuredClone(value));
  } catch (error) {
    return { shown, error };
  }
  return { shown };
}

describe("snapshots with a schema", () => {
  test("end with the schema's output", async () => {
    const { shown, error } = await read(['{"city": "B', 'ern"', "}"], Trip);
    assert.equal(error, undefined);
    assert.deepEqual(shown, [{ city: "B" }, { city: "Bern" }, { city: "Bern", days: ["today"] }]);
    const loop = snapshots(['{"city": "Bern"}'], { schema: Trip });
    let result = await loop.next();
    while (!result.done) result = await loop.next();
    assert.deepEqual(result.value, { city: "Bern", days: ["today"] });
  });

  test("a refused value is yielded before, and its issues are thrown", async () => {
    const { shown, error } = await read(['{"city": ', '7, "days": [1]}'], Trip);
    assert.deepEqual(shown.at(-1), { city: 7, days: [1] });
    assert.ok(error instanceof SchemaError);
    assert.deepEqual([error.kind, error.issues.length, error.issues[0].path], ["schema", 2, ["city"]]);
    assert.match(error.message, /^schema: .+ at city$/);
  });

  test("an incomplete text is an error of the text, and is not validated", async () => {
    const asked = [];
    const schema = { "~standard": { version: 1, vendor: "test", validate: (value) => (asked.push(value), { value }) } };
    const { error } = await read(['{"city": "Bern"'], schema);
    assert.deepEqual([error.kind, asked], ["incomplete", []]);
  });

  test("an asynchronous schema is refused", async () => {
    // A rejection that nobody handles would end the test.
    for (const validate of [async (value) => ({ value }), async () => Promise.reject(new Error("no"))]) {
      const { shown, error } = await read(['{"city": "Bern"}'], { "~standard": { version: 1, vendor: "test", validate } });
      assert.deepEqual(shown, [{ city: "Bern" }]);
      assert.ok(error instanceof TypeError);
    }
  });

  test("what is no schema is refused before the source is read", async () => {
    for (const schema of [null, {}, { "~standard": {} }, { parse: (value) => value }]) {
      const { shown, error } = await read(['{"city": "Bern"}'], schema);
      assert.deepEqual([shown, error.kind], [[], "invalid-option"]);
    }
  });

  test("paths of issues may have objects as steps", async () => {
    const issues = [{ message: "no", path: [{ key: "a" }, 0] }];
    const schema = { "~standard": { version: 1, vendor: "test", validate: () => ({ issues }) } };
    const { error } = await read(["1"], schema);
    assert.equal(error.message, "schema: no at a.0");
  });
});
