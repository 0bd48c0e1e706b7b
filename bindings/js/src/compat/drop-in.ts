// The base of both drop-ins: their methods, and the value so far, as a parser of snapshots shows it.

import { makeText } from "../core/make-text.js";
import { mayEnd, NUMBER, STRING } from "../core/states.js";
import { opened, type Text } from "../core/text.js";
import type { Json } from "../core/values.js";

/** The value of a text so far: none, the complete value, or a part of it. */
export type Shown = { readonly value: Json; readonly state: "complete" | "partial" } | undefined;

/** Begins a text. Both consumers show open numbers and literals, and refuse text that could reach a prototype. */
const begin = (): Text => makeText({ provisional: true, prototypeKeys: "reject", limits: { depth: Infinity } });

/** A drop-in, which reads each delta once. */
export abstract class DropIn<Result> {
  readonly #none: Result;
  #text: Text | undefined = begin();
  #current: Result;

  protected constructor(none: Result) {
    this.#none = this.#current = none;
  }

  /** Returns the result for the shown part of the text, or the result before if nothing has changed. */
  protected abstract result(shown: Shown, before: Result): Result;

  /** Appends text. Returns the value and state of all of it, in the same object as before if nothing has changed. */
  push(delta: string): Result {
    const text = opened(this.#text);
    if (text.isOpen) text.read(delta);
    return (this.#current = this.result(shown(text), this.#current));
  }

  /** Returns the result of the last push. */
  get current(): Result {
    return this.#current;
  }

  /** Returns the path of the innermost open value. A literal counts as complete from its first letter. */
  protected openPath(): string[] {
    const { engine } = this.#text!;
    const isInside = engine.state === STRING || engine.state === NUMBER;
    const frames = engine.stack.slice(0, isInside ? engine.depth : Math.max(0, engine.depth - 1));
    return frames.map(({ isArray, index, key }) => (isArray ? String(index) : key));
  }

  /** Makes this new parser the same as another one. */
  protected copy(origin: DropIn<Result>): this {
    this.#text = opened(origin.#text).clone();
    this.#current = origin.#current;
    return this;
  }

  /** Starts over with a new text. */
  reset(): void {
    opened(this.#text).reset();
    this.#current = this.#none;
  }

  /** Drops what the parser keeps. Calling it again is a no-op; a push then throws. */
  dispose(): void {
    this.#text = undefined;
  }
}

function shown(text: Text): Shown {
  const { engine } = text;
  const tree = text.tree();
  const value = tree.look(engine);
  if (value === undefined || text.hasFailed || tree.refusal !== undefined) return undefined;
  // A number that is still open is whole if it may end here.
  const isComplete = text.hasRootEnded || (engine.depth === 0 && engine.state === NUMBER && mayEnd(engine.part));
  return { value, state: isComplete ? "complete" : "partial" };
}
