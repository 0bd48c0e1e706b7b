// The engine of a text that is edited: it reads as any other, and says where things are rather than what they are.
//
// Each text, the document or one inside a string, knows the position of the piece that it reads in the input. A text
// inside a string is read in pieces, of which each is a run of characters that are spelt as they are, or one escape: so every
// place in it is at a piece's edge, or as far from its beginning as in the input.

import { NOWHERE, type Automaton, type PatternNode } from "../core/patterns/automaton.js";
import { Engine, type EngineOptions } from "../core/engine.js";
import { knownPath, type Fault } from "../core/text-error.js";
import type { Match } from "../core/frame.js";
import { KEY, LETTER, NO_ESCAPE, CLOSED, VALUE } from "../core/states.js";
import type { ValueType } from "../core/events.js";
import type { Edits } from "./edits.js";

export interface EditedOutput {
  readonly edits: Edits;
}

/** Errors that say nothing of whether the text is JSON. */
const MAY_BE_JSON = /limit|duplicate/;

/** With serde_json's feature `raw_value`, a Rust program reads an object with this key as the JSON text in its string. */
const RAW_VALUE = "$serde_json::private::RawValue";

export class EditingEngine extends Engine {
  declare readonly output: EditedOutput;
  declare inner: EditingEngine | undefined;
  readonly level: number;
  /** The piece that is read, and where it begins and ends. */
  #piece = "";
  #from = 0;
  #to = 0;
  /** Where in the piece the newest value begins, or the newest string ends. */
  #unit = 0;
  /** True if a comma has been reported whose member or element has not begun. */
  #hasComma = false;
  /** The number of containers around the text. */
  #depth = 0;

  constructor(automaton: Automaton, options: EngineOptions, output: EditedOutput, level = 0, entry = automaton.root) {
    super(automaton, options, output, entry);
    this.level = level;
  }

  override reset(): void {
    super.reset();
    this.#from = this.#to = 0;
    this.#hasComma = false;
  }

  /** Returns the place of a unit of the piece, or of its end. */
  #placeOf(i: number): number {
    return i > 0 && i >= this.#piece.length ? this.#to : this.#from + i;
  }

  override feed(text: string): number {
    const isDocument = this.level === 0;
    const { edits } = this.output;
    this.#piece = text;
    if (isDocument) {
      edits.beginChunk(text, this.base);
      this.#to = this.#from + text.length;
    }
    const end = this.run(text, 0);
    this.#noteComma(end);
    this.base += end + this.extra;
    this.extra = 0;
    this.#piece = "";
    this.#from = this.#to;
    if (isDocument) edits.endChunk(this.#to, this.#decided());
    return end;
  }

  /** Passes on the text before the bad byte of a document that has failed. */
  failAt({ offset, at }: Fault): void {
    this.#noteComma(at);
    const to = this.#placeOf(at);
    this.output.edits.failAt(offset, to, Math.min(to, this.#decided()));
  }

  /** Returns the place up to which the text is decided: in a string that is read inside, an escape may be cut. */
  #decided(): number {
    const { inner } = this;
    return inner === undefined || inner.state === CLOSED ? this.#to : inner.#decided();
  }

  // Places of values.

  override value(s: string, c: number, i: number): void {
    this.#unit = i;
    this.#noteComma(i);
    super.value(s, c, i);
    this.#hasComma = false;
  }

  override beginKey(i: number): void {
    this.#noteComma(i);
    super.beginKey(i);
    this.#hasComma = false;
  }

  /** Reports a comma before this unit and white space, once. */
  #noteComma(i: number): void {
    const { state } = this;
    if (this.#hasComma || !this.output.edits.removes || (state !== KEY && (state !== VALUE || !this.top?.isArray))) return;
    const at = this.#piece.lastIndexOf(",", i - 1);
    this.output.edits.comma(this.#placeOf(at), this.#placeOf(at + 1));
    this.#hasComma = true;
  }

  override enter(): PatternNode {
    const node = super.enter();
    if (node.selected.length === 0) this.output.edits.decided(this.#placeOf(this.#unit));
    return node;
  }

  override begin(type: ValueType, node: PatternNode, offset: number): Match[] {
    const matches = [{ id: 0, pattern: node.selected[0]!, path: "", type, offset, isRaw: false }];
    this.output.edits.begin(matches, this.#placeOf(this.#unit), this.level);
    return matches;
  }

  override end(matches: readonly Match[], i: number): void {
    this.output.edits.end(matches, this.#placeOf(i));
  }

  override push(isArray: boolean, i: number): void {
    super.push(isArray, i);
    const { edits } = this.output;
    const { node } = this.top!;
    // An object with the private key may replace an array or a string.
    if (edits.redacts && !isArray) this.top!.isLive ||= node.entersArray || node.through.length > 0;
    if (edits.removes) edits.opened(this.#placeOf(i + 1), this.top!.isLive);
  }

  override pop(i: number): void {
    const { edits } = this.output;
    if (edits.removes) edits.closed(this.#placeOf(i));
    super.pop(i);
  }

  override endKey(i: number): void {
    const { edits } = this.output;
    if (edits.redacts && this.top!.isLive && this.buffer === RAW_VALUE) {
      this.fail("private-key", i, "no private key of serde_json");
    }
    super.endKey(i);
    if (edits.isUndecided && this.top!.node.member(this.top!.key) === NOWHERE) edits.decided(this.#placeOf(i));
  }

  // Text, and texts inside strings.

  override flush(): void {
    const text = this.buffer;
    this.buffer = "";
    if (this.open.length > 0) this.output.edits.text(this.open, text);
    if (this.inner !== undefined) this.readInside(text);
  }

  override endEscape(character: string): void {
    const length = this.high !== 0 ? 12 : this.escape === LETTER ? 2 : 6;
    this.escape = NO_ESCAPE;
    this.high = 0;
    if (this.isWanted) this.add(character, this.escapeStart, length);
  }

  /** Appends text, which has this length in the piece. */
  override add(text: string, offset: number, length = text.length): void {
    super.add(text, offset);
    if (this.inner === undefined) return;
    this.inner.#to = this.#placeOf(offset - this.base - this.extra + length);
    this.flush();
  }

  override beginInside(node: PatternNode): void {
    const { edits } = this.output;
    // Values inside a value that a rule applies to are not searched.
    if (edits.isOpen) return;
    super.beginInside(node);
    const inner = this.inner!;
    inner.#from = inner.#to = this.#placeOf(this.#unit + 1);
    inner.#depth = edits.depth;
  }

  override newInner(entry: PatternNode): EditingEngine {
    return new EditingEngine(this.automaton, this.options, this.output, this.level + 1, entry);
  }

  override endString(i: number): void {
    this.#unit = i;
    super.endString(i);
  }

  override endInside(): void {
    const { level } = this.inner!;
    super.endInside();
    this.output.edits.left(level, this.#placeOf(this.#unit - 1));
  }

  override errorPath({ kind }: Fault): string | null {
    return knownPath(this, kind);
  }

  override failInside(fault: Fault): void {
    const inner = this.inner!;
    inner.#noteComma(fault.at);
    this.output.edits.failedInside(inner.level, inner.#placeOf(fault.at), inner.#depth, MAY_BE_JSON.test(fault.kind));
    super.failInside(fault);
  }
}
