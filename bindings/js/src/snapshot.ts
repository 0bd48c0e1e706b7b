// JavaScript's copy of the document so far, with structural sharing: only containers on changed paths are new.
//
// `../wasm/src/snapshot.rs` says what has grown. All that grows is on one path, from the root to the newest value, so
// that path is kept as a stack. A container on it that somebody may have seen is copied before it changes, once for each
// look; a live copy has but one look, which never ends.

import type { JsonSpigotError } from "./error.js";
import type { Instance, Output } from "./module.js";
import { isPrototypeKey, makeNumber, prototypeKey, setMember, type Json, type Making } from "./values.js";

type Container = Json[] | { [key: string]: Json };

/** A container on the path to the newest value. */
interface Frame {
  container: Container;
  /** Its own key in its parent. */
  readonly key: string | number;
  /** The look for which it was made or copied: nobody has seen it before that one ends. */
  look: number;
  /** How many of its children are still to be read. */
  left: number;
  /** Whether it is in a member that is dropped: nobody sees it, so nothing around it changes. */
  readonly isDropped: boolean;
}

export class Mirror {
  root: Json | undefined;
  /** Set by a key that is refused. The copy goes on without it, but is not to be shown any more. */
  refusal: JsonSpigotError | undefined;
  readonly #making: Making;
  readonly #isLive: boolean;
  #frames: Frame[] = [];
  /** The newest value's key in the innermost container of the stack, if the newest value is no container itself. */
  #newest: string | number = "";
  #look = 0;
  /** What the newest string has gained since the last look. */
  #chunks = "";
  /** Whether the module knows more than the copy and these chunks. */
  isBehind = false;

  /** @param isLive Whether what was shown changes with the text: nothing is copied then. */
  constructor(making: Making, isLive: boolean) {
    this.#making = making;
    this.#isLive = isLive;
  }

  clone(): Mirror {
    const clone = new Mirror(this.#making, this.#isLive);
    clone.root = this.root;
    clone.refusal = this.refusal;
    clone.#frames = this.#frames.map((frame) => ({ ...frame, look: -1 }));
    clone.#newest = this.#newest;
    clone.#chunks = this.#chunks;
    clone.isBehind = this.isBehind;
    // The containers belong to both now.
    for (const frame of this.#frames) frame.look = -1;
    return clone;
  }

  reset(): void {
    this.root = undefined;
    this.refusal = undefined;
    this.#frames = [];
    this.#chunks = "";
    this.isBehind = false;
  }

  /** After a chunk: takes it if the newest string has gained it, and remembers if there is more. */
  follow(module: Instance): void {
    const { growth } = module;
    if (growth === 1) this.#chunks += module.written;
    else if (growth === 2) this.isBehind = true;
  }

  /** Brings the copy up to date by the chunks that the newest string has gained. */
  applyChunks(): void {
    if (this.#chunks === "") return;
    this.#beginLook();
    this.#append(this.#chunks);
    this.#chunks = "";
  }

  /** The same, and by what the module tells that has grown since. */
  apply(output: Output): void {
    if (this.#chunks === "") this.#beginLook();
    else this.applyChunks();
    this.isBehind = false;
    const { words, end } = output;
    while (output.at < end) {
      const first = words[output.at++]!;
      switch (first & 15) {
        case 0:
          this.#add(output, first >>> 4);
          break;
        case 1:
          this.#append(output.string());
          break;
        default:
          this.#replace(makeNumber(output.string(), this.#making.numbers));
      }
    }
  }

  /** From here on everything on the stack may have been seen. */
  #beginLook(): void {
    if (!this.#isLive) this.#look += 1;
  }

  #append(text: string): void {
    const depth = this.#frames.length;
    if (depth === 0) {
      this.root = (this.root as string) + text;
      return;
    }
    const key = this.#newest;
    if (this.#isDropped(key)) return;
    const container = this.#own(depth);
    if (key === "__proto__") {
      // Not there if it was refused.
      const old = Object.getOwnPropertyDescriptor(container, key)?.value as string | undefined;
      this.#set(container, key, (old ?? "") + text);
    } else {
      (container as Record<string | number, string>)[key] += text;
    }
  }

  #isDropped(key: string | number): boolean {
    return key === "__proto__" && this.#making.prototypeKeys === "drop";
  }

  #replace(value: Json): void {
    const frame = this.#frames[this.#frames.length - 1];
    if (frame === undefined) {
      this.root = value;
      return;
    }
    if (this.#isDropped(this.#newest)) return;
    // More digits than a number can hold change nothing.
    const old: unknown = Object.getOwnPropertyDescriptor(frame.container, this.#newest)?.value;
    if (!Object.is(old, value)) this.#set(this.#own(this.#frames.length), this.#newest, value);
  }

  /** Adds a value and all that is in it to the container that is at this depth but one. */
  #add(output: Output, depth: number): void {
    const frames = this.#frames;
    const { words } = output;
    // Setting `length` takes several times as long.
    while (frames.length > depth) frames.pop();
    // It is copied when it is known that it changes.
    let parent: Container | undefined = depth > 0 ? frames[depth - 1]!.container : undefined;
    let isOwn = depth === 0;
    let toRead = 1;
    for (;;) {
      let key: string | number;
      if (parent === undefined) {
        key = "";
      } else if (Array.isArray(parent)) {
        key = parent.length;
      } else {
        key = output.string();
        if (this.#making.prototypeKeys === "reject") this.#refuse(key);
      }
      const isDropped = this.#isDropped(key);
      if (!isOwn) {
        if (!isDropped) parent = this.#own(depth);
        isOwn = true;
      }
      const first = words[output.at++]!;
      toRead += (first >>> 4) - 1;
      const value = this.#value(first & 15, output);
      if (parent === undefined) this.root = value;
      else if (Array.isArray(parent)) parent.push(value);
      else if (key === "__proto__") this.#set(parent, key, value);
      else parent[key] = value;
      this.#newest = key;
      if ((first & 15) >= 5) {
        const isInDropped = isDropped || frames[frames.length - 1]?.isDropped === true;
        frames.push({ container: value as Container, key, look: this.#look, left: first >>> 4, isDropped: isInDropped });
      }
      if (toRead === 0) return;
      while (frames[frames.length - 1]!.left === 0) frames.pop();
      const top = frames[frames.length - 1]!;
      top.left -= 1;
      parent = top.container;
    }
  }

  #value(kind: number, output: Output): Json {
    switch (kind) {
      case 0:
        return null;
      case 1:
        return false;
      case 2:
        return true;
      case 3:
        return makeNumber(output.string(), this.#making.numbers);
      case 4:
        return output.string();
      case 5:
        return [];
      default:
        return {};
    }
  }

  /** The container at this depth, from 1, so that it and those around it may be changed. */
  #own(depth: number): Container {
    const frames = this.#frames;
    if (frames[depth - 1]!.isDropped) return frames[depth - 1]!.container;
    let from = depth;
    while (from > 0 && frames[from - 1]!.look !== this.#look) from -= 1;
    for (; from < depth; from++) {
      const frame = frames[from]!;
      const copy = Array.isArray(frame.container) ? frame.container.slice() : { ...frame.container };
      frame.container = copy;
      frame.look = this.#look;
      if (from === 0) this.root = copy;
      else this.#set(frames[from - 1]!.container, frame.key, copy);
    }
    return frames[depth - 1]!.container;
  }

  #set(container: Container, key: string | number, value: Json): void {
    if (key !== "__proto__") (container as Record<string | number, Json>)[key] = value;
    else if (this.#making.prototypeKeys === "keep") setMember(container as { [key: string]: Json }, key, value);
  }

  #refuse(key: string): void {
    const top = this.#frames[this.#frames.length - 1]!;
    if (isPrototypeKey(key, top.key)) this.refusal ??= prototypeKey(key);
  }
}
