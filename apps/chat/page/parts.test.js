// The parts of an answer as data, without a document: `node --test apps/chat/page/*.test.js`.

import assert from "node:assert/strict";
import test from "node:test";

import { direction, h } from "./dom.js";
import { edited, form } from "./form.js";
import { context } from "./inspector.js";
import { partOf } from "./parts.js";
import { turnsOf } from "./view.js";

/** All elements of a kind in a description, in order. */
const find = (node, kind) =>
  [node].flat(Infinity).flatMap((it) => {
    if (!it?.kind) return [];
    return [...(it.kind === kind ? [it] : []), ...find(it.children, kind)];
  });
const text = (node) => (typeof node === "string" ? node : (node.children ?? []).map(text).join(""));

test("a call and what comes of it are one card, and nothing goes on once its turn is over", () => {
  const messages = [
    { type: "user", chunk_id: 1, props: { content: "Hi" } },
    { type: "tool_call", chunk_id: 2, block_id: "b1", props: { id: "c", name: "ask_adviser", status: "called", input: {} } },
    { type: "tool_result", chunk_id: 3, block_id: "b2", thread_id: "c", props: { id: "c", status: "running" } },
    { type: "text", chunk_id: 4, block_id: "b2", thread_id: "c", props: { content: "Save more." } },
    { type: "text", chunk_id: 5, block_id: "b2", thread_id: "d", props: { content: "Another thread's" } },
  ];
  const [turn] = turnsOf(messages);
  for (const [isOver, status] of [
    [false, "running"],
    [true, "ended"],
  ]) {
    const card = partOf({ message: messages[1], turn, isOver });
    assert.equal(card.attributes["data-status"], status);
    assert.deepEqual(find(card, "div.said").map(text), ["Save more."]);
  }
});

test("options are chosen only in the last turn, and what was answered is marked", () => {
  const slots = [{ slot_name: "SIZE", message: "Which size?", options: ["S", "M"] }, { message: "Which hue" }];
  const message = { type: "ask", props: { ask_slots: slots } };
  for (const isLast of [true, false]) {
    const part = partOf({ message, isLast, ui: {}, act: {}, answered: { SIZE: ["M"] } });
    assert.deepEqual(find(part, "p.said.question").map(text), ["Which size?", "Which hue"]);
    const chips = find(part, "button.chip").map((chip) => [
      text(chip),
      chip.attributes.disabled,
      chip.attributes["aria-pressed"],
    ]);
    assert.deepEqual(chips, [
      ["S", !isLast, "false"],
      ["M", !isLast, "true"],
    ]);
    assert.equal(find(part, "button.send-choice").length, 0);
  }
  const sent = [];
  const act = { answer: (...what) => sent.push(what) };
  const part = partOf({ message, isLast: true, ui: { chosen: { 0: ["M", "S"] } }, act, answered: {} });
  find(part, "button.send-choice")[0].attributes.onclick();
  assert.deepEqual(sent, [["S, M", { SIZE: ["S", "M"] }]], "in the order of the options");
});

test("a field is valid only once the schema has been checked, and the last button waits for that", () => {
  const props = { attempt: 1, value: { title: "Rome", people: 2 }, open: "/title", status: "filling", errors: [] };
  const state = (more, ui = {}, isOver = true) => {
    const part = form({
      message: { chunk_id: 1, props: { ...props, ...more } },
      isOver,
      isLast: true,
      ui,
      act: {},
      code: () => undefined,
    });
    const fields = find(part, "div.field").map(({ attributes }) => attributes["data-state"]);
    const [control, use] = [find(part, "textarea.value")[0], find(part, "button.use")[0]];
    return [...fields, control.attributes.readonly, use?.attributes.disabled, text(find(part, "span.status")[0])];
  };
  assert.deepEqual(state({}, {}, false), ["partial", "complete", true, true, "filling"]);
  assert.deepEqual(state({}), ["partial", "complete", true, true, "ended"]);
  assert.deepEqual(state({ open: null, status: "complete" }), ["valid", "valid", false, false, "valid"]);
  assert.deepEqual(state({ status: "complete" }, { isPending: true, isValid: false }), [
    "complete",
    "complete",
    false,
    true,
    "checking",
  ]);
  assert.deepEqual(state({ status: "complete" }, { isValid: false }), ["complete", "complete", false, true, "failed"]);
  assert.deepEqual(state({ status: "given_up" }, { isValid: true }), ["valid", "valid", false, false, "valid"]);
});

test("what is written in a form keeps its type", () => {
  const value = { people: 2, title: "A", days: [{ place: "x/y", "a/b": "1" }], count: "many", name: "" };
  const edits = { "/people": "3", "/title": "4", "/days/0/a~1b": "2", "/count": "5", "/name": "1984" };
  const expected = { people: 3, title: "4", days: [{ place: "x/y", "a/b": "2" }], count: 5, name: "1984" };
  const errors = [
    { pointer: "/count", message: '"many" is not of type "integer"' },
    { pointer: "/name", message: '"" is shorter than 1 character' },
  ];
  assert.deepEqual(edited(value, edits, errors), expected);
  assert.deepEqual(edited({ people: 2 }, { "/people": "some" }), { people: "some" });
});

test("the notes of a conversation add up", () => {
  const note = (props) => ({ type: "context", props });
  assert.equal(context([note({ suggestions: ["x"], raw: [] })]), undefined);
  const notes = [
    note({ preferences: { a: 1, b: 1 }, restaurants: [1] }),
    note({ preferences: { b: 2 } }),
    note({ restaurants: [2] }),
  ];
  assert.deepEqual(context(notes), { preferences: { a: 1, b: 2 }, restaurants: [2] });
});

test("a text's direction is that of its first letter", () => {
  assert.deepEqual(["12. Hello", "12. שלום", "مرحبا abc", "1 2"].map(direction), ["ltr", "rtl", "rtl", "auto"]);
  assert.deepEqual(h("p", {}, undefined, [false, ["a"]], null).children, ["a"]);
});
