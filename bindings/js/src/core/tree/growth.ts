// The changes of a document since the last patch, as operations in JSON text: numbers as they are spelt, members in their
// order, repeated keys in their places.
//
// All that grows is on one path. A value that begins in a container which was there before is an `add` of its own; what is
// inside it becomes part of that operation's text. Ends are not reported: an ended value is closed when another one
// begins, or when a patch is taken.

import type { EngineState } from "../reporting.js";
import { STRING } from "../states.js";
import { pointerToken } from "../patterns/path.js";

/** Returns a text as a JSON string without its quotes. */
export const inside = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Returns the open number or literal as it is shown; empty if none is. */
const shownAtom = (engine: EngineState): string => (engine.tree?.options.provisional && engine.tree.openAtom(engine)) || "";

/** The changes since the last patch. */
export class Growth {
  /** Up to which byte of the input patches were taken. Infinite once the text has ended. */
  patchedTo: number;
  /** The number of open containers that the last patch had, and the brackets that close those after them, innermost first. */
  old: number;
  closers = "";
  ops: string[] = [];
  /** The operation that is being written, up to its value; its value. */
  head = "";
  value = "";
  /** True if a value in the same container comes before the next one. */
  follows = true;
  isStringOpen: boolean;
  /** True if the last patch had the open string. */
  isStringOld: boolean;
  /** The part of the open number or literal that a patch has had; empty if none has. */
  atom: string;

  /** Starts with the engine's current document, of which no change is reported. */
  constructor(engine: EngineState, patchedTo: number) {
    this.patchedTo = patchedTo;
    this.old = engine.depth;
    this.isStringOpen = this.isStringOld = engine.state === STRING;
    this.atom = shownAtom(engine);
  }

  clone(engine: EngineState): Growth {
    return Object.assign(new Growth(engine, this.patchedTo), this, { ops: this.ops.slice() });
  }

  beginContainer(engine: EngineState, isArray: boolean): void {
    this.#settle(engine);
    this.#add(engine, isArray ? "[" : "{");
    this.closers = (isArray ? "]" : "}") + this.closers;
    this.follows = false;
  }

  /** Begins a string if `text` is empty, and appends to it otherwise. */
  putString(engine: EngineState, text: string): void {
    if (text === "") {
      this.#settle(engine);
      this.#add(engine, '"');
      this.isStringOpen = true;
    } else if (this.isStringOld) {
      this.#begin("append", engine, '"');
      this.isStringOld = false;
    }
    this.value += inside(text);
  }

  putAtom(engine: EngineState, token: string): void {
    this.#settle(engine);
    this.#showAtom(engine, token);
    this.atom = "";
  }

  #showAtom(engine: EngineState, token: string): void {
    if (this.atom === "") this.#add(engine, token);
    else if (this.atom !== token) this.#begin("replace", engine, token);
    this.atom = token;
  }

  /** Returns the operations since the last call, and up to this byte of the input. */
  take(engine: EngineState, patchedTo: number): string[] {
    this.patchedTo = patchedTo;
    this.#settle(engine, engine.state !== STRING);
    const token = shownAtom(engine);
    if (token !== "") this.#showAtom(engine, token);
    if (this.isStringOpen && !this.isStringOld) this.value += '"';
    this.value += this.closers;
    this.old += this.closers.length;
    this.closers = "";
    this.isStringOld = this.isStringOpen;
    this.#close();
    const { ops } = this;
    this.ops = [];
    return ops;
  }

  /** Closes what has ended. */
  #settle({ depth }: EngineState, hasStringEnded = true): void {
    if (this.isStringOpen && hasStringEnded) {
      if (!this.isStringOld) this.value += '"';
      this.isStringOpen = this.isStringOld = false;
    }
    const ended = Math.min(this.closers.length, Math.max(0, this.old + this.closers.length - depth));
    this.value += this.closers.slice(0, ended);
    this.closers = this.closers.slice(ended);
    this.follows ||= ended > 0;
    this.old = Math.min(this.old, depth);
  }

  /** Adds the beginning of a value, or all of it. */
  #add(engine: EngineState, text: string): void {
    if (this.closers === "") this.#begin("add", engine, text);
    else {
      if (this.follows) this.value += ",";
      this.value += this.closers[0] === "]" ? text : `${JSON.stringify(engine.top!.key)}:${text}`;
    }
    this.follows = true;
  }

  #begin(op: string, engine: EngineState, value: string): void {
    this.#close();
    let path = "";
    for (let depth = 0; depth < engine.depth; depth++) {
      const { isArray, index, key } = engine.stack[depth]!;
      path += pointerToken(isArray ? index : key);
    }
    this.head = `{"op":"${op}","path":${JSON.stringify(path)},"value":`;
    this.value = value;
  }

  #close(): void {
    if (this.head !== "") this.ops.push(`${this.head}${this.value}}`);
    this.head = this.value = "";
  }
}
