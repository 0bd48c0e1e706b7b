// Patches on copies elsewhere.

import { JsonSpigotError } from "../error.js";
import { isPrototypeKey, makeValue, prototypeKey, setMember, type Json, type Making } from "../values.js";

/** One operation of a patch: RFC 6902's `add` or `replace`, or an `append` of text to a string. Paths are RFC 6901 pointers. */
export type PatchOp =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "append"; readonly path: string; readonly value: string };

/** Parses operations. Leaves out those on members that are dropped. */
export function makePatch(texts: readonly string[], making: Making): PatchOp[] {
  const ops = texts.map((text) => makeValue(text, making) as PatchOp);
  if (making.prototypeKeys === "keep") return ops;
  return ops.filter(({ path, value }) => {
    const keys = keysOf(path);
    if (making.prototypeKeys === "drop") return !keys.includes("__proto__");
    // The value's own keys follow those of its path.
    if (value !== null && Object.hasOwn(value as object, "prototype")) keys.push("prototype");
    keys.forEach((key, at) => {
      if (isPrototypeKey(key, keys[at - 1])) throw prototypeKey(key);
    });
    return true;
  });
}

function keysOf(path: string): string[] {
  return path.split("/").map((token) => token.replace(/~1/g, "/").replace(/~0/g, "~"));
}

/**
 * Applies a patch and returns the new value. The old one is left unchanged: only containers on changed paths are copied.
 * Before the first patch the value is `undefined`.
 *
 * @param value The value so far.
 * @param ops The operations of `Parser.patch`.
 * @throws {JsonSpigotError} of kind `invalid-patch` for an operation that does not apply to the value.
 *
 * @example
 * ```ts
 * import { applyPatch, Parser, type Json } from "jsonspigot";
 *
 * const parser = new Parser([], { snapshots: true });
 * let copy: Json | undefined;
 * for (const chunk of ['{"note": "by', ' train", "days": [2']) {
 *   parser.feed(chunk);
 *   copy = applyPatch(copy, parser.patch()); // what is new since the last call
 * }
 * console.log(copy); // {"note":"by train","days":[]}
 * ```
 */
export function applyPatch(value: Json | undefined, ops: readonly PatchOp[]): Json | undefined {
  const own = new Set<object>();
  const copy = (old: Json | undefined, op: PatchOp): { [key: string]: Json } | Json[] => {
    if (typeof old !== "object" || old === null) throw mismatch(op);
    if (own.has(old)) return old;
    const made = Array.isArray(old) ? old.slice() : { ...old };
    own.add(made);
    return made;
  };
  let root = value;
  for (const op of ops) {
    const keys = keysOf(op.path);
    if (keys[0] !== "") throw mismatch(op);
    if (keys.length === 1) {
      root = applied(root, op);
      continue;
    }
    let parent = copy(root, op);
    root = parent;
    for (const key of keys.slice(1, -1)) {
      const child = copy(member(parent, key), op);
      if (Array.isArray(parent)) parent[Number(key)] = child;
      else setMember(parent, key, child);
      parent = child;
    }
    const last = keys[keys.length - 1]!;
    put(parent, last, applied(member(parent, last), op), op);
  }
  return root;
}

function applied(old: Json | undefined, op: PatchOp): Json {
  if (op.op === "append") {
    if (typeof old !== "string" || typeof op.value !== "string") throw mismatch(op);
    return old + op.value;
  }
  if (op.op !== "add" && (op.op !== "replace" || old === undefined)) throw mismatch(op);
  return op.value;
}

function member(parent: { [key: string]: Json } | Json[], key: string): Json | undefined {
  return Object.getOwnPropertyDescriptor(parent, key)?.value as Json | undefined;
}

function put(parent: { [key: string]: Json } | Json[], key: string, value: Json, op: PatchOp): void {
  if (!Array.isArray(parent)) {
    setMember(parent, key, value);
    return;
  }
  const index = key === "-" ? parent.length : Number(key);
  if (!/^(?:-|0|[1-9]\d*)$/.test(key) || index > parent.length) throw mismatch(op);
  // RFC 6902 §4.1: what is there, and what follows it, moves on.
  if (op.op === "add") parent.splice(index, 0, value);
  else parent[index] = value;
}

function mismatch(op: PatchOp): JsonSpigotError {
  return new JsonSpigotError("invalid-patch", `invalid patch: ${JSON.stringify(op)} does not apply to the value`);
}
