// The document so far, as plain values with structural sharing: only containers on changed paths are new.
//
// All that grows is on one path, from the root to the newest value, which is the engine's stack. A container on it that a
// caller may have is copied before it changes, once for each look. A live tree has only one look, which never ends.

import type { JsonSpigotError } from "../error.js";
import { isPrototypeKey, makeNumber, prototypeKey, setMember, type Json } from "../values.js";
import type { EngineState } from "../reporting.js";
import type { Frame } from "../frame.js";
import { LITERAL, NUMBER, STRING, WORDS } from "../states.js";
import type { Growth } from "./growth.js";
import type { Settings } from "../options.js";

type Box = Json[] | { [key: string]: Json };

/** An open number longer than this is shown in steps that double, since each step converts all of its text. */
const GROWS_BY_DOUBLING = 1024;

/** The look of a container in a member that is dropped. */
const DROPPED = Infinity;

export class Tree {
  root: Json | undefined = undefined;
  /** The error of a key that is refused. The tree continues without it, but must not be shown any more. */
  refusal: JsonSpigotError | undefined = undefined;
  /** The changes since the last patch, once a patch was taken. */
  growth: Growth | undefined = undefined;
  readonly options: Settings;
  readonly #isLive: boolean;
  /** True if containers that have ended are frozen. */
  readonly #freezes: boolean;
  /** True if the open number or literal is shown. */
  isAtomShown = false;
  /** The number of units of the open number that count, and the longest prefix of these that is a number. */
  #units = 0;
  #prefix = "";
  /** The prefix that was converted last: each is converted once. */
  #converted = "";
  #look = 0;

  constructor(options: Settings) {
    this.options = options;
    this.#isLive = options.snapshots === "live";
    this.#freezes = options.freeze && !this.#isLive;
  }

  reset(): void {
    this.root = undefined;
    this.refusal = undefined;
    this.growth = undefined;
    this.isAtomShown = false;
    this.#units = 0;
    // Snapshots of the old text do not change.
    this.#look += 1;
  }

  /** Returns a copy for the copied engine. Both have the open containers. */
  clone(engine: EngineState, copy: EngineState): Tree {
    const clone = new Tree(this.options);
    clone.root = this.root;
    clone.refusal = this.refusal;
    clone.growth = this.growth?.clone(copy);
    clone.isAtomShown = this.isAtomShown;
    clone.#look = this.#look += 1;
    // Nothing of a live tree is copied later, so both get their own of what may change.
    if (this.#isLive && copy.depth > 0) {
      for (const frame of [...engine.stack, ...copy.stack]) frame.look = -1;
      this.#own(engine, engine.depth);
      clone.#own(copy, copy.depth);
    }
    return clone;
  }

  /** Returns the document so far. Earlier results do not change, unless the tree is live. */
  look(engine: EngineState): Json | undefined {
    if (this.options.provisional) this.#showOpenAtom(engine);
    if (!this.#isLive) this.#look += 1;
    return this.root;
  }

  /** Returns the value of a container that ends; `undefined` if it has to be parsed from its text. */
  valueOf(frame: Frame): Json | undefined {
    return this.options.prototypeKeys === "keep" ? frame.box : undefined;
  }

  beginContainer(engine: EngineState, frame: Frame): void {
    const box: Box = frame.isArray ? [] : {};
    if (this.growth !== undefined) this.growth.beginContainer(engine, frame.isArray);
    this.#put(engine, box);
    frame.box = box;
    // A member that is dropped is in no snapshot, so its containers do not change.
    const { top } = engine;
    const isDropped =
      this.options.prototypeKeys === "drop" && top !== undefined && (top.look === DROPPED || (!top.isArray && top.key === "__proto__"));
    frame.look = isDropped ? DROPPED : this.#look;
  }

  /** Ends a container, which does not change any more. */
  endContainer({ box }: Frame): void {
    if (this.#freezes) Object.freeze(box);
  }

  /** Begins a string, or appends this text to it. */
  putString(engine: EngineState, text: string): void {
    if (this.growth !== undefined) this.growth.putString(engine, text);
    this.#put(engine, engine.text);
  }

  putAtom(engine: EngineState, value: Json, token: string): void {
    if (this.growth !== undefined) this.growth.putAtom(engine, token);
    this.#units = 0;
    if (this.isAtomShown) {
      this.isAtomShown = false;
      // More digits than a number can hold change nothing.
      if (Object.is(this.#newest(engine), value)) return;
    }
    this.#put(engine, value);
  }

  /** Returns the open literal, or the longest prefix of the open number that is a number. */
  openAtom(engine: EngineState): string | undefined {
    if (engine.state === LITERAL) return WORDS[engine.word];
    if (engine.state !== NUMBER) return undefined;
    const { length } = engine.token;
    const units = length <= GROWS_BY_DOUBLING ? length : 2 ** Math.floor(Math.log2(length));
    if (units !== this.#units) {
      this.#units = units;
      this.#prefix = engine.token.slice(0, units).replace(/[-+.eE]+$/, "");
    }
    return this.#prefix || undefined;
  }

  #showOpenAtom(engine: EngineState): void {
    const token = this.openAtom(engine);
    if (token === undefined || (this.isAtomShown && token === this.#converted)) return;
    this.#converted = token;
    const value = engine.state === LITERAL ? (JSON.parse(token) as Json) : makeNumber(token, this.options.numbers);
    if (this.isAtomShown && Object.is(this.#newest(engine), value)) return;
    this.isAtomShown = true;
    this.#put(engine, value);
  }

  #newest(engine: EngineState): Json | undefined {
    const { top } = engine;
    if (top === undefined) return this.root;
    return Object.getOwnPropertyDescriptor(top.box, top.isArray ? top.index : top.key)?.value as Json | undefined;
  }

  /** Puts the newest value in its place. */
  #put(engine: EngineState, value: Json): void {
    const { depth, top } = engine;
    if (top === undefined) {
      this.root = value;
      return;
    }
    const isOwn = top.look === this.#look;
    if (top.isArray) {
      ((isOwn ? top.box : this.#own(engine, depth)) as Json[])[top.index] = value;
      return;
    }
    const { key } = top;
    // Both are as long as that, and few other keys are.
    if (key.length === 9 && (key === "__proto__" || key === "prototype")) {
      this.#putPrototype(engine, key, value);
      return;
    }
    ((isOwn ? top.box : this.#own(engine, depth)) as { [key: string]: Json })[key] = value;
  }

  #putPrototype(engine: EngineState, key: string, value: Json): void {
    const { prototypeKeys } = this.options;
    const parent = engine.depth > 1 ? engine.stack[engine.depth - 2] : undefined;
    if (prototypeKeys === "reject" && isPrototypeKey(key, parent === undefined || parent.isArray ? undefined : parent.key)) {
      this.refusal ??= prototypeKey(key);
    }
    if (key === "__proto__" && prototypeKeys !== "keep") return;
    setMember(this.#own(engine, engine.depth) as { [key: string]: Json }, key, value);
  }

  /** Returns the container at this depth, from 1, after copying it and its parents where they must not change. */
  #own(engine: EngineState, depth: number): Box {
    const { stack } = engine;
    let from = depth;
    if (stack[depth - 1]!.look === DROPPED) return stack[depth - 1]!.box!;
    while (from > 0 && stack[from - 1]!.look !== this.#look) from -= 1;
    for (; from < depth; from++) {
      const frame = stack[from]!;
      const old = frame.box!;
      const copy: Box = Array.isArray(old) ? old.slice() : { ...old };
      frame.box = copy;
      frame.look = this.#look;
      const parent = from === 0 ? undefined : stack[from - 1]!;
      if (parent === undefined) {
        this.root = copy;
      } else if (parent.isArray) {
        (parent.box as Json[])[parent.index] = copy;
      } else if (parent.key !== "__proto__" || this.options.prototypeKeys === "keep") {
        setMember(parent.box as { [key: string]: Json }, parent.key, copy);
      }
    }
    return stack[depth - 1]!.box!;
  }
}

/** Returns true if a leaf that is open is the newest value of the innermost container, and shown. */
export function hasOpenLeaf(engine: EngineState): boolean {
  return engine.state === STRING || (engine.tree?.isAtomShown === true && (engine.state === NUMBER || engine.state === LITERAL));
}
