// What is shown of a document, as JSON text: from the strict text that is kept, with strings in their shortest spelling.

import { NUMBER, type Engine } from "./engine.js";
import { endOfString } from "./places.js";
import { openAtom } from "./tree.js";

const ATOM = /[^\s[\]{}:,"]+/y;

/** The document so far in JSON text; `undefined` before its first value. */
export function shownText(engine: Engine): string | undefined {
  return new Shown(engine).read();
}

class Shown {
  #out = "";
  /** What is written before the next value: a comma, a key. */
  #pending = "";
  /** The brackets that close what is open. */
  #closers: string[] = [];
  #hasChildren: boolean[] = [];
  #expectsKey = false;
  #hasValue = false;
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  read(): string | undefined {
    const engine = this.#engine;
    const text = engine.kept!.whole();
    for (let at = 0; at < text.length; at++) {
      const first = text[at]!;
      switch (first) {
        case '"':
          at = this.#string(text, at) - 1;
          break;
        case "{":
        case "[":
          this.#add(first);
          this.#closers.push(first === "{" ? "}" : "]");
          this.#hasChildren.push(false);
          this.#expectsKey = first === "{";
          break;
        case "}":
        case "]":
          this.#out += first;
          this.#closers.pop();
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
    return this.#hasValue ? this.#out + this.#closers.reverse().join("") : undefined;
  }

  /** Reads a string or key; gives the place after it. */
  #string(text: string, start: number): number {
    const end = endOfString(text, start);
    if (this.#expectsKey) {
      if (end < 0) return text.length;
      this.#pending = `${respelt(text.slice(start, end))}:`;
      this.#expectsKey = false;
      return end;
    }
    // All that has been decoded of an open string is known.
    this.#add(end < 0 ? JSON.stringify(this.#engine.text) : respelt(text.slice(start, end)));
    return end < 0 ? text.length : end;
  }

  #atom(atom: string, isLast: boolean): void {
    const engine = this.#engine;
    if (!isLast) {
      this.#add(atom);
      return;
    }
    const isOpen = engine.state === NUMBER || !isEnded(atom);
    const shown = isOpen ? (engine.tree!.options.isProvisional ? openAtom(engine) : undefined) : atom;
    if (shown !== undefined) this.#add(shown);
  }

  #add(text: string): void {
    const { length } = this.#hasChildren;
    if (length > 0 && this.#hasChildren[length - 1]) this.#out += ",";
    if (length > 0) this.#hasChildren[length - 1] = true;
    this.#out += this.#pending + text;
    this.#pending = "";
    this.#hasValue = true;
  }
}

/** Whether a literal has ended with its last letter, or a number of which only that it has ended is known. */
function isEnded(atom: string): boolean {
  return !/^[tfn]/.test(atom) || ["true", "false", "null"].includes(atom);
}

function respelt(string: string): string {
  return string.includes("\\") ? JSON.stringify(JSON.parse(string)) : string;
}

