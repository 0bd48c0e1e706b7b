// Saved state: a parser that is saved and restored between any two chunks reports the same, and any data give a parser or an error.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Documents, JsonSpigotError, lenient as tolerating, Parser, restoreDocuments, restoreParser, saveDocuments, saveParser } from "./all.mjs";
import { cut, sizes, text } from "./texts.mjs";

const utf8 = (whole) => new TextEncoder().encode(whole);
const PATTERNS = [[], ["$", "$.*", "..a", "[*]", "..id", "..[0]"], ["a | $..*", "..id", "$..* | $", "a"]];
const limits = { depth: 1000 };

const DEVIATIONS = ["control-characters", "bad-escapes", "lone-surrogates", "trailing-commas", "comments", "single-quotes", "bare-keys", "python-literals", "non-finite", "byte-order-mark"];

/** Of parsers that can be saved. */
const options = fc.record({
  snapshots: fc.constantFrom(false, true, "live"),
  provisional: fc.boolean(),
  retain: fc.constantFrom("all", "matches", "nothing"),
  duplicateKeys: fc.constantFrom("last-wins", "reject"),
  lenient: fc.constantFrom([], "model-output", DEVIATIONS).map(tolerating),
  accept: fc.boolean(),
  numbers: fc.constantFrom("number", "bigint", "string"),
  prototypeKeys: fc.constantFrom("keep", "drop", "reject"),
  spelling: fc.boolean(),
  limits: fc.constantFrom(limits, { ...limits, blank: 2 }, { ...limits, blank: 0 }, { ...limits, total: 40 }, { ...limits, number: 3, blank: 1 }, { ...limits, key: 2, string: 4, blank: 3 }),
}).map((chosen) => (chosen.retain === "all" ? chosen : { ...chosen, lenient: tolerating([]) }));

/** Texts, some of which are inside strings of others, and some of which are not JSON. */
const input = fc.oneof(
  text,
  text.map((inner) => JSON.stringify({ id: 1, a: inner })),
  fc.tuple(text, fc.nat(), fc.constantFrom("x", "]", "\ud83d", "\udc00", "\n", ",", "// c\n", "\\u12", "/*\ud83d", "#\ud83d\ude00\n", "'", "{a:", "-Inf", "/")).map(([whole, at, fault]) => {
    const place = at % (whole.length + 1);
    return whole.slice(0, place) + fault + whole.slice(place);
  }),
);

/** A state as it comes back from where it was stored. */
const stored = (state) => JSON.parse(JSON.stringify(state));

const plain = (error) => (error instanceof JsonSpigotError ? { ...error, message: error.message } : String(error));
const attempt = (run) => {
  try {
    return structuredClone(run());
  } catch (error) {
    return plain(error);
  }
};

/** Returns everything that can be asked between two chunks. */
function looks(parser, isFollowed) {
  const { error, ...status } = parser.status;
  const asked = [status, plain(error), attempt(() => parser.value()), attempt(() => parser.valueText())];
  if (!isFollowed) return asked;
  return [...asked, attempt(() => parser.snapshotText()), attempt(() => parser.stateOf("a")), attempt(() => parser.stateOf("[0].id"))];
}

/** Both read the same chunks, and one is saved and restored before those that `when` says. */
function changesNothing(chunks, patterns, chosen, when) {
  const isFollowed = Boolean(chosen.snapshots) || chosen.provisional;
  const one = new Parser(patterns, chosen);
  let other = new Parser(patterns, chosen);
  [...chunks, null, null].forEach((chunk, place) => {
    const turn = when[place % when.length];
    if (turn & 1) {
      const before = other;
      other = restoreParser(patterns, stored(saveParser(before)), chosen);
      before.dispose();
    }
    const told = [one, other].map((parser) => attempt(() => (chunk === null ? parser.finish() : parser.feed(chunk))));
    assert.deepEqual(told[1], told[0]);
    if (isFollowed && turn & 2) assert.deepEqual(...[one, other].map((parser) => attempt(() => parser.snapshot())));
    if (isFollowed && turn & 4) assert.deepEqual(...[one, other].map((parser) => attempt(() => parser.patch())));
    if (isFollowed && turn & 8) assert.deepEqual(...[one, other].map((parser) => attempt(() => parser.patchText())));
    assert.deepEqual(looks(other, isFollowed), looks(one, isFollowed));
  });
  one.dispose();
  other.dispose();
}

const when = fc.array(fc.nat(15), { minLength: 1, maxLength: 8 });

describe("a parser that is saved and restored", () => {
  test("reports what an unsaved one reports, at any cut of a string", () => {
    const check = (whole, list, patterns, chosen, turns) => changesNothing(cut(whole, list), patterns, chosen, turns);
    fc.assert(fc.property(input, sizes, fc.constantFrom(...PATTERNS), options, when, check), { numRuns: 1000 });
  });
  test("keeps half a pair beyond the limit on the total", () => {
    const chosen = { snapshots: true, lenient: tolerating(["lone-surrogates"]), limits: { total: 4 } };
    changesNothing([..."[\"a😀\"]".split("")], [], chosen, [1]);
  });
  test("reports what an unsaved one reports, at any cut of bytes", () => {
    const check = (whole, list, patterns, chosen, turns) => changesNothing(cut(utf8(whole), list), patterns, chosen, turns);
    fc.assert(fc.property(input, sizes, fc.constantFrom(...PATTERNS), options, when, check), { numRuns: 500 });
  });
  test("reports what the parser of `jsonspigot` reports", () => {
    const check = (whole, list) => {
      const [one, other] = [new Parser(PATTERNS[1], { limits }), new Parser(PATTERNS[1], { limits })];
      for (const chunk of cut(whole, list)) assert.deepEqual(other.feed(chunk), one.feed(chunk));
      assert.deepEqual(other.finish(), one.finish());
      assert.deepEqual(other.value(), one.value());
    };
    fc.assert(fc.property(text, sizes, check));
  });
  test("can't be saved if it is lenient and does not retain all its text", () => {
    for (const retain of ["matches", "nothing"]) {
      const chosen = { retain, lenient: tolerating(["comments"]) };
      const parser = new Parser("a", chosen);
      const documents = new Documents("lines", "a", chosen);
      for (const chunk of ["", '{"a":', "1 /", "/ c\n", "}"]) {
        assert.throws(() => saveParser(parser), { kind: "not-retained" });
        assert.throws(() => saveDocuments(documents), { kind: "not-retained" });
        parser.feed(chunk);
        documents.feed(chunk.replace("\n", ""));
      }
      assert.equal(saveParser(new Parser("a", { retain, lenient: tolerating([]) })).kind, "parser");
    }
  });
  test("keeps a lenient text up to the bad byte", () => {
    const parser = new Parser("a", { lenient: tolerating(DEVIATIONS) });
    const body = () => saveParser(parser).data.text;
    for (const chunk of ["{a: [1,", "]/", "* \u00e9 *", "/}", " #"]) parser.feed(chunk);
    assert.equal(body(), "{a: [1,]/* \u00e9 */} #");
    assert.throws(() => parser.feed("\n1 2"), { kind: "unexpected-byte", offset: 1 });
    assert.ok(body().endsWith("#\n1"));
  });
  test("does not count a number as the white space that ends it", () => {
    for (const retain of ["all", "matches", "nothing"]) {
      for (const snapshots of [false, true]) {
        const chosen = { retain, snapshots, limits: { number: 3, blank: 1 } };
        for (const whole of ["[123 , 45 ]", "123 ", '{"a":123 }', '{"a":"[123 ]"}']) changesNothing([...whole], ["a | [0]", "[*]"], chosen, [1]);
      }
    }
  });
  test("keeps an error at the white space that ended a number", () => {
    for (const whole of ["1 ", "[1 ]", '{"a":1\n}']) {
      for (const snapshots of [false, true]) changesNothing([whole], PATTERNS[1], { snapshots, limits: { blank: 0 } }, [1]);
    }
  });
  test("keeps half a pair in a comment, and that of a failed text", () => {
    const chosen = { lenient: tolerating(["comments"]) };
    for (const [first, rest] of [["[/*\ud83d", "\ude00*/1]"], ["[\"\ud83d", ""]]) {
      const [one, other] = [new Parser("$", chosen), new Parser("$", chosen)];
      one.feed(first);
      other.feed(first);
      const restored = restoreParser("$", saveParser(other), chosen);
      const outcome = (parser) => attempt(() => [parser.feed(rest), parser.finish()]);
      assert.deepEqual(outcome(restored), outcome(one));
      assert.deepEqual(looks(restoreParser("$", saveParser(restored), chosen), false), looks(one, false));
    }
  });
  test("keeps half a pair that waits", () => {
    let parser = new Parser("$");
    parser.feed('"a\ud83d');
    const state = saveParser(parser);
    assert.equal(restoreParser("$", state).feed("\ude00")[0].text, "😀");
    assert.throws(() => restoreParser("$", state).finish(), { kind: "incomplete", offset: 4 });
    assert.throws(() => restoreParser("$", state).feed(utf8('"')), { kind: "lone-surrogate", offset: 2 });
    parser = restoreParser("$", saveParser(restoreParser("$", state)));
    assert.equal(parser.feed("\ude00")[0].text, "😀");
  });
  test("keeps a refused key", () => {
    const chosen = { prototypeKeys: "reject", snapshots: true };
    const values = new Parser("a", chosen);
    assert.throws(() => values.feed('{"a":{"constructor":{"prototype":1}},'), { kind: "prototype-key" });
    const restored = restoreParser("a", saveParser(values), chosen);
    for (const parser of [values, restored]) {
      assert.throws(() => parser.feed('"b":1'), { kind: "prototype-key", message: /"prototype"/ });
      assert.equal(parser.status.error.kind, "prototype-key");
    }
    const looks = new Parser([], chosen);
    looks.feed('{"__proto__":1,');
    assert.throws(() => looks.snapshot(), { kind: "prototype-key" });
    assert.throws(() => restoreParser([], saveParser(looks), chosen).patch(), { kind: "prototype-key" });
    assert.equal(restoreParser([], saveParser(looks), chosen).status.error.kind, "prototype-key");
  });
  test("may be restored with other options for values", () => {
    const parser = new Parser("a", { snapshots: true });
    parser.feed('{"a":["x",12345678901234567890,{"__proto__":1},"y');
    const other = restoreParser("a", saveParser(parser), { snapshots: "live", numbers: "bigint", prototypeKeys: "drop", spelling: true });
    assert.deepEqual(other.snapshot(), { a: ["x", 12345678901234567890n, {}, "y"] });
    assert.equal(other.feed('\\u007a"]')[0].raw, '["x",12345678901234567890,{"__proto__":1},"y\\u007a"]');
  });
  test("can be cloned, and the clones are independent", () => {
    const parser = new Parser("$");
    parser.feed('"a');
    const clone = parser.clone();
    assert.ok(clone instanceof Parser);
    clone.feed("b");
    const [one, other] = [parser, clone].map((each) => restoreParser("$", saveParser(each)));
    assert.equal(one.feed('"')[0].value, "a");
    assert.equal(other.clone().feed('"')[0].value, "ab");
  });
  test("is short inside a long string of a parser that retains nothing", () => {
    const parser = new Parser("message", { retain: "nothing" });
    parser.feed(`{"message": "${"Good morning. ".repeat(1000)}`);
    assert.ok(JSON.stringify(saveParser(parser)).length < 270, JSON.stringify(saveParser(parser)));
  });
  test("goes on without changing its state", () => {
    const options = { snapshots: true };
    const parser = new Parser([], options);
    parser.feed("[1");
    parser.patch();
    parser.feed(",2");
    const state = saveParser(parser);
    const before = stored(state);
    parser.feed(",3]");
    parser.patch();
    assert.deepEqual(state, before);
    assert.deepEqual(restoreParser([], state, options).patch(), [{ op: "add", path: "/0", value: 1 }]);
  });
  test("can be saved repeatedly, but not once it is disposed of", () => {
    const parser = new Parser("a");
    parser.feed('{"a":"x');
    assert.deepEqual(saveParser(parser), saveParser(parser));
    parser.dispose();
    assert.throws(() => saveParser(parser), { kind: "disposed" });
  });
});

describe("a stream of documents that is saved and restored", () => {
  test("reports what an unsaved one reports", () => {
    const check = (texts, list, framing, retain, turns, lenient, start) => {
      const together = texts.map((each) => (framing === "sequence" ? `\x1e${each}\n` : `${framing === "lines" ? each.replace(/\n/g, " ") : each}\n`)).join("");
      const whole = start === "" ? together : utf8(start + together);
      const chosen = { retain, limits, prototypeKeys: "reject", lenient: tolerating(retain === "all" ? lenient : []) };
      const one = new Documents(framing, PATTERNS[1], chosen);
      let other = new Documents(framing, PATTERNS[1], chosen);
      [...cut(whole, list), null].forEach((chunk, place) => {
        if (turns[place % turns.length] & 1) other = restoreDocuments(framing, PATTERNS[1], stored(saveDocuments(other)), chosen);
        const told = [one, other].map((each) => attempt(() => (chunk === null ? each.finish() : each.feed(chunk))));
        assert.deepEqual(told[1], told[0]);
      });
      one.dispose();
      other.dispose();
    };
    const texts = fc.array(input, { maxLength: 4 });
    const framing = fc.constantFrom("lines", "concatenated", "sequence");
    const retain = fc.constantFrom("all", "matches", "nothing");
    // As bytes, with a byte order mark or nearly one.
    const start = fc.constantFrom("", " ", "\ufeff", "\ufeff\ufeff", "\ufefe");
    fc.assert(fc.property(texts, sizes, framing, retain, when, fc.constantFrom([], DEVIATIONS), start, check), { numRuns: 400 });
  });
});

describe("a state that is refused", () => {
  const KINDS = ["not-saved-state", "other-version", "other-kind", "other-patterns", "other-choices", "impossible"];
  const VALUES = [0, 1, 2, 3, 7, 255, 2 ** 40, -1, 0.5, "", "[", '{"a":', "\ud83d", "__proto__", [], [0xe2], [0x22, 300], null, true, {}, [[]], { text: "[" }];
  const NAMES = ["outcome", "endsNumber", "text", "rest", "half", "mark", "refused", "hidden", "isKept", "at", "id", "index", "hasFailed", "length", "patchedTo", "constructor"];

  /** Returns all members and elements in some data, each as its container and its name. */
  const placesIn = (data) =>
    Object.entries(data).flatMap(([name, member]) => [[data, name], ...(typeof member === "object" && member !== null ? placesIn(member) : [])]);

  /** Removes, inserts or replaces members and elements of a state. */
  function changed(state, changes) {
    const copy = JSON.parse(JSON.stringify(state));
    for (const [how, at, which] of changes) {
      // Most changes are in the data, which come last.
      const places = placesIn(copy);
      const [container, name] = places[how === 6 ? at % places.length : places.length - 1 - (at % Math.max(1, places.length - 20))];
      const value = structuredClone(VALUES[which % VALUES.length]);
      if (how === 0 && Array.isArray(container)) container.splice(Number(name), which % 2, value);
      else if (how === 0) container[NAMES[which % NAMES.length]] = structuredClone(VALUES[at % VALUES.length]);
      else if (how === 1) delete container[name];
      else if (how < 4 && typeof container[name] === "number") container[name] += how === 2 ? 1 : -1;
      else container[name] = value;
    }
    return copy;
  }

  test("is refused after any change, or is a state that some text leads to", () => {
    const change = fc.tuple(fc.nat(6), fc.nat(), fc.nat());
    const check = (whole, at, list, patterns, chosen, changes) => {
      const parser = new Parser(patterns, chosen);
      attempt(() => parser.feed(whole.slice(0, at % (whole.length + 1))));
      if (chosen.snapshots && changes.length % 2) attempt(() => parser.patch());
      let restored;
      try {
        restored = restoreParser(patterns, changed(saveParser(parser), changes), chosen);
      } catch (error) {
        assert.ok(KINDS.includes(error.kind), String(error));
        return;
      }
      for (const chunk of [...cut(whole, list), null]) {
        const told = attempt(() => (chunk === null ? restored.finish() : restored.feed(chunk)));
        assert.ok(Array.isArray(told) || told.kind, String(told));
      }
      const patch = attempt(() => restored.patch());
      assert.ok(patch === undefined || Array.isArray(patch) || patch.kind, String(patch));
      attempt(() => saveParser(restored));
    };
    fc.assert(fc.property(input, fc.nat(), sizes, fc.constantFrom(...PATTERNS), options, fc.array(change, { minLength: 1, maxLength: 4 }), check), { numRuns: 1000 });
  });
  test("is of another class, version, pattern or option", () => {
    const state = saveParser(new Parser("a"));
    assert.deepEqual(restoreParser("a", state).feed("1"), []);
    const documents = saveDocuments(new Documents("lines", "a"));
    const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    const patched = new Parser("a", { snapshots: true });
    patched.feed('{"a":[1');
    patched.patch();
    const { data, ...rest } = saveParser(patched);
    const patchedTo = (place) => restoreParser("a", { ...rest, data: { ...data, patchedTo: place } }, { snapshots: true });
    const withData = (more) => ({ ...state, data: { ...state.data, ...more } });
    assert.deepEqual(patchedTo(7).patch(), []);
    assert.deepEqual(patchedTo(6).patch(), []);
    assert.deepEqual(patchedTo(5).patch(), [{ op: "add", path: "/a", value: [] }]);
    for (const [kind, restore] of [
      ["not-saved-state", () => restoreParser("a", {})],
      ["not-saved-state", () => restoreParser("a", new Uint8Array(30))],
      ["other-version", () => restoreParser("a", { ...state, jsonspigot: 1 })],
      ["other-kind", () => restoreParser("a", documents)],
      ["other-patterns", () => restoreParser("b", state)],
      ["other-patterns", () => restoreParser(["a", "a"], state)],
      ["other-choices", () => restoreParser("a", state, { retain: "nothing" })],
      ["other-choices", () => restoreParser("a", state, { limits: { depth: 9 } })],
      ["other-choices", () => restoreDocuments("concatenated", "a", documents)],
      ["impossible", () => restoreParser("a", withData({ outcome: 2 }))],
      ["impossible", () => restoreParser("a", withData({ other: 0 }))],
      ["impossible", () => restoreParser("a", withData({ rest: new Array(2) }))],
      ["impossible", () => restoreParser("a", { ...state, data: undefined })],
      ["impossible", () => restoreParser("a", { ...state, data: [] })],
      ["other-patterns", () => restoreParser("a", { ...state, patterns: deep })],
      ["other-choices", () => restoreParser("a", { ...state, choices: deep })],
      ["impossible", () => restoreParser("a", { ...state, data: deep })],
      ["impossible", () => patchedTo(-1)],
      ["impossible", () => patchedTo("1")],
      ["impossible", () => restoreParser("a", withData({ patchedTo: 0 }))],
      ...["-", "1e", "0."].map((text) => ["impossible", () => restoreParser("a", withData({ text, endsNumber: true }))]),
    ]) {
      assert.throws(restore, { kind }, String(restore));
    }
  });
  /** Restores a parser from forged steps. `length` is that of the open token. */
  function forged(patterns, chosen, steps, { length = 0, nextMatch = 9 } = {}) {
    const whole = steps.map(({ text = "" }) => text).join("");
    const data = { levels: [{ steps, column: whole.length, length }], nextMatch };
    return restoreParser(patterns, { ...saveParser(new Parser(patterns, chosen)), data }, chosen);
  }
  const isAccepted = (restore) => {
    try {
      restore();
      return true;
    } catch (error) {
      assert.equal(error.kind, "impossible", String(error));
      return false;
    }
  };
  const short = { key: 2, string: 2, number: 2, blank: 2 };
  test("has text beyond the limits of the parser", () => {
    const [kept, unkept] = [{ retain: "matches", limits: short }, { retain: "nothing", limits: short }];
    for (const [chosen, text, length, nextMatch, isKept, isPossible] of [
      [kept, '["ab",  1', 1, 1, true, true],
      [kept, '["ab",  1', 1, 1, false, false],
      [kept, '["abc", 1', 1, 1, true, false],
      [kept, '["ab",123,', 0, 1, true, false],
      [kept, '["ab",   1', 1, 1, true, false],
      [kept, '{"abc": "b', 2, 1, true, false],
      [kept, '[[[[[[["ab', 3, 1, true, true],
      [kept, '[[[[[[["ab', 3, 2, true, false],
      [unkept, '{"ab', 3, 1, false, true],
      [unkept, '{"abc', 3, 1, false, false],
      [unkept, '{"ab":[', 0, 1, false, true],
      [unkept, '{"abc":[', 0, 1, false, false],
      [unkept, "[12", 2, 1, false, true],
      [unkept, "[123", 2, 1, false, false],
    ]) {
      const restore = () => forged("$", chosen, [isKept ? { text, isKept } : { text }], { length, nextMatch });
      assert.equal(isAccepted(restore), isPossible, `${text} ${isKept}`);
    }
    const shown = { retain: "nothing", snapshots: true, limits: short };
    const state = saveParser(new Parser("$", shown));
    for (const [text, isPossible] of [['["ab",  1', true], ['["abc", 1', false], ['["ab",123,', false], ['{"abc": "b', false], ["[   1", false]]) {
      assert.equal(isAccepted(() => restoreParser("$", { ...state, data: { text } }, shown)), isPossible, text);
    }
  });
  test("has counters that extend a limit", () => {
    const [kept, unkept] = [{ retain: "matches", limits: short }, { retain: "nothing", limits: short }];
    for (const [chosen, text, isKept, length, unit] of [
      [kept, '["ab', true, 1, "c"],
      [kept, "[  ", true, 0, " "],
      [kept, "[12", true, 1, "3"],
      [unkept, "[12", false, 1, "3"],
      [unkept, '{"ab', false, 1, "c"],
    ]) {
      const parser = forged("$", chosen, [{ text, isKept }], { length, nextMatch: 1 });
      assert.throws(() => parser.feed(unit), { kind: /-limit$/ }, text);
    }
  });
  test("jumps to where no text leads", () => {
    const unkept = { retain: "nothing" };
    const total = { ...unkept, limits: { total: 5 } };
    const limited = { ...unkept, limits: { string: 2 } };
    for (const [name, chosen, patterns, possible, impossible, more, worse] of [
      ["inside a number", unkept, [], [{ text: "[" }, { at: 9, text: "12" }], [{ text: "[1" }, { at: 9, text: "2" }]],
      ["inside an escape", unkept, [], [{ text: '"' }, { at: 9, text: "\\u1" }], [{ text: '"\\' }, { at: 9, text: "u1" }]],
      ["to an earlier match", unkept, "*", [{ text: "[0," }], [{ text: "[0," }, { id: 0 }]],
      ["behind an element", unkept, "*", [{ text: "[" }, { index: 7, text: "0," }], [{ text: "[0," }, { index: 7 }]],
      ["inside an element", unkept, "*", [{ text: "[" }, { index: 7, text: '"' }], [{ text: '["' }, { index: 7 }]],
      ["without an element", unkept, "*", [{ text: "[" }, { index: 7, text: "0," }], [{ text: "[" }, { index: 7 }]],
      ["to an index of an object", unkept, "*", [{ text: '{"a":0,' }], [{ text: "{" }, { index: 7 }]],
      ["behind a kept text", { retain: "matches" }, "$", [{ text: "[", isKept: true }], [{ text: "[", isKept: true }, { text: "1" }], { nextMatch: 1 }],
      ["a line without a line feed", unkept, [], [{ text: "[" }], [{ text: "[" }], { column: 1 }, { column: 0 }],
      ["more lines than bytes", unkept, [], [{ text: "[" }, { at: 9 }], [{ text: "[" }, { at: 9 }], { lines: 3, column: 6 }, { lines: 4, column: 6 }],
      ["a line longer than the text", unkept, [], [{ text: "[" }], [{ text: "[" }], { column: 1 }, { column: 2 }],
      ["a token that nothing limits", unkept, [], [{ text: '"a' }], [{ text: '"a' }], {}, { length: 1 }],
      ["a token without its start", limited, [], [{ text: '"a' }], [{ text: '"a' }], { length: 2 }, { length: 0 }],
      ["a string that is too long", limited, [], [{ text: '"a' }], [{ text: '"a' }, { at: 4 }], { length: 2 }, { length: 4, column: 4 }],
      ["a text that is too long", total, [], [{ text: "[" }, { at: 5 }], [{ text: "[" }, { at: 6 }], { column: 5 }, { column: 6 }],
      ["a level that is not there", unkept, "a | b", [{ text: '{"a":0,' }], [{ text: '{"a":0,' }], {}, { levels: 2 }],
    ]) {
      const restore = (steps, { levels, nextMatch = 9, ...own } = {}) => {
        const level = { steps, column: steps.some(({ at }) => at !== undefined) ? steps.at(-1).at + (steps.at(-1).text?.length ?? 0) : steps.map(({ text = "" }) => text).join("").length, ...own };
        const data = { levels: Array(levels ?? 1).fill(level), nextMatch };
        return restoreParser(patterns, { ...saveParser(new Parser(patterns, chosen)), data }, chosen);
      };
      assert.equal(isAccepted(() => restore(possible, more)), true, `not ${name}`);
      assert.equal(isAccepted(() => restore(impossible, worse ?? more)), false, name);
    }
  });
  test("never leads beyond the limits, though a parser with others has saved it", () => {
    const wide = { key: 9, string: 9, number: 9, blank: 9, total: 99 };
    const leaf = fc.constantFrom('"a"', '"ab"', '"abc"', '"\\u0061"', '"é"', '"éé"', "1", "12", "123", "-4.5", "true", "null");
    const key = fc.constantFrom('"a"', '"ab"', '"abc"', '"b"');
    const space = fc.constantFrom("", "", " ", "   ");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, leaf, tie("array"), tie("object"), tie("string")),
      array: fc.tuple(space, fc.array(tie("value"), { maxLength: 3 })).map(([blank, all]) => `[${blank}${all.join(`,${blank}`)}]`),
      object: fc.tuple(space, fc.array(fc.tuple(key, tie("value")), { maxLength: 3 })).map(([blank, all]) => `{${all.map((pair) => pair.join(`:${blank}`)).join()}}`),
      string: tie("value").map((inner) => JSON.stringify(inner)),
    }));
    const lengthOf = (some) => utf8(some).length;
    const tokens = (raw) => raw.match(/"(?:[^"\\]|\\.)*"|[-\d.eE+]+/g) ?? [];
    let accepted = 0;
    const check = (whole, at, length, patterns, retain, snapshots, duplicateKeys, isForged) => {
      const chosen = { retain, snapshots, duplicateKeys, spelling: true, limits: { ...short, string: 4, total: 40 } };
      const source = new Parser(patterns, { ...chosen, limits: wide });
      attempt(() => source.feed(whole.slice(0, at % (whole.length + 1))));
      const { data } = stored(saveParser(source));
      for (const level of data.levels ?? []) if (isForged && level.length > 0) level.length = Math.min(level.length, length);
      let parser;
      if (!isAccepted(() => (parser = restoreParser(patterns, { ...saveParser(new Parser(patterns, chosen)), data }, chosen)))) return;
      accepted += 1;
      const texts = new Map();
      for (const unit of [...whole.slice(at % (whole.length + 1)), null]) {
        const told = attempt(() => (unit === null ? parser.finish() : parser.feed(unit)));
        for (const { kind, matchId, path, text = "", type, raw } of told.events ?? told) {
          for (const name of path.match(/\w+/g) ?? []) assert.ok(/^\d+$/.test(name) || lengthOf(name) <= 2, path);
          texts.set(matchId, (texts.get(matchId) ?? "") + text);
          if (type === "string") assert.ok(lengthOf(texts.get(matchId)) <= 4, texts.get(matchId));
          if (kind !== "end" || raw === undefined) continue;
          for (const token of tokens(raw)) assert.ok(lengthOf(token) <= (token[0] === '"' ? 6 : 2), raw);
          assert.doesNotMatch(raw, /\s{3}/);
        }
        for (const token of snapshots ? tokens(parser.snapshotText() ?? "") : []) assert.ok(lengthOf(token) <= (token[0] === '"' ? 6 : 2), token);
        assert.ok(parser.status.error !== undefined || parser.status.bytes <= 40);
      }
    };
    const pattern = fc.constantFrom([], "$", "*", "$..*", "a | *", "$..a", ["a | $..*", "*"]);
    const retain = fc.constantFrom("all", "matches", "nothing");
    const duplicates = fc.constantFrom("last-wins", "reject");
    const property = fc.property(value, fc.nat(), fc.nat(4), pattern, retain, fc.boolean(), duplicates, fc.boolean(), check);
    fc.assert(property, { numRuns: 5_000 });
    assert.ok(accepted > 1_000, String(accepted));
  });
  test("has to be an object", () => {
    for (const wrong of [undefined, null, "jsp", 1]) assert.throws(() => restoreParser("a", wrong), TypeError);
    const state = saveParser(new Parser("a"));
    assert.throws(() => restoreParser("a[", state), { kind: "invalid-pattern" });
    assert.throws(() => restoreParser("a", state, { retain: "some" }), { kind: "invalid-option" });
    assert.throws(() => restoreDocuments("words", "a", state), { kind: "invalid-option" });
  });
});
