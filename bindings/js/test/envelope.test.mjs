// The envelope. `envelope.differential.test.mjs` holds it against that of `jsonspigot/providers`, which is the Rust library's;
// here is what it promises besides.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Envelope, JsonSpigotError, lenient as tolerating } from "./all.mjs";

const shown = (events) => events.filter(({ kind }) => kind === "text").map(({ text }) => text).join("");
const bytes = (...list) => Uint8Array.from(list);

test("text is reported at once, and payloads are parsed", () => {
  const envelope = new Envelope(["comment:context", "tag:think"], "slots[*]");
  const all = [];
  for (const chunk of ["<thi", "nk>1 < 2</th", "ink>Yes. <!-", '-context {"slots": ["a --> b', '"]} -', "-> Bye!"]) all.push(...envelope.feed(chunk));
  all.push(...envelope.finish());
  assert.equal(shown(all), "Yes.  Bye!");
  assert.equal(all.filter(({ kind }) => kind === "delta").map(({ text }) => text).join(""), "a --> b");
  assert.equal(all.filter(({ kind }) => kind === "fragment").map(({ text }) => text).join(""), "1 < 2");
  const [thought, context] = all.filter(({ kind }) => kind === "payload");
  assert.deepEqual([thought.mark, thought.status, thought.raw, thought.value], ["tag:think", "raw", "1 < 2", undefined]);
  assert.deepEqual([context.mark, context.status, context.value, context.close], ["comment:context", "complete", { slots: ["a --> b"] }, "-->"]);
});

test("text that may become a mark is held back, and released if it does not", () => {
  const envelope = new Envelope("fence:json");
  assert.equal(shown(envelope.feed("Use ```js")), "Use ");
  assert.equal(shown(envelope.finish()), "```js");
  assert.equal(shown(envelope.feed("```j[")), "```j[");
  assert.deepEqual(envelope.feed("```json [1").map(({ kind, open, offset }) => [kind, open, offset]), [["payload-start", "```json", 5]]);
  const [end] = envelope.finish();
  assert.deepEqual([end.status, end.reason, end.raw, end.error.kind], ["truncated", "end-of-input", " [1", "incomplete"]);
});

test("every call after an error throws it again, until `reset`", () => {
  const envelope = new Envelope("bare");
  const failed = (run) => {
    try {
      run();
    } catch (error) {
      return error;
    }
    return undefined;
  };
  const error = failed(() => envelope.feed(bytes(0x61, 0x0a, 0x62, 0xff)));
  assert.ok(error instanceof JsonSpigotError);
  assert.deepEqual([error.kind, error.offset, error.line, error.column, shown(error.events)], ["invalid-utf8", 3, 2, 2, "a\nb"]);
  assert.deepEqual([failed(() => envelope.feed("x")).offset, failed(() => envelope.finish()).events], [3, []]);
  envelope.reset();
  assert.equal(shown(envelope.feed("x")), "x");
  envelope.feed("\ud83d");
  const cut = failed(() => envelope.finish());
  assert.deepEqual([cut.kind, cut.offset], ["incomplete", 3]);
});

test("a text may start inside a payload of the first mark", () => {
  const told = (envelope, chunks) => [...chunks.flatMap((chunk) => envelope.feed(chunk)), ...envelope.finish()].map((event) => [event.kind, event.text ?? event.open ?? event.status, event.offset ?? event.close]);
  const thinking = new Envelope(["tag:think:raw", "bare"], [], { startsInside: true });
  const expected = [["payload-start", "", 0], ["fragment", "1 < 2", undefined], ["payload", "raw", "</think>"], ["text", "Yes.", undefined]];
  for (let round = 0; round < 2; round++) assert.deepEqual(told(thinking, ["", "1 < 2", "</think>Yes."]), expected);
  assert.deepEqual(told(thinking, []), []);
  thinking.feed("no");
  thinking.reset();
  assert.deepEqual(thinking.feed("x")[0].kind, "payload-start");
  // The text after it is searched as usual. A fence that opened before the text closes with three backticks.
  const fenced = new Envelope("fence:json", [], { startsInside: true });
  const statuses = told(fenced, ['{"a": 1}\n```\nand\n```json\n[2]\n```', "."]);
  assert.deepEqual(statuses.map(([kind, what]) => `${kind} ${what}`), ["payload-start ", "payload complete", "text \nand\n", "payload-start ```json", "payload complete", "text ."]);
  assert.deepEqual(told(new Envelope("bare", [], { startsInside: true }), ["a"]), [["text", "a", undefined]]);
});

test("bad arguments are refused", () => {
  for (const mark of ["", "note:x", "tag:<a>", "fence:", "tag:x:json:raw", "between:a", "between::b", "between:a: b", "between:a:b:c", "between:\\x:b", "between:a::raw", "between:a:b:", "bare:x"]) {
    assert.throws(() => new Envelope(mark), { kind: "invalid-mark" }, mark);
  }
  for (const [marks, options] of [[[], {}], ["bare", { holdLimit: -1 }], ["bare", { payloadLimit: 1.5 }], ["bare", { other: 1 }], ["bare", { prototypeKeys: "reject" }]]) {
    assert.throws(() => new Envelope(marks, [], options), { kind: "invalid-option" }, JSON.stringify(options));
  }
  assert.throws(() => new Envelope("bare").feed(1), TypeError);
});

test("a number at the limit on the total ends where JSON's white space follows, and no other", () => {
  const options = { lenient: tolerating(["comments"]), accept: true, limits: { total: 2 } };
  for (const [next, kinds] of [[" ", "begin end"], ["\u00a0", "begin"], ["\f", "begin"], ["\u2028", "begin"]]) {
    const matches = new Envelope("tag:t:json", "$", options).feed(`<t>12${next}</t>`).filter(({ matchId }) => matchId !== undefined);
    assert.equal(matches.map(({ kind }) => kind).join(" "), kinds, JSON.stringify(next));
  }
});

test("the cost is linear in the text", () => {
  for (const [mark, text] of [
    ["fence:*", "`".repeat(300_000)],
    ["bare", "[".repeat(300_000)],
    ["bare", "{ ".repeat(150_000)],
    ["comment:a", `<!--a ${" --".repeat(100_000)}`],
    ["tag:t", "<".repeat(300_000)],
    ["fence:text:raw", "```text\n" + " ```".repeat(75_000)],
    ["between:[[a:]]", "[".repeat(300_000)],
    ["between:[:]]]]]]]", "[{}]]]]]] ".repeat(30_000)],
    ["between:[a]::led", "[a]".repeat(100_000)],
  ]) {
    for (const size of [7, 1 << 20]) {
      // The processor's time: what else the machine does only adds to the other.
      const begun = process.cpuUsage().user;
      const envelope = new Envelope(mark);
      for (let at = 0; at < text.length; at += size) envelope.feed(text.slice(at, at + size));
      envelope.finish();
      const took = (process.cpuUsage().user - begun) / 1000;
      assert.ok(took < 10_000, `${mark}: ${took} ms`);
    }
  }
});

test("a parser that says where payloads end looks at none of the later ones", () => {
  const { codePointAt } = String.prototype;
  const text = '<x>{"a":1}</x>'.repeat(1000);
  let looks = 0;
  String.prototype.codePointAt = function (at) {
    looks += 1;
    return codePointAt.call(this, at);
  };
  try {
    const envelope = new Envelope("tag:x:json", [], { lenient: tolerating("model-output"), accept: true, payloadLimit: text.length });
    assert.equal(envelope.feed(text).filter(({ status }) => status === "complete").length, 1000);
  } finally {
    String.prototype.codePointAt = codePointAt;
  }
  assert.ok(looks < 10 * text.length, `${looks} looks`);
});

test("a value that only its parser knows the end of is the same for each cut", () => {
  const value = { a: "😀é".repeat(300), b: [1, "x".repeat(700)] };
  const text = `<x>// 😀\n${JSON.stringify(value)}, <x>12`;
  for (const payloadLimit of [1 << 20, 700, 701, 702, 703, 704]) {
    const endOf = (sizes) => {
      const envelope = new Envelope("tag:x:json", [], { lenient: tolerating("model-output"), accept: true, payloadLimit });
      const events = [];
      for (let at = 0, size; at < text.length; at += size) events.push(...envelope.feed(text.slice(at, at + (size = sizes(at)))));
      return [...events, ...envelope.finish()].filter(({ kind }) => kind === "payload").map(({ error, ...end }) => ({ ...end, error: error?.message }));
    };
    const whole = endOf(() => text.length);
    for (const size of [1, 2, 255, 256, 257]) assert.deepEqual(endOf(() => size), whole, `${size} of ${payloadLimit}`);
  }
});
