// Saved provider streams: between any two chunks or events nothing shows, and no bytes stop the module.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { crc32 } from "node:zlib";

import fc from "fast-check";

import { restoreDocuments, restoreParser } from "./all.mjs";
import * as providers from "../dist/providers/index.js";
import { edited, edits } from "./edits.mjs";
import { replayProviders } from "./replay-providers.mjs";
import { readVectors } from "./replay.mjs";
import { cut, sizes } from "./texts.mjs";

const { JsonSpigotError } = providers;
class ProviderStream extends providers.ProviderStream {
  constructor(provider, patterns, options) {
    super(provider, patterns, { saveable: true, ...options });
  }
}
const utf8 = (text) => new TextEncoder().encode(text);

const folder = new URL("../../../vectors/", import.meta.url);
const RECORDED = readVectors(readFileSync(new URL("providers.jsonl", folder), "utf8"));
const bodyOf = ({ header }) => Buffer.concat(header.chunks.map((chunk) => Buffer.from(chunk, "base64")));
const inPieces = ({ header, lines }, size) => {
  const body = bodyOf({ header });
  const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, place) => body.subarray(place * size, (place + 1) * size));
  return { header: { ...header, chunks: chunks.map((chunk) => chunk.toString("base64")) }, lines };
};

const EVENTS = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "Let mé" } }] },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "c", function: { name: "book", arguments: '{"city": "Pa' } }] } }] },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: 'ris 😀", "n": 1' } }] } }] },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: "2.5}" } }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
];
const LINES = EVENTS.map((event) => `${JSON.stringify(event)}\n`).join("");
// One stream in each framing; Amazon's is among the recorded ones.
const BODIES = {
  events: `\ufeff: hi\r\n\r\n${EVENTS.map((event) => `event: x\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join("")}data: [DONE]`,
  lines: LINES,
  spread: EVENTS.map((event) => `${JSON.stringify(event, undefined, 1)}\n`).join(""),
  array: ` ${JSON.stringify(EVENTS, undefined, 2)}`,
  broken: `data: {"choices": \n\ndata: \ud83d\n\n${LINES}`,
};

const plain = (error) => (error instanceof JsonSpigotError ? { ...error, message: error.message } : String(error));
const attempt = (run) => {
  try {
    return structuredClone(run());
  } catch (error) {
    return plain(error);
  }
};

describe("what is saved and restored", () => {
  for (const every of [1, 2]) {
    test(`says what the command says, after every ${every} chunks`, () => {
      for (const vector of RECORDED) assert.deepEqual(replayProviders(vector, providers, every), vector.lines, vector.header.vector);
    });
  }
  test("changes nothing at any byte of a recorded body", () => {
    for (const vector of RECORDED) {
      const bytes = inPieces(vector, 1);
      assert.deepEqual(replayProviders(bytes, providers, 1), replayProviders(bytes, providers), vector.header.vector);
    }
    assert.ok(RECORDED.length >= 80);
  });
  test("may be a state from elsewhere, if nothing waits before the library", () => {
    for (const event of [EVENTS[0], EVENTS[1]]) {
      const stream = new ProviderStream("auto", "city");
      stream.push(event);
      assert.deepEqual([...stream.save().subarray(0, 4)], [...utf8("jsp\x1a")]);
    }
  });
});

describe("a provider stream that is saved and restored", () => {
  const options = { message: true, spelling: true };
  for (const [name, body] of Object.entries(BODIES)) {
    test(`tells what one that was not tells, in a body of ${name}`, () => {
      for (const whole of [body, utf8(body)]) {
        for (const size of [1, 3, 64]) {
          const one = new ProviderStream("openai-chat", "..city", options);
          let other = new ProviderStream("openai-chat", "..city", options);
          for (const chunk of cut(whole, [size])) {
            assert.deepEqual(other.feed(chunk), one.feed(chunk));
            const before = other;
            other = ProviderStream.restore("openai-chat", "..city", before.save(), options);
            assert.deepEqual(other.save(), before.save());
            before.dispose();
            assert.equal(other.provider, one.provider);
          }
          assert.deepEqual(other.finish(), one.finish());
          assert.deepEqual(other.message(), one.message());
          assert.deepEqual(ProviderStream.restore("openai-chat", "..city", other.save(), options).message(), one.message());
        }
      }
    });
  }
  test("goes on where events are too long, whatever the limit", () => {
    // A message of 16 bytes without headers and payload, cut in its prelude, after it, and before its end.
    const message = Uint8Array.of(0, 0, 0, 16, 0, 0, 0, 0, 0x05, 0xc2, 0x48, 0xeb, 0x98, 0xff, 0x79, 0x29);
    const bodies = ["{}\n", '{"a', "[{", "[{}]", '{"aaaaa"\0', '[{"aaaaaaa":\0', "data: x\n", ":", "x", message.slice(0, 5), message.slice(0, 12), message.slice(0, 15)];
    for (const eventBytes of [0, 5, 100]) {
      const options = { callLimits: { eventBytes } };
      for (const body of bodies) {
        const one = new ProviderStream("bedrock", "city", options);
        one.feed(body);
        const other = ProviderStream.restore("bedrock", "city", one.save(), options);
        for (const chunk of [": 1}", "\n", "\n{}\n"]) assert.deepEqual(other.feed(chunk), one.feed(chunk));
        assert.deepEqual(other.finish(), one.finish());
      }
    }
  });
  test("does not keep the white space that comes before the first event", () => {
    for (const [blank, rest] of [["\n", "data: {}\n\n"], ["\r\n", '{"a":1}\n'], [" \t", '\n[{"a":1}]'], ["\n \n", "[{}]"]]) {
      const stream = new ProviderStream("openai-chat", "city");
      const plain = new ProviderStream("openai-chat", "city");
      for (let count = 0; count < 100; count++) stream.feed(blank.repeat(10));
      // A line that is still open is kept.
      const kept = /\n/.test(blank) ? 0 : 1000 * blank.length;
      assert.ok(stream.save().length < kept + 200, stream.save().length);
      assert.deepEqual(stream.feed(rest), plain.feed(blank + rest));
    }
  });
  test("takes events too, and a body after them", () => {
    const one = new ProviderStream("auto", "city");
    let other = new ProviderStream("auto", "city");
    for (const event of [...EVENTS, ...cut(BODIES.events, [7])]) {
      const told = [one, other].map((stream) => (typeof event === "string" ? stream.feed(event) : stream.push(event)));
      assert.deepEqual(told[1], told[0]);
      other = ProviderStream.restore("auto", "city", other.save());
    }
    assert.deepEqual(other.finish(), one.finish());
  });
  test("has patterns for single tools, and the text of a string that was open", () => {
    const options = { tools: { book: "city" } };
    const stream = new ProviderStream("openai-chat", [], options);
    stream.push(EVENTS[1]);
    const told = ProviderStream.restore("openai-chat", [], stream.save(), options).push(EVENTS[2]);
    assert.deepEqual(told.map(({ kind, text, value, path }) => [kind, path, text ?? value]), [
      ["delta", "city", "ris 😀"],
      ["end", "city", "Paris 😀"],
    ]);
  });
  test("may make other values than before", () => {
    const stream = new ProviderStream("openai-chat");
    stream.feed(LINES.slice(0, 300));
    const other = ProviderStream.restore("openai-chat", [], stream.save(), { numbers: "string" });
    const { value } = [...other.feed(LINES.slice(300)), ...other.finish()].find(({ kind }) => kind === "input");
    assert.deepEqual(value, { city: "Paris 😀", n: "12.5" });
  });
  test("is made on request, and up to a limit", () => {
    for (const options of [{}, { saveable: false }, { saveable: 60 }]) {
      const stream = new providers.ProviderStream("openai-chat", "city", options);
      stream.push(EVENTS[0]);
      assert.throws(() => stream.save(), { kind: "not-retained", message: /saveable/ }, JSON.stringify(options));
    }
    const restored = ProviderStream.restore("openai-chat", "city", new ProviderStream("openai-chat", "city").save(), { saveable: false });
    assert.throws(() => restored.save(), { kind: "not-retained" });
    assert.throws(() => new providers.ProviderStream("auto", [], { saveable: -1 }), { kind: "invalid-option" });
  });
  test("is saved as often as anybody likes, and not once it has been disposed of", () => {
    const stream = new ProviderStream("openai-chat", "city");
    stream.feed(BODIES.events.slice(0, 100));
    assert.deepEqual(stream.save(), stream.save());
    stream.dispose();
    assert.throws(() => stream.save(), { kind: "disposed" });
  });
});

describe("a state that is refused", () => {
  const KINDS = ["not-saved-state", "other-version", "cut", "changed", "other-kind", "other-patterns", "other-choices", "impossible"];
  const READERS = [
    {
      make: () => new ProviderStream("openai-chat", "city"),
      restore: (state) => ProviderStream.restore("openai-chat", "city", state),
      inputs: [...Object.values(BODIES), ...Object.values(BODIES).map(utf8), Uint8Array.of(0, 0, 0, 20, 0, 0, 0, 0, 1)],
    },
  ];

  function savedAt({ make }, input, at) {
    const reader = make();
    attempt(() => reader.feed(input.slice(0, at)));
    const state = reader.save();
    reader.dispose();
    return state;
  }

  /** Checks that any bytes give a stream or an error of a known kind, and never a trap of the module. */
  function isRefusedOrSound({ restore }, bytes, rest) {
    let reader;
    try {
      reader = restore(bytes);
    } catch (error) {
      assert.ok(KINDS.includes(error.kind), String(error));
      assert.equal(error.code, `ERR_JSONSPIGOT_${error.kind.toUpperCase().replaceAll("-", "_")}`);
      return error.kind;
    }
    for (const run of [() => reader.feed(rest), () => reader.finish()]) {
      assert.notEqual(attempt(run).kind, "trap");
      restore(reader.save()).dispose();
    }
    reader.dispose();
    return undefined;
  }

  // The framing's part and the library's, and what is before both: half a pair, if there is one, and the header.
  const HEADER = 25;
  const takenApart = (state) => {
    const start = (state[0] === 0x6a ? 0 : 4) + HEADER;
    const end = start + Buffer.from(state).readUInt32LE(start - HEADER + 5);
    return [state.slice(start, end), state.slice(end)];
  };
  /** With the right checksum. */
  const madeUp = (added, state) => {
    const lengths = Buffer.alloc(16);
    lengths.writeUInt32LE(added.length, 0);
    lengths.writeUInt32LE(state.length, 8);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(Buffer.concat([lengths, added, state])));
    return Uint8Array.from(Buffer.concat([utf8("jsf\x1a\x01"), lengths, checksum, added, state]));
  };

  const witness = new ProviderStream("openai-chat", "city");
  const place = fc.record({ reader: fc.constantFrom(...READERS), which: fc.nat(), where: fc.nat() });
  const at = ({ reader, which, where }) => {
    const input = reader.inputs[which % reader.inputs.length];
    const cutAt = 1 + (where % input.length);
    return { reader, state: savedAt(reader, input, cutAt), rest: input.slice(cutAt) };
  };

  test("is refused for what was done to it, or goes on", () => {
    const check = (chosen, changes) => {
      const { reader, state, rest } = at(chosen);
      const bytes = edited(state, changes);
      if (isRefusedOrSound(reader, bytes, rest) === undefined) assert.deepEqual(bytes, state);
    };
    fc.assert(fc.property(place, edits, check), { numRuns: 1000 });
    assert.deepEqual(witness.feed(""), []);
  });
  test("is impossible, or as good as if it had been saved", () => {
    const counts = new Map();
    const check = (chosen, changes) => {
      const { reader, state, rest } = at(chosen);
      const [added, own] = takenApart(state);
      const kind = isRefusedOrSound(reader, madeUp(edited(added, changes), own), rest);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      assert.ok(kind === undefined || kind === "impossible", kind);
    };
    fc.assert(fc.property(place, edits, check), { numRuns: 3000 });
    assert.ok(counts.get(undefined) > 10 && counts.get("impossible") > 1000, String([...counts]));
    assert.deepEqual(witness.feed(""), []);
  });
  test("is refused where any byte is cut off or changed", () => {
    for (const reader of READERS) {
      for (const input of reader.inputs) {
        const state = savedAt(reader, input, 60);
        for (let at = 0; at < state.length; at++) {
          assert.throws(() => reader.restore(state.subarray(0, at)), { kind: "cut" });
          const changed = state.slice();
          changed[at] ^= 1 << at % 8;
          assert.throws(() => reader.restore(changed), ({ kind }) => KINDS.includes(kind), `byte ${at}`);
        }
        assert.throws(() => reader.restore(Uint8Array.from([...state, 0])), { kind: "changed" });
      }
    }
  });
  test("is any bytes, and the module lives", () => {
    const bytes = fc.tuple(fc.constantFrom("", "jsf\x1a\x01", "jsp\x1a\x04\x04", "jsp\x1a\x04\x05"), fc.uint8Array({ maxLength: 80 }));
    const check = ([start, rest], reader) => {
      isRefusedOrSound(reader, Uint8Array.from([...utf8(start), ...rest]), "data: {}\n\n");
    };
    fc.assert(fc.property(bytes, fc.constantFrom(...READERS), check), { numRuns: 2000 });
    assert.deepEqual(witness.feed(""), []);
  });
  test("takes no memory for what it promises", () => {
    const number = (value) => new Uint8Array(BigUint64Array.of(value).buffer);
    const own = new ProviderStream("openai-chat", "city").save();
    for (const added of [[1n << 60n], [1n << 63n], [0n, 1n << 60n], [3n, 1n << 40n], [0n, 3n], [7n]]) {
      assert.throws(() => READERS[0].restore(madeUp(Buffer.concat(added.map(number)), own)), { kind: "impossible" });
    }
    assert.throws(() => READERS[0].restore(Uint8Array.from([...utf8("jsf\x1a\x01"), ...Array(20).fill(0xff)])), { kind: "cut" });
  });
  test("is named after what differs", () => {
    const stream = new ProviderStream("openai-chat", "city");
    stream.feed(BODIES.events.slice(0, 80));
    const state = stream.save();
    // That of a parser of the library.
    const other = Buffer.from("anNwGgQBLEBtzDCsZvENAAAAAAAAACq6Kt8AC3siYSI6InhcdTAw", "base64");
    const changed = (place, byte) => Uint8Array.from(state, (own, at) => (at === place ? byte : own));
    for (const [kind, restore] of [
      ["other-patterns", () => ProviderStream.restore("openai-chat", "town", state)],
      ["other-choices", () => ProviderStream.restore("anthropic", "city", state)],
      ["other-choices", () => ProviderStream.restore("auto", "city", state)],
      ["other-choices", () => ProviderStream.restore("openai-chat", "city", state, { message: true })],
      ["other-choices", () => ProviderStream.restore("openai-chat", "city", state, { structured: true })],
      ["other-choices", () => ProviderStream.restore("openai-chat", "city", state, { callLimits: { eventBytes: 500 } })],
      ["other-choices", () => ProviderStream.restore("openai-chat", "city", state, { duplicateKeys: "last-wins" })],
      ["other-kind", () => ProviderStream.restore("openai-chat", "city", other)],
      ["not-saved-state", () => ProviderStream.restore("openai-chat", "city", utf8("{}"))],
      ["not-saved-state", () => ProviderStream.restore("openai-chat", "city", changed(3, 0x1b))],
      ["other-version", () => ProviderStream.restore("openai-chat", "city", changed(4, 2))],
      ["cut", () => ProviderStream.restore("openai-chat", "city", new Uint8Array())],
      ["not-saved-state", () => restoreParser("city", state)],
      ["not-saved-state", () => restoreDocuments("lines", "city", state)],
    ]) {
      assert.throws(restore, { kind }, `${kind}: ${restore}`);
    }
  });
  test("is bytes, and nothing else", () => {
    for (const wrong of [undefined, null, "jsp", [], {}, new ArrayBuffer(8)]) {
      assert.throws(() => ProviderStream.restore("auto", "a", wrong), TypeError);
    }
    const nothing = new Uint8Array();
    assert.throws(() => ProviderStream.restore("nobody", "a", nothing), { kind: "invalid-option" });
    assert.throws(() => ProviderStream.restore("auto", "a[", nothing), { kind: "invalid-pattern" });
  });
});
