// Generators for tests. `JSONSPIGOT_SEED` changes the fixed seed, and `JSONSPIGOT_CASES` the number of cases.

import { random } from "../bench/texts.mjs";

export const seed = Number(process.env.JSONSPIGOT_SEED ?? 1);
export const cases = Number(process.env.JSONSPIGOT_CASES ?? 4_000);
/** A number below this one. */
export const next = random(seed);
export const pick = (list) => list[next(list.length)];

export const DEVIATIONS =
  "control-characters|bad-escapes|lone-surrogates|trailing-commas|comments|single-quotes|bare-keys|python-literals|non-finite|byte-order-mark".split("|");

const STRINGS = [
  ...["", "x", "é", "€uro", "😀", "\\n", "\\u00e9", "\\ud83d\\ude00", "abc def", "\\\\", '\\"', "/", "\u2028", "\u007f"],
  "plain text that is longer than most of the others are",
];
const KEYS = ["a", "b", "", "é", "😀", "constructor", "0", "a b", "__proto__", "longer key"];
const ATOMS = ["0", "-0", "12", "-1.5e+10", "1E5", "3.14", "123456789012345678901", "1e400", "true", "false", "null"];
/** Texts that models write, and texts that no one should. */
const ODD = [
  ..."'single'|'it\\'s'|{a: 1}|True|None|NaN|-Infinity|Infinity|[1,]|{\"a\":1,}|/* c */ 1|[1 /* é😀 */]|// x|[1 // é	😀|\"\\x\"|\"\u0001\"|F|N|/".split("|"),
  ..."\"\\ud800\"|\"\\udc00\"|\"\\ud83d\\u0041\"|\ufeff|\"\\u12\"|'\\ud83d\\'x'|'a\"b'|{$a_1:None}|\"\\ud83d\\n\"|01|1.|-|tru3|1 2".split("|"),
];
function string() {
  let text = "";
  for (let left = next(4); left >= 0; left--) text += pick(STRINGS);
  return text;
}

/** Generates a JSON text of at most this many levels. Some of them are malformed. */
export function value(depth) {
  const space = () => pick(["", "", "", " ", "\t "]);
  switch (next(depth > 0 ? 9 : 6)) {
    case 0:
    case 1:
      return `"${string()}"`;
    case 2:
    case 3:
      return pick(ATOMS);
    case 4:
      return JSON.stringify(next(5) ? value(Math.max(0, depth - 1)) : "{bad");
    case 5:
      return next(4) ? `"${string()}"` : pick(ODD);
    case 6:
      return `[${space()}${Array.from({ length: next(4) }, () => value(depth - 1) + space()).join(`,${space()}`)}]`;
    default: {
      const member = () => `"${next(4) ? pick(KEYS) : string()}"${space()}:${space()}${value(depth - 1)}${space()}`;
      return `{${space()}${Array.from({ length: next(4) }, member).join(`,${space()}`)}}`;
    }
  }
}

/** Replaces, removes or inserts a few bytes. */
export function edited(bytes) {
  const changed = [...bytes];
  for (let left = next(3); left > 0; left--) {
    const at = next(changed.length + 1);
    const byte = pick([34, 92, 44, 58, 91, 93, 123, 125, 32, 0xc3, 0xff, 0xe2, 0x82, 0xf0, 0x9f, 0x30, 0x2d, 0x75, 0x64, 1, 47, 39, next(256)]);
    changed.splice(at, next(2), ...(next(3) ? [byte] : []));
  }
  return Uint8Array.from(changed.filter((byte) => byte !== 10));
}
