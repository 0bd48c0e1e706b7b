// A snapshot as JSON text, made from the strict text that is kept, with strings in their shortest spelling.

import type { EngineState } from "../engine.js";
import { LITERAL, NUMBER } from "../states.js";
import { endOfString } from "../places.js";

const ATOM = /[^\s[\]{}:,"]+/y;

/** Returns the document so far as JSON text; `undefined` before its first value. */
export function shownText(engine: EngineState): string | undefined {
  return new Shown(engine).read();
}

/** Reads the kept text, and writes the snapshot. */
export class Shown {
  /** The snapshot without the open leaf and without the brackets that close the open containers. */
  out = "";
  /** Where in it each open container begins. */
  starts: number[] = [];
  /** The open string without its closing quote; empty if none is open. */
  openString = "";
  /** The key of the value that comes next or is open. */
  #pending = "";
  /** The brackets that close the open containers. */
  #closers: string[] = [];
  #hasChildren: boolean[] = [];
  #expectsKey = false;
  #hasValue = false;
  readonly #engine: EngineState;

  constructor(engine: EngineState) {
    this.#engine = engine;
  }

  /** Returns the whole snapshot; `undefined` before the first value. */
  read(): string | undefined {
    this.readOpen();
    const engine = this.#engine;
    const tree = engine.tree!;
    const atom = tree.options.provisional ? tree.openAtom(engine) : undefined;
    const leaf = this.openString === "" ? atom : `${this.openString}"`;
    if (leaf !== undefined) this.#add(leaf);
    return this.#hasValue ? this.out + this.#closers.reverse().join("") : undefined;
  }

  /** Returns the text before the value that is open or comes next: a comma, a key. */
  get before(): string {
    return (this.hasChildren ? "," : "") + this.#pending;
  }

  /** Returns true if the innermost open container has children that have ended. */
  get hasChildren(): boolean {
    return this.#hasChildren[this.#hasChildren.length - 1] === true;
  }

  readOpen(): void {
    const text = this.#engine.kept!.whole();
    for (let at = 0; at < text.length; at++) {
      const first = text[at]!;
      switch (first) {
        case '"':
          at = this.#string(text, at) - 1;
          break;
        case "{":
        case "[":
          this.#add(first);
          this.starts.push(this.out.length - 1);
          this.#closers.push(first === "{" ? "}" : "]");
          this.#hasChildren.push(false);
          this.#expectsKey = first === "{";
          break;
        case "}":
        case "]":
          this.out += first;
          this.#closers.pop();
          this.starts.pop();
          this.#hasChildren.pop();
          this.#expectsKey = false;
          break;
        case ",":
          this.#expectsKey = this.#closers[this.#closers.length - 1] === "}";
          break;
        case ":":
        case " ":
        case "\t":
        case "\n":
        case "\r":
          break;
        default: {
          ATOM.lastIndex = at;
          const atom = ATOM.exec(text)![0];
          at += atom.length - 1;
          this.#atom(atom, at + 1 === text.length);
        }
      }
    }
  }

  /** Reads a string or key. Returns the index after it. */
  #string(text: string, start: number): number {
    const end = endOfString(text, start);
    if (this.#expectsKey) {
      if (end < 0) return text.length;
      this.#pending = `${respelt(text.slice(start, end))}:`;
      this.#expectsKey = false;
      return end;
    }
    // The decoded text of an open string is known.
    if (end < 0) {
      this.openString = JSON.stringify(this.#engine.text).slice(0, -1);
      return text.length;
    }
    this.#add(respelt(text.slice(start, end)));
    return end;
  }

  #atom(atom: string, isLast: boolean): void {
    const { state } = this.#engine;
    if (!isLast || (state !== NUMBER && state !== LITERAL)) this.#add(atom);
  }

  #add(text: string): void {
    const { length } = this.#hasChildren;
    if (length > 0 && this.#hasChildren[length - 1]) this.out += ",";
    if (length > 0) this.#hasChildren[length - 1] = true;
    this.out += this.#pending + text;
    this.#pending = "";
    this.#hasValue = true;
  }
}

function respelt(string: string): string {
  return string.includes("\\") ? JSON.stringify(JSON.parse(string)) : string;
}
