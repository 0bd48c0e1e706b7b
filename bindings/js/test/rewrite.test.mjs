// Rewriting a text while it passes: what is easy to get wrong, and what the differential test can't ask.

import assert from "node:assert/strict";
import { test } from "node:test";

import { JsonSpigotError, PatternError } from "../dist/index.js";
import { RewriteError, Rewriter, RewriteStream, Rule } from "../dist/rewrite/index.js";

const utf8 = new TextEncoder();

/** Returns the text in one piece, in single units, and cut once at each place; also as bytes. */
function* cuts(text) {
  for (const whole of [text, utf8.encode(text)]) {
    yield [whole];
    yield Array.from(whole, (_, at) => whole.slice(at, at + 1));
    for (let at = 1; at < whole.length; at++) yield [whole.slice(0, at), whole.slice(at)];
  }
}

/** Returns the output of the chunks, and the error. */
function run(rewriter, chunks) {
  let out = "";
  try {
    for (const chunk of chunks) out += rewriter.write(chunk);
    return [out + rewriter.finish()];
  } catch (error) {
    assert.ok(error instanceof RewriteError && error instanceof JsonSpigotError, String(error));
    assert.throws(() => rewriter.write("1"), { message: error.message, output: "" });
    return [out + error.output, error.kind, error.offset];
  }
}

function check(rules, text, ...expected) {
  for (const chunks of cuts(text)) assert.deepEqual(run(new Rewriter(rules()), chunks), expected, JSON.stringify(chunks));
}

test("a removed value takes a comma along", () => {
  const rules = () => [Rule.remove("x"), Rule.remove("[1,3]")];
  check(rules, '{\n  "x": 2,\n  "b": 3}', '{\n  "b": 3}');
  check(rules, '{"b": 3 , "x" : [2, {}] }', '{"b": 3  }');
  check(rules, '{"x": 1, "x": 2 , "b": 0, "x": 3, "c": 4}', '{  "b": 0, "c": 4}');
  check(rules, '{"x": 1 , "x": 2 }', "{  }");
  check(rules, "[ 0 , 1,2 , 3 ]", "[ 0 ,2  ]");
  check(rules, '{"a": {"x": 1}}', '{"a": {"x": 1}}');
});

test("a key matches however it is spelt", () => {
  const text = '{"p\\u0061ss": "hunter2", "pass": "hunter2", "pass\\u0000": 1, "PASS": "é"}';
  check(() => Rule.redact("pass"), text, '{"p\\u0061ss": "[redacted]", "pass": "[redacted]", "pass\\u0000": 1, "PASS": "é"}');
  check(() => Rule.remove("pass"), text, '{ "pass\\u0000": 1, "PASS": "é"}');
});

test("the first rule applies, and the value is not searched", () => {
  const text = '{"a": {"b": 1}, "b": 2}';
  check(() => [Rule.remove("..b"), Rule.replace("*", 0)], text, '{"a": 0}');
  check(() => [Rule.replace("a", { b: 3 }), Rule.redact("..b")], text, '{"a": {"b":3}, "b": "[redacted]"}');
});

test("strings are rewritten inside, and in strings in them", () => {
  const rules = () => [Rule.redact("a | b | c"), Rule.remove("a | d")];
  const text = '{"a": "{\\"d\\": 1,\\n\\u0022b\\": \\"{\\\\\\"c\\\\\\": \\\\\\"hunter2\\\\\\", \\\\\\"e\\\\\\": 1}\\"}"}';
  check(rules, text, '{"a": "{\\n\\u0022b\\": \\"{\\\\\\"c\\\\\\": \\\\\\"[redacted]\\\\\\", \\\\\\"e\\\\\\": 1}\\"}"}');
});

test("a string that turns out not to be JSON is cut off if a rule redacts", () => {
  const text = '{"a": "{\\"b\\": \\"hunter2\\", oops \\"b\\": \\"hunter2\\"}", "c": 1}';
  check(() => [Rule.redact("a | b"), Rule.remove("c")], text, '{"a": "{\\"b\\": \\"[redacted]\\", "}');
  check(() => Rule.replace("a | b", 0), text, '{"a": "{\\"b\\": 0, oops \\"b\\": \\"hunter2\\"}", "c": 1}');
  check(() => Rule.redact("a | $"), '{"a": "no thanks"}', '{"a": "\\"[redacted]\\""}');
});

test("no part of a redacted value is written, also from failed texts", () => {
  const text = '{"n": [1], "pw": "hunter2", "in": "{\\"pw\\": \\"hunter2\\", \\"x\\": \\"{\\\\\\"pw\\\\\\": [\\\\\\"hunter2\\\\\\"]}\\"}"}';
  const keys = [...text.matchAll(/pw|x\\"|"in|"x/g)].map(({ index, 0: { length } }) => [index, index + length]);
  const parts = Array.from({ length: 5 }, (_, at) => "hunter2".slice(at, at + 3));
  for (let place = 0; place <= text.length; place++) {
    for (const unit of ["", '"', "\\", "}", "x", "\ud83d", "\n", ","]) {
      // Another key, which no rule selects.
      if (unit !== "" && keys.some(([from, to]) => place >= from && place <= to)) continue;
      const broken = text.slice(0, place) + unit + text.slice(place);
      for (const chunks of [[broken], [...broken], [broken.slice(0, place), broken.slice(place)]]) {
        const [out] = run(new Rewriter([Rule.redact("..pw"), Rule.redact("in | pw"), Rule.redact("in | x | ..pw")]), chunks);
        assert.ok(!parts.some((part) => out.includes(part)), `${JSON.stringify(unit)} at ${place}: ${out}`);
      }
    }
  }
});

test("held text is limited in bytes, at any cut", () => {
  const of = (rule, heldLimit, text) => new Set([...cuts(text)].map((chunks) => JSON.stringify(run(new Rewriter(rule, { heldLimit }), chunks))));
  // The comma, the blanks, the key, the colon and a blank.
  const text = `{"a": 1,${" ".repeat(100)}"é": 2}`;
  assert.deepEqual(of(Rule.remove("é"), 107, text), new Set(['["{\\"a\\": 1}"]']));
  assert.deepEqual(of(Rule.remove("é"), 106, text), new Set(['["{\\"a\\": 1","held-limit",113]']));
  const waiting = '{"a": ["é", 2], "b": 0}';
  const map = () => Rule.map("a", (json) => json);
  assert.deepEqual(of(map(), 9, waiting), new Set([JSON.stringify([waiting])]));
  assert.deepEqual(of(map(), 8, waiting), new Set(['["{\\"a\\": ","held-limit",14]']));
  const failing = Rule.map("[0] | $", (json) => json);
  assert.deepEqual(of(failing, 1, '["{oops"]'), new Set([JSON.stringify(['[""]'])]));
  assert.deepEqual(of(failing, 0, '["{oops"]'), new Set([JSON.stringify(['["', "held-limit", 2])]));
});

test("megabytes of white space are refused", () => {
  const rewriter = new Rewriter(Rule.remove("b"));
  let out = rewriter.write('{"a": 1,');
  assert.throws(() => {
    for (let left = 256; left > 0; left--) out += rewriter.write(" ".repeat(64 << 10));
  }, { kind: "held-limit", code: "ERR_JSONSPIGOT_HELD_LIMIT", offset: 7 + (1 << 20), output: "" });
  assert.equal(out, '{"a": 1');
});

test("the result of a function has to be JSON", () => {
  for (const bad of ["", "oops", "1 2", '{"a":', "\0", '"\\ud800"', '"\ud800"', undefined, 7]) {
    check(() => Rule.map("a", () => bad), '{"a": 1, "b": 2}', '{"a": ', "bad-replacement", 6);
  }
  for (const bad of [undefined, () => 1, "\ud800"]) {
    assert.throws(() => Rule.replace("a", bad), { kind: "invalid-option" });
  }
  assert.throws(() => new Rewriter(Rule.mapText("a", () => 1)).write('{"a": "x"}'), TypeError);
  check(() => Rule.mapText("a", (piece) => (piece === undefined ? "\ud83d" : "")), '{"a": "x"}', '{"a": "\ufffd"}');
});

test("an error thrown by a function stops the text", () => {
  for (const thrown of [new RangeError("mine"), undefined]) {
    const rewriter = new Rewriter(Rule.map("a", () => {
      throw thrown;
    }));
    assert.throws(() => rewriter.write('{"a": 1}'), (error) => error === thrown);
    assert.throws(() => rewriter.finish(), (error) => error === thrown);
    rewriter.reset();
    assert.equal(rewriter.write('{"b": 1}') + rewriter.finish(), '{"b": 1}');
  }
});

test("a function can't call its own rewriter", () => {
  let refused = 0;
  const rewriter = new Rewriter(Rule.map("a", () => {
    assert.throws(() => rewriter.write("1"), TypeError);
    assert.throws(() => rewriter.reset(), TypeError);
    return `${++refused}`;
  }));
  assert.equal(rewriter.write('{"a": 0}') + rewriter.finish(), '{"a": 1}');
});

test("functions receive JSON texts and pieces of strings", () => {
  check(() => Rule.map("a | b", (json) => ` [${json}] `), '{"a": "{\\"b\\": \\"x\\\\n\\"}"}', '{"a": "{\\"b\\": [\\"x\\\\n\\"]}"}');
  const upper = () => Rule.mapText("*", (piece) => piece?.toUpperCase() ?? "!");
  check(upper, '{"a": "one\\n\\u00e9", "b": 1, "c": ""}', '{"a": "ONE\\nÉ!", "b": 1, "c": "!"}');
});

test("invalid rules and options are refused", () => {
  for (const root of ["$", "a | $", "..* | $"]) {
    assert.throws(() => new Rewriter([Rule.redact("b"), Rule.remove(root)]), { kind: "invalid-option", message: "rule 1 removes the root of a text, but a text must have a value" });
  }
  assert.throws(() => new Rewriter(Rule.redact("raw:a")), /without `raw:`/);
  assert.throws(() => new Rewriter(Rule.redact("a[")), PatternError);
  assert.throws(() => new Rewriter([], { lenient: "model-output" }), /only strict JSON can be rewritten/);
  assert.throws(() => new Rewriter([], { heldLimit: -1 }), { kind: "invalid-option" });
  const round = [];
  round.push(round);
  for (const value of [undefined, 1n, round]) assert.throws(() => Rule.replace("a", value), { kind: "invalid-option" });
  assert.throws(() => Rule.map("a"), TypeError);
  for (const rules of [undefined, "a", ["a"], { pattern: "a" }]) assert.throws(() => new Rewriter(rules), /^TypeError: a rule is made by/);
  assert.throws(() => new Rewriter([]).write(1), TypeError);
});

test("limits and repeated keys are checked as in a parser", () => {
  const rewriter = new Rewriter(Rule.redact("a"), { limits: { string: 4 }, duplicateKeys: "reject" });
  assert.deepEqual(run(rewriter, ['{"a": "hunter2"}']), ['{"a": "[redacted]"', "string-limit", 11]);
  rewriter.reset();
  assert.deepEqual(run(rewriter, ['{"b": 1, "b": 2}']), ['{"b": 1, "b', "duplicate-key", 11]);
  rewriter.reset();
  assert.deepEqual(run(rewriter, ['{"a": 1', "}", ""]), ['{"a": "[redacted]"}']);
  assert.throws(() => rewriter.write(" "), { kind: "finished" });
  assert.equal(rewriter.finish(), "");
  rewriter.reset();
  assert.deepEqual(run(rewriter, ['{"a": ']), ['{"a": ', "incomplete", 6]);
});

test("text that is not held back is written at once", () => {
  const rewriter = new Rewriter([Rule.mapText("a", (piece) => piece ?? ""), Rule.remove("z")]);
  const chunks = ['{"a": "one', " two", " \\u00", 'e9 three", "b": "four', ' five"', "}"];
  assert.deepEqual(chunks.map((chunk) => rewriter.write(chunk)), ['{"a": "one', " two", " ", 'é three", "b": "four', ' five"', "}"]);
});

test("a cut character is written as a whole, and a byte order mark not at all", () => {
  const rewriter = new Rewriter(Rule.remove("z"));
  const bytes = utf8.encode('\ufeff["€😀"]');
  assert.deepEqual([...bytes].map((byte) => rewriter.write(Uint8Array.of(byte))).filter((text) => text !== ""), ["[", '"', "€", "😀", '"', "]"]);
  rewriter.reset();
  assert.deepEqual(["[\"\ud83d", "\ude00\"]"].map((text) => rewriter.write(text)), ['["', '😀"]']);
  assert.deepEqual(run(new Rewriter([], { strictByteOrderMark: true }), [bytes]), ["", "unexpected-byte", 0]);
});

test("many rewriters share their rules", () => {
  const rules = [Rule.redact("..pw"), Rule.remove("b")];
  const [one, other] = [new Rewriter(rules), new Rewriter(rules)];
  rules.length = 0;
  const out = [one.write('{"pw": 1, '), other.write('{"b": "x'), one.write('"b": 2}'), other.write('"}')];
  assert.deepEqual(out, ['{"pw": "[redacted]"', "{", "}", "}"]);
});

test("a stage of a pipe passes on the output before an error", async () => {
  const read = async (chunks) => {
    const out = [];
    try {
      for await (const text of ReadableStream.from(chunks).pipeThrough(new RewriteStream(Rule.redact("pw")))) out.push(text);
    } catch (error) {
      out.push(error.kind);
    }
    return out;
  };
  assert.deepEqual(await read(['{"pw": "hun', "ter2", '"}']), ['{"pw": "[redacted]"', "}"]);
  assert.deepEqual(await read(['{"a": 1, "pw": 2, oops']), ['{"a": 1, "pw": "[redacted]", ', "unexpected-byte"]);
  assert.deepEqual(await read([utf8.encode('{"pw": 1')]), ['{"pw": "[redacted]"', "incomplete"]);
});
