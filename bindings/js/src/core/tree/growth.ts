// The changes of a document since the last patch, as operations in JSON text: numbers as they are spelt, members in their
// order, repeated keys in their places.
//
// All that grows is on one path. A value that begins in a container which was there before is an `add` of its own; what is
// inside it becomes part of that operation's text. Ends are not reported: an ended value is closed when another one
// begins, or when a patch is taken.

import type { EngineState } from "../reporting.js";
import { STRING } from "../states.js";
import { pointerToken } from "../patterns/path.js";

/** The changes since the last patch, as plain data. */
export interface Grown {
  /** The number of open containers that the last patch had, and the brackets that close those after them, innermost first. */
  old: number;
  closers: string;
  ops: string[];
  /** The operation that is being written, up to its value; its value. */
  head: string;
  value: string;
  /** True if a value in the same container comes before the next one. */
  follows: boolean;
  isStringOpen: boolean;
  /** True if the last patch had the open string. */
  isStringOld: boolean;
  /** The part of the open number or literal that a patch has had; empty if none has. */
  atom: string;
}

/** Returns a text as a JSON string without its quotes. */
export const inside = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Returns the open number or literal as it is shown; empty if none is. */
export const shownAtom = (engine: EngineState): string => (engine.tree?.options.provisional && engine.tree.openAtom(engine)) || "";

export class Growth {
  /** The changes that no patch has had. */
  grown: Grown;

  /** Starts with the engine's current document, of which no change is reported, or with these changes. */
  constructor(engine: EngineState, grown?: Grown) {
    const isStringOpen = engine.state === STRING;
    const unchanged = { old: engine.depth, closers: "", ops: [], head: "", value: "", follows: true };
    this.grown = grown
      ? { ...grown, ops: grown.ops.slice() }
      : { ...unchanged, isStringOpen, isStringOld: isStringOpen, atom: shownAtom(engine) };
  }

  clone(engine: EngineState): Growth {
    return new Growth(engine, this.grown);
  }

  beginContainer(engine: EngineState, isArray: boolean): void {
    this.settle(engine);
    this.#add(engine, isArray ? "[" : "{");
    this.grown.closers = (isArray ? "]" : "}") + this.grown.closers;
    this.grown.follows = false;
  }

  /** Begins a string if `text` is empty, and appends to it otherwise. */
  putString(engine: EngineState, text: string): void {
    const { grown } = this;
    if (text === "") {
      this.settle(engine);
      this.#add(engine, '"');
      grown.isStringOpen = true;
    } else if (grown.isStringOld) {
      this.#begin("append", engine, '"');
      grown.isStringOld = false;
    }
    grown.value += inside(text);
  }

  putAtom(engine: EngineState, token: string): void {
    this.settle(engine);
    this.#showAtom(engine, token);
    this.grown.atom = "";
  }

  #showAtom(engine: EngineState, token: string): void {
    const { grown } = this;
    if (grown.atom === "") this.#add(engine, token);
    else if (grown.atom !== token) this.#begin("replace", engine, token);
    grown.atom = token;
  }

  /** Returns the operations since the last call. */
  take(engine: EngineState): string[] {
    const { grown } = this;
    this.settle(engine, engine.state !== STRING);
    const token = shownAtom(engine);
    if (token !== "") this.#showAtom(engine, token);
    if (grown.isStringOpen && !grown.isStringOld) grown.value += '"';
    grown.value += grown.closers;
    grown.old += grown.closers.length;
    grown.closers = "";
    grown.isStringOld = grown.isStringOpen;
    this.#close();
    const { ops } = grown;
    grown.ops = [];
    return ops;
  }

  /** Closes what has ended. */
  settle({ depth }: EngineState, hasStringEnded = true): void {
    const { grown } = this;
    if (grown.isStringOpen && hasStringEnded) {
      if (!grown.isStringOld) grown.value += '"';
      grown.isStringOpen = grown.isStringOld = false;
    }
    const ended = Math.min(grown.closers.length, Math.max(0, grown.old + grown.closers.length - depth));
    grown.value += grown.closers.slice(0, ended);
    grown.closers = grown.closers.slice(ended);
    grown.follows ||= ended > 0;
    grown.old = Math.min(grown.old, depth);
  }

  /** Adds the beginning of a value, or all of it. */
  #add(engine: EngineState, text: string): void {
    const { grown } = this;
    if (grown.closers === "") this.#begin("add", engine, text);
    else {
      if (grown.follows) grown.value += ",";
      grown.value += grown.closers[0] === "]" ? text : `${JSON.stringify(engine.top!.key)}:${text}`;
    }
    grown.follows = true;
  }

  #begin(op: string, engine: EngineState, value: string): void {
    this.#close();
    let path = "";
    for (let depth = 0; depth < engine.depth; depth++) {
      const { isArray, index, key } = engine.stack[depth]!;
      path += pointerToken(isArray ? index : key);
    }
    this.grown.head = `{"op":"${op}","path":${JSON.stringify(path)},"value":`;
    this.grown.value = value;
  }

  #close(): void {
    const { grown } = this;
    if (grown.head !== "") grown.ops.push(`${grown.head}${grown.value}}`);
    grown.head = grown.value = "";
  }
}
