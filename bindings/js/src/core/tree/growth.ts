// The changes of a document since the last patch, as operations in JSON text: numbers as they are spelt, members in their
// order, repeated keys in their places.
//
// All that grows is on one path. A value that begins in a container which was there before is an `add` of its own; what is
// inside it becomes part of that operation's text. Ends are not reported: an ended value is closed when another one
// begins, or when a patch is taken.

import type { EngineState } from "../engine.js";
import { STRING } from "../states.js";
import { pointerToken } from "../patterns/path.js";

export interface GrownContainer {
  readonly isArray: boolean;
  /** True if the container was there when it was last asked. */
  isOld: boolean;
  hasChildren: boolean;
}

/** The changes since the last patch. */
export interface Grown {
  levels: GrownContainer[];
  ops: string[];
  /** The operation that is being written, up to its value; its value. */
  head: string;
  value: string;
  isStringOpen: boolean;
  /** True if the open string was there when it was last asked. */
  isStringOld: boolean;
  /** The part of the open number or literal that a patch has had. */
  atom: string | undefined;
}

/** Returns a text as a JSON string without its quotes. */
export const inside = (text: string): string => JSON.stringify(text).slice(1, -1);

export class Growth {
  /** The changes that no patch has had. */
  readonly grown: Grown;

  /** Starts with the engine's current document, of which no change is reported. */
  constructor(engine: EngineState) {
    const isStringOpen = engine.state === STRING;
    this.grown = {
      levels: engine.stack.slice(0, engine.depth).map(({ isArray }) => ({ isArray, isOld: true, hasChildren: true })),
      ops: [],
      head: "",
      value: "",
      isStringOpen,
      isStringOld: isStringOpen,
      atom: engine.tree?.options.provisional ? engine.tree.openAtom(engine) : undefined,
    };
  }

  /** Returns a copy for a copied engine. */
  clone(engine: EngineState): Growth {
    const clone = new Growth(engine);
    const { levels, ops } = this.grown;
    Object.assign(clone.grown, this.grown, { levels: levels.map((level) => ({ ...level })), ops: ops.slice() });
    return clone;
  }

  beginContainer(engine: EngineState, isArray: boolean): void {
    this.settle(engine);
    this.#add(engine, isArray ? "[" : "{");
    this.grown.levels.push({ isArray, isOld: false, hasChildren: false });
  }

  /** Begins a string if `text` is empty, and appends to it otherwise. */
  putString(engine: EngineState, text: string): void {
    if (text === "") {
      this.settle(engine);
      this.#add(engine, '"');
      this.grown.isStringOpen = true;
    } else if (this.grown.isStringOld) {
      this.#begin("append", engine);
      this.grown.value = '"';
      this.grown.isStringOld = false;
    }
    this.grown.value += inside(text);
  }

  putAtom(engine: EngineState, token: string): void {
    this.settle(engine);
    const shown = this.grown.atom;
    this.grown.atom = undefined;
    if (shown === undefined) this.#add(engine, token);
    else if (shown !== token) this.#replace(engine, token);
  }

  /** Returns the operations since the last call. */
  take(engine: EngineState): string[] {
    this.settle(engine, engine.state !== STRING);
    const token = engine.tree?.options.provisional ? engine.tree.openAtom(engine) : undefined;
    if (token !== undefined && token !== this.grown.atom) {
      if (this.grown.atom === undefined) this.#add(engine, token);
      else this.#replace(engine, token);
      this.grown.atom = token;
    }
    if (this.grown.isStringOpen && !this.grown.isStringOld) this.grown.value += '"';
    for (let at = this.grown.levels.length - 1; at >= 0; at--) {
      const level = this.grown.levels[at]!;
      if (level.isOld) break;
      this.grown.value += level.isArray ? "]" : "}";
      level.isOld = true;
    }
    this.grown.isStringOld = this.grown.isStringOpen;
    this.#close();
    const ops = this.grown.ops;
    this.grown.ops = [];
    return ops;
  }

  /** Closes what has ended. */
  settle(engine: EngineState, hasStringEnded = true): void {
    if (this.grown.isStringOpen && hasStringEnded) {
      if (!this.grown.isStringOld) this.grown.value += '"';
      this.grown.isStringOpen = this.grown.isStringOld = false;
    }
    while (this.grown.levels.length > engine.depth) {
      const { isArray, isOld } = this.grown.levels.pop()!;
      if (!isOld) this.grown.value += isArray ? "]" : "}";
    }
  }

  /** Adds the beginning of a value, or all of it. */
  #add(engine: EngineState, text: string): void {
    const level = this.grown.levels[this.grown.levels.length - 1];
    if (level === undefined || level.isOld) {
      this.#begin("add", engine);
      this.grown.value = text;
      return;
    }
    const comma = level.hasChildren ? "," : "";
    level.hasChildren = true;
    this.grown.value += level.isArray ? comma + text : `${comma}${JSON.stringify(engine.top!.key)}:${text}`;
  }

  #replace(engine: EngineState, token: string): void {
    this.#begin("replace", engine);
    this.grown.value = token;
  }

  #begin(op: string, engine: EngineState): void {
    this.#close();
    let path = "";
    for (let depth = 0; depth < engine.depth; depth++) {
      const { isArray, index, key } = engine.stack[depth]!;
      path += pointerToken(isArray ? index : key);
    }
    this.grown.head = `{"op":"${op}","path":${JSON.stringify(path)},"value":`;
  }

  #close(): void {
    if (this.grown.head !== "") this.grown.ops.push(`${this.grown.head}${this.grown.value}}`);
    this.grown.head = this.grown.value = "";
  }
}
