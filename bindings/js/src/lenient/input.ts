// The input of a lenient parser: its translator decides where characters may wait, continues where the engine has stopped,
// and judges characters that a limit cuts.

import { Fault } from "../core/text-error.js";
import type { ReportingEngine } from "../core/reporting.js";
import { Input, type Original } from "../core/input.js";
import { checkWaiting } from "../core/limits.js";
import { STRICT, type Lenient } from "./translator.js";
import { encodeAt, isLone } from "../core/utf8.js";

export class LenientInput extends Input<ReportingEngine> {
  declare readonly translator: Lenient;
  override original: Original[] = [];

  override reset(): void {
    super.reset();
    this.original = [];
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

  /** What waits may be part of a string after all: then it waits again, if it is the beginning of a character. */
  protected override readWaiting(): void {
    const { bytes, half } = this;
    const { chunk, kept } = this.engine;
    chunk.mayBeCut = true;
    try {
      super.readWaiting();
    } finally {
      chunk.mayBeCut = false;
    }
    const { unread } = chunk;
    chunk.unread = 0;
    if (unread === 0) return;
    kept?.truncate(kept.end - unread);
    this.half = half;
    if (half !== "") return;
    this.bytes = bytes.slice(-unread);
    checkWaiting(this.engine, this.bytes);
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
