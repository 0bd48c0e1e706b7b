// The input of a lenient parser: its translator decides where characters may wait, continues where the engine has stopped,
// and judges characters that a limit cuts.

import { Fault } from "../core/text-error.js";
import type { ReportingEngine } from "../core/reporting.js";
import { Input } from "../core/input.js";
import { STRICT, type Lenient } from "./translator.js";
import { encodeAt, isLone } from "../core/utf8.js";

export class LenientInput extends Input<ReportingEngine> {
  declare readonly translator: Lenient;

  override clone(engine: ReportingEngine): Input<ReportingEngine> {
    return this.copyTo(new LenientInput(engine, this.readsMark, this.translator.clone(engine)));
  }

  override reset(): void {
    super.reset();
    this.translator.reset();
  }

  #keep(text: string, wereBytes = this.engine.chunk.wasBytes): void {
    const { engine, original } = this;
    if (text === "" || engine.options.retain !== "all") return;
    const last = original[original.length - 1];
    const isSame = last?.wereBytes === wereBytes;
    if (isSame) original[original.length - 1] = { text: last.text + text, wereBytes };
    else original.push({ text, wereBytes });
  }

  protected override get takesCharacters(): boolean {
    return super.takesCharacters && this.translator.step === STRICT;
  }

  protected override get toleratesMark(): boolean {
    return this.translator.allows("byte-order-mark");
  }

  protected override feedAny(chunk: string | Uint8Array): number {
    return this.#holding(() => super.feedAny(chunk));
  }

  override finish(): void {
    this.#holding(() => super.finish());
  }

  /** A translator reads in several runs: what a chunk adds to a string is one delta all the same. */
  #holding<R>(read: () => R): R {
    const { engine } = this;
    engine.holdsText = true;
    try {
      return read();
    } finally {
      engine.flushHeld();
    }
  }

  protected override read(text: string): number {
    try {
      const end = this.translator.feed(text);
      this.#keep(text.slice(0, end - this.engine.chunk.unread));
      return end;
    } catch (thrown) {
      if (thrown instanceof Fault && !this.engine.chunk.wasBytes && isLone(text, thrown.at)) {
        this.#keep(text.slice(0, thrown.at));
        // Half a pair fails as a byte does that is not UTF-8.
        this.#keep("\udcff", true);
      } else {
        this.#keep(text);
      }
      throw thrown;
    }
  }

  protected override exceed(text: string, to: number): never {
    this.#keep(text.slice(to));
    const original = this.original.slice();
    try {
      this.#exceed(text, to);
    } finally {
      this.original = original;
    }
  }

  #exceed(text: string, to: number): never {
    const { engine, translator } = this;
    const { total } = engine.limits;
    translator.throwUndecided();
    if (engine.base < total && !this.takesCharacters) {
      // The first bytes of a character are within the limit, and may be a deviation.
      this.bytes = encodeAt(text, to).subarray(0, total - engine.base);
      this.readWaiting();
      this.bytes = this.bytes.subarray(0, 0);
    }
    super.exceed(text, to);
  }

  protected override end(): void {
    this.translator.finish();
  }
}
