// Generated JSON texts and cuts of them, for the properties.

import fc from "fast-check";

const key = fc.oneof(
  fc.constantFrom("a", "b", "", "id", "é", "😀", "__proto__", "constructor", "prototype", "0", "a b", '"', "\\", "/", "~1"),
  fc.string({ maxLength: 30 }),
);
const string = fc.string({
  unit: fc.oneof(fc.constantFrom("é", "€", "😀", "\ufeff", "\u2028", '"', "\\", "\n", "\u0000", "~", "/"), fc.string({ minLength: 1, maxLength: 1 })),
  maxLength: 40,
});

/** A value, in which an object is a list of members: keys may repeat. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, tie("leaf"), tie("array"), tie("object")),
  leaf: fc.oneof(string, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.bigInt(), fc.boolean(), fc.constant(null)),
  array: fc.array(tie("value"), { maxLength: 5 }),
  object: fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((members) => ({ members })),
}));

function spell(value, next) {
  const space = () => ["", "", " ", "\n\t"][next() % 4];
  if (Array.isArray(value)) return `[${space()}${value.map((each) => spell(each, next) + space()).join(`,${space()}`)}]`;
  if (value !== null && typeof value === "object") {
    const members = value.members.map(([name, each]) => `${spell(name, next)}${space()}:${space()}${spell(each, next)}${space()}`);
    return `{${space()}${members.join(`,${space()}`)}}`;
  }
  if (typeof value === "bigint") return String(value);
  const text = JSON.stringify(value);
  if (typeof value !== "string" || next() % 3 > 0) return text;
  return text.replace(/\\u.{4}|\\.|[^"\\]/gs, (part) => (part.length > 1 ? part : `\\u${part.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

/** JSON texts, spelt in many ways. */
export const text = fc.tuple(value, fc.array(fc.nat(11), { minLength: 1, maxLength: 20 })).map(([made, choices]) => {
  let at = 0;
  return spell(made, () => choices[at++ % choices.length]);
});

export const sizes = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 12 }).filter((list) => list.some((size) => size > 0));

/** Cuts a string or bytes into pieces of these sizes, repeated as needed. */
export function cut(whole, list) {
  const pieces = [];
  for (let at = 0, turn = 0; at < whole.length; turn++) pieces.push(whole.slice(at, (at += list[turn % list.length])));
  return pieces;
}

/** Joins deltas, which are all that may differ between cuts. */
export function joined(events) {
  const told = [];
  const deltas = new Map();
  for (const event of events) {
    const known = event.kind === "delta" && deltas.get(event.matchId);
    if (known) {
      known.text += event.text;
      continue;
    }
    const copy = { ...event };
    told.push(copy);
    if (event.kind === "delta") deltas.set(event.matchId, copy);
  }
  return told;
}
