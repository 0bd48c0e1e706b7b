// Streams of documents: what is before the first one, and what many in one chunk cost.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Documents, lenient, restoreDocuments, saveDocuments } from "./all.mjs";

const MARK = [0xef, 0xbb, 0xbf];
const utf8 = (text) => [...new TextEncoder().encode(text)];

/** Returns the number, start and length of each document, and its value or the kind and offset of its error. */
function outcomes(framing, bytes, options, size, isSaved) {
  let documents = new Documents(framing, "a", options);
  const events = [];
  const step = (call) => {
    if (isSaved) documents = restoreDocuments(framing, "a", JSON.parse(JSON.stringify(saveDocuments(documents))), options);
    events.push(...call());
  };
  try {
    for (let at = 0; at < bytes.length; at += size) step(() => documents.feed(Uint8Array.from(bytes.slice(at, at + size))));
    step(() => documents.finish());
  } catch (error) {
    if (error.events === undefined) throw error;
    events.push(...error.events);
  }
  return events
    .filter(({ kind }) => kind === "document" || kind === "document-error")
    .map(({ document, start, bytes, value, error }) => [document, start, bytes, error ? `${error.kind} ${error.offset}` : value]);
}

describe("a byte order mark before a stream", () => {
  const bad = [0, 0, 0, "unexpected-byte 0"];
  const CASES = [
    ["is part of no document", "concatenated", [...MARK, ...utf8('{"a":1}{"a":2}')], {}, [[0, 0, 7, { a: 1 }], [1, 7, 7, { a: 2 }]]],
    ["is part of no line", "lines", [...MARK, ...utf8('{"a":1}\n2\n')], {}, [[0, 0, 7, { a: 1 }], [1, 8, 1, 2]]],
    ["may have an empty line to itself", "lines", [...MARK, ...utf8("\n3\n")], {}, [[0, 1, 1, 3]]],
    ["is before the first separator", "sequence", [...MARK, ...utf8("\x1e3\n")], {}, [[0, 1, 2, 3]]],
    ["is no separator", "sequence", [...MARK, ...utf8("3\n")], {}, [bad]],
    ["is no document", "concatenated", MARK, {}, []],
    ["is whole", "lines", MARK.slice(0, 2), {}, [bad]],
    ["is whole, or a document", "lines", [0xef, ...utf8("1\n2\n")], {}, [bad, [1, 3, 1, 2]]],
    ["is there once", "lines", [...MARK, ...MARK, ...utf8("1")], {}, [bad]],
    ["is an error if it has to be", "concatenated", [...MARK, ...utf8("1 2")], { strictByteOrderMark: true }, [bad]],
    ["is a deviation if that is tolerated", "concatenated", [...MARK, ...utf8("1 2")], { lenient: lenient("model-output") }, [bad, [1, 5, 1, 2]]],
  ];
  for (const [what, framing, bytes, options, expected] of CASES) {
    test(`${what} (${framing})`, () => {
      for (const size of [1, 2, 3, 4, 100]) {
        for (const isSaved of [false, true]) {
          assert.deepEqual(outcomes(framing, bytes, options, size, isSaved), expected, `${size} bytes at a time, saved: ${isSaved}`);
        }
      }
    });
  }
  test("does not go on in a string", () => {
    const documents = new Documents("lines", "a");
    documents.feed(Uint8Array.from(MARK.slice(0, 1)));
    const events = [...documents.feed("1\n2\n"), ...documents.finish()];
    assert.deepEqual(events.map(({ kind, start, value }) => [kind, start, value]), [["document-error", 0, undefined], ["document", 3, 2]]);
    documents.reset();
    assert.equal(documents.feed(Uint8Array.from([...MARK, ...utf8("3\n")]))[0].value, 3);
  });
});

test("the bytes of a chunk are decoded once for all texts in it", () => {
  const { decode } = TextDecoder.prototype;
  const chunk = Uint8Array.from(utf8(`{"a":"Köln"}[1] 2 ${JSON.stringify("x".repeat(3000))}`.repeat(200)));
  let bytes = 0;
  TextDecoder.prototype.decode = function (part) {
    bytes += part.length;
    return decode.call(this, part);
  };
  try {
    for (const patterns of [[], ["raw:a"]]) {
      const documents = new Documents("concatenated", patterns);
      const events = [...documents.feed(chunk), ...documents.finish()];
      assert.equal(events.filter(({ kind }) => kind === "document").length, 800);
    }
  } finally {
    TextDecoder.prototype.decode = decode;
  }
  assert.ok(bytes < 10 * chunk.length, `${bytes} bytes`);
});
