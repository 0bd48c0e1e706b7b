// JSON text that is known to be right, as JavaScript values: with the numbers and the prototype keys that were asked for.

import { JsonSpigotError } from "./error.js";
import { tokensOf } from "./json-text.js";

/**
 * A JSON value. An interface has no index signature, so to read a value as one, validate it or assert it as `unknown` first.
 */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** How values are made. */
export interface Making {
  readonly numbers: "number" | "bigint" | "string";
  readonly prototypeKeys: "keep" | "drop" | "reject";
}

export function prototypeKey(key: string): JsonSpigotError {
  return new JsonSpigotError("prototype-key", `prototype key: ${JSON.stringify(key)} is refused here`);
}

/** Returns true if a key could reach a prototype, in an object that is the member of this name. */
export function isPrototypeKey(key: string, parent: string | number | undefined): boolean {
  return key === "__proto__" || (key === "prototype" && parent === "constructor");
}

export function makeNumber(text: string, numbers: Making["numbers"]): number | bigint | string {
  if (numbers === "string") return text;
  const number = Number(text);
  if (numbers === "bigint" && !Number.isSafeInteger(number) && /^-?\d+$/.test(text)) return BigInt(text);
  return number;
}

/** Returns the value of a number or a literal. */
export function makeAtom(token: string, numbers: Making["numbers"]): Json {
  if (token === "null") return null;
  return token === "true" || (token === "false" ? false : makeNumber(token, numbers));
}

/** Sets a member as an own property, also if it is named `__proto__`. */
export function setMember(object: { [key: string]: Json }, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** True if a key may be there that could reach a prototype. Escapes count as such: better looked at once more. */
const SUSPICIOUS = /__proto__|constructor|\\u00/i;

/** Parses a text that is known to be strict JSON. */
export function makeValue(text: string, making: Making): Json {
  if (making.numbers === "number" && (making.prototypeKeys === "keep" || !SUSPICIOUS.test(text))) {
    return JSON.parse(text) as Json;
  }
  return rebuild(text, making);
}

/** Reads the tokens one by one, without recursion. */
function rebuild(text: string, making: Making): Json {
  let root: Json = null;
  const open: { container: Json[] | { [key: string]: Json }; key: string | undefined }[] = [];
  let key: string | undefined;
  let expectsKey = false;
  const place = (value: Json): void => {
    const top = open[open.length - 1];
    if (!top) root = value;
    else if (Array.isArray(top.container)) top.container.push(value);
    else if (!(key === "__proto__" && making.prototypeKeys === "drop")) setMember(top.container, key!, value);
  };
  for (const token of tokensOf(text)) {
    const first = token[0];
    if (first === "{" || first === "[") {
      const container: Json[] | { [key: string]: Json } = first === "[" ? [] : {};
      place(container);
      open.push({ container, key });
      key = undefined;
      expectsKey = first === "{";
    } else if (first === "}" || first === "]") {
      key = open.pop()!.key;
      expectsKey = false;
    } else if (first === ",") {
      expectsKey = !Array.isArray(open[open.length - 1]!.container);
    } else if (first === ":") {
      expectsKey = false;
    } else if (expectsKey) {
      key = JSON.parse(token) as string;
      if (making.prototypeKeys === "reject" && isPrototypeKey(key, open[open.length - 1]!.key)) throw prototypeKey(key);
    } else if (first === '"' || first === "t" || first === "f" || first === "n") {
      place(JSON.parse(token) as Json);
    } else {
      place(makeNumber(token, making.numbers));
    }
  }
  return root;
}
