// What a document has gained since it was last asked for, as the operations of a patch in JSON text: numbers as they are
// spelt, members in their order, repeated keys in their places.
//
// What grows is on one path. A value that begins in a container which was there before is an `add` of its own; what is
// inside it becomes part of that operation's text. Ends are not reported: what has ended is settled when something else
// begins, or when somebody asks.

import type { Engine } from "./engine.js";
import { STRING } from "./states.js";
import { pointerToken } from "./path.js";
import { unless } from "./saved/bytes.js";

interface Level {
  readonly isArray: boolean;
  /** True if the container was there when it was last asked. */
  isOld: boolean;
  hasChildren: boolean;
}

const inside = (text: string): string => JSON.stringify(text).slice(1, -1);

export class Growth {
  #levels: Level[];
  #ops: string[] = [];
  /** The operation that is being written, up to its value; its value. */
  #head = "";
  #value = "";
  #isStringOpen: boolean;
  /** True if the open string was there when it was last asked. */
  #isStringOld: boolean;
  /** What was given of the open number or literal. */
  #atom: string | undefined;

  /** From here on: all that is in the engine now is old. */
  constructor(engine: Engine) {
    this.#levels = engine.stack.slice(0, engine.depth).map(({ isArray }) => ({ isArray, isOld: true, hasChildren: true }));
    this.#isStringOpen = this.#isStringOld = engine.state === STRING;
    this.#atom = engine.tree?.options.provisional ? engine.tree.openAtom(engine) : undefined;
  }

  /** A copy for a copied engine: what has been given, and what has not. */
  clone(engine: Engine): Growth {
    const clone = new Growth(engine);
    clone.#levels = this.#levels.map((level) => ({ ...level }));
    clone.#ops = this.#ops.slice();
    clone.#head = this.#head;
    clone.#value = this.#value;
    clone.#isStringOpen = this.#isStringOpen;
    clone.#isStringOld = this.#isStringOld;
    clone.#atom = this.#atom;
    return clone;
  }

  /** What has not been given, to be taken up by {@link Growth.restored}. */
  save(engine: Engine): unknown {
    this.#settle(engine, engine.state !== STRING);
    const levels = this.#levels.map(({ isOld, hasChildren }) => (isOld ? 2 : 0) + (hasChildren ? 1 : 0));
    return [this.#ops, this.#head, this.#value, this.#isStringOld, this.#atom ?? null, levels];
  }

  /** What was saved, in an engine that has come there. */
  static restored(engine: Engine, saved: unknown): Growth {
    const isText = (value: unknown): value is string => typeof value === "string";
    unless(Array.isArray(saved));
    const [ops, head, value, isStringOld, atom, levels] = saved as unknown[];
    const growth = new Growth(engine);
    unless(Array.isArray(ops) && ops.every(isText) && isText(head) && isText(value) && (atom === null || isText(atom)));
    unless(Array.isArray(levels) && levels.length === engine.depth && levels.every((level) => [0, 1, 2, 3].includes(level as number)));
    growth.#ops = ops as string[];
    growth.#head = head as string;
    growth.#value = value as string;
    growth.#isStringOld = isStringOld === true && growth.#isStringOpen;
    growth.#atom = atom === null ? undefined : (atom as string);
    (levels as number[]).forEach((level, depth) => {
      growth.#levels[depth]!.isOld = level >= 2;
      growth.#levels[depth]!.hasChildren = level % 2 === 1;
    });
    return growth;
  }

  beginContainer(engine: Engine, isArray: boolean): void {
    this.#settle(engine);
    this.#add(engine, isArray ? "[" : "{");
    this.#levels.push({ isArray, isOld: false, hasChildren: false });
  }

  /** A string begins, of which there is nothing yet, or has grown. */
  putString(engine: Engine, text: string): void {
    if (text === "") {
      this.#settle(engine);
      this.#add(engine, '"');
      this.#isStringOpen = true;
    } else if (this.#isStringOld) {
      this.#begin("append", engine);
      this.#value = '"';
      this.#isStringOld = false;
    }
    this.#value += inside(text);
  }

  putAtom(engine: Engine, token: string): void {
    this.#settle(engine);
    const shown = this.#atom;
    this.#atom = undefined;
    if (shown === undefined) this.#add(engine, token);
    else if (shown !== token) this.#replace(engine, token);
  }

  /** The operations; what is there now is old from here on. */
  take(engine: Engine): string[] {
    this.#settle(engine, engine.state !== STRING);
    const token = engine.tree?.options.provisional ? engine.tree.openAtom(engine) : undefined;
    if (token !== undefined && token !== this.#atom) {
      if (this.#atom === undefined) this.#add(engine, token);
      else this.#replace(engine, token);
      this.#atom = token;
    }
    if (this.#isStringOpen && !this.#isStringOld) this.#value += '"';
    for (let at = this.#levels.length - 1; at >= 0; at--) {
      const level = this.#levels[at]!;
      if (level.isOld) break;
      this.#value += level.isArray ? "]" : "}";
      level.isOld = true;
    }
    this.#isStringOld = this.#isStringOpen;
    this.#close();
    const ops = this.#ops;
    this.#ops = [];
    return ops;
  }

  /** Closes what has ended. */
  #settle(engine: Engine, hasStringEnded = true): void {
    if (this.#isStringOpen && hasStringEnded) {
      if (!this.#isStringOld) this.#value += '"';
      this.#isStringOpen = this.#isStringOld = false;
    }
    while (this.#levels.length > engine.depth) {
      const { isArray, isOld } = this.#levels.pop()!;
      if (!isOld) this.#value += isArray ? "]" : "}";
    }
  }

  /** A value begins, or is there at once. */
  #add(engine: Engine, text: string): void {
    const level = this.#levels[this.#levels.length - 1];
    if (level === undefined || level.isOld) {
      this.#begin("add", engine);
      this.#value = text;
      return;
    }
    const comma = level.hasChildren ? "," : "";
    level.hasChildren = true;
    this.#value += level.isArray ? comma + text : `${comma}${JSON.stringify(engine.top!.key)}:${text}`;
  }

  #replace(engine: Engine, token: string): void {
    this.#begin("replace", engine);
    this.#value = token;
  }

  #begin(op: string, engine: Engine): void {
    this.#close();
    let path = "";
    for (let depth = 0; depth < engine.depth; depth++) {
      const { isArray, index, key } = engine.stack[depth]!;
      path += pointerToken(isArray ? index : key);
    }
    this.#head = `{"op":"${op}","path":${JSON.stringify(path)},"value":`;
  }

  #close(): void {
    if (this.#head !== "") this.#ops.push(`${this.#head}${this.#value}}`);
    this.#head = this.#value = "";
  }
}
