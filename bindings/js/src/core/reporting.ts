// The engine of a parser: it reports the events of matches, keeps the text and the values that the options ask for, and builds
// the snapshots. The tree, the kept text and raw values are passed in, so that programs which do not use them do not contain them.

import { Engine } from "./engine.js";
import type { Event, ValueType } from "./events.js";
import { Frame, type Match } from "./frame.js";
import type { Keeping } from "./keeping.js";
import { matchEvent } from "./match-event.js";
import type { Matching } from "./matching.js";
import type { Settings } from "./options.js";
import type { Automaton, PatternNode } from "./patterns/automaton.js";
import { append, INSIDE } from "./patterns/path.js";
import type { RawDeltas } from "./raw.js";
import { STRING } from "./states.js";
import { Fault, isInLeaf, spellTo } from "./text-error.js";
import type { Tree } from "./tree/tree.js";
import { makeAtom } from "./values.js";

/** The state that all texts of a parser share, those inside strings too. */
export interface Output {
  events: Event[];
  nextMatch: number;
  /** The error of a value that is refused. */
  refusal: unknown;
  /** The functions for matches, if there are patterns. */
  readonly matching: Matching | undefined;
  /** The functions for retained text, if any text is retained. */
  readonly keeping: Keeping | undefined;
  /** Creates the reporter of raw values, if there may be raw patterns. */
  readonly beginRaw: (() => RawDeltas) | undefined;
}

/** An engine for all that only look at it: snapshots, errors, saved states. */
export type EngineState = Readonly<ReportingEngine>;

export class ReportingEngine extends Engine {
  declare readonly options: Settings;
  declare readonly output: Output;
  declare inner: ReportingEngine | undefined;
  /** The document so far, if snapshots are kept. */
  tree: Tree | undefined = undefined;
  /** The path of the string that this text is in, with the pipe after it; empty for the document. */
  readonly outer: string;

  /** All decoded text of the open string, if `isTextKept`. */
  text = "";
  isTextKept = false;

  // The text that is kept.
  /** True if strings and containers have values. */
  readonly keepsValues: boolean;
  /** True if nothing is kept but the text of matches. */
  readonly keepsMatches: boolean;
  /** What is added to an index in the text that is read for the place in the kept text, and the place of the open leaf. */
  keptShift = 0;
  leafStart = 0;
  /** True if text is no longer kept, so that no value is made of it. */
  isFrozen = false;
  /** True if the kept text differs from the input. */
  isRewritten = false;

  // A translator reads a chunk in several runs, whose text becomes one delta.
  /** True if text of a run waits to be flushed. */
  holdsText = false;
  /** The deltas of the open string in this chunk, to which later text is appended. */
  held: { text: string }[] | undefined = undefined;

  constructor(automaton: Automaton, options: Settings, output: Output, outer = "", entry = automaton.root) {
    super(automaton, options, output, entry);
    this.outer = outer;
    this.raw = automaton.patterns.some(({ isRaw }) => isRaw) ? output.beginRaw!() : undefined;
    this.keepsValues = options.retain !== "nothing";
    this.keepsMatches = options.retain === "matches";
    this.kept = this.keepsValues ? output.keeping!.begin() : undefined;
  }

  override reset(): void {
    super.reset();
    this.held = undefined;
    this.text = "";
    this.isFrozen = this.isRewritten = this.holdsText = false;
    this.kept?.clear();
    this.raw?.clear();
    this.tree?.reset();
  }

  override feed(text: string): number {
    const { kept } = this;
    if (kept === undefined) return super.feed(text);
    if (this.keepsMatches) this.output.keeping!.dropUnneeded(this);
    this.keptShift = kept.open(text, 0);
    const end = super.feed(text);
    kept.commit(end);
    return end;
  }

  override keepTo(end: number): void {
    this.kept?.commit(end);
  }

  override finish(): void {
    this.keptShift = this.kept?.end ?? 0;
    super.finish();
  }

  override begin(type: ValueType, node: PatternNode, offset: number): Match[] {
    return this.output.matching!.begin(this, type, node, offset);
  }

  override end(matches: readonly Match[], i: number, frame?: Frame, token?: string): void {
    this.output.matching!.end(this, matches, i, frame, token);
  }

  override beginContainer(frame: Frame, i: number): void {
    frame.start = i + this.keptShift;
    if (this.tree !== undefined) this.tree.beginContainer(this, frame);
  }

  override pop(i: number): void {
    const frame = this.top!;
    super.pop(i);
    if (this.tree === undefined) return;
    this.tree.endContainer(frame);
    frame.box = undefined;
  }

  override beginAtom(type: ValueType, i: number): void {
    super.beginAtom(type, i);
    this.leafStart = i + this.keptShift;
    this.isWanted = this.tree !== undefined || this.open.length > 0;
  }

  override endAtom(i: number, token: string): void {
    if (this.tree !== undefined) this.tree.putAtom(this, makeAtom(token, this.options.numbers), token);
    super.endAtom(i, token);
  }

  override beginKey(i: number): void {
    super.beginKey(i);
    // Also for the paths of errors.
    if (this.keepsValues || this.tree !== undefined) this.isWanted = true;
  }

  override beginString(i: number): void {
    super.beginString(i);
    this.leafStart = i + this.keptShift;
    this.text = "";
    this.isTextKept = this.keepsValues && this.open.length > 0;
    if (this.tree === undefined) return;
    this.isWanted = this.isTextKept = true;
    this.tree.putString(this, "");
  }

  override endString(i: number): void {
    super.endString(i);
    this.held = undefined;
    this.text = "";
  }

  /** Flushes the text that a translator has held back. */
  flushHeld(): void {
    this.holdsText = false;
    if (this.buffer !== "" && this.state === STRING) this.flush();
    this.held = undefined;
  }

  override pause(): void {
    if (!this.holdsText) this.flush();
  }

  override flush(): void {
    const text = this.buffer;
    const { open } = this;
    this.buffer = "";
    if (this.held !== undefined) {
      for (const delta of this.held) delta.text += text;
    } else {
      for (let at = 0; at < open.length; at++) {
        const match = open[at]!;
        if (match.isRaw) continue;
        const delta = matchEvent("delta", match, this.bufferStart);
        delta.text = text;
        this.output.events.push(delta);
        if (this.holdsText) (this.held ??= []).push(delta);
      }
    }
    if (this.isTextKept) this.text += text;
    if (this.tree !== undefined) this.tree.putString(this, text);
    if (this.inner !== undefined) this.readInside(text);
  }

  override errorPath(fault: Fault): string | null {
    const path = spellTo(this, isInLeaf(this) ? this.depth : this.depth - 1);
    if (this.tree !== undefined) return path;
    if (this.keepsValues && !this.isFrozen && !this.isRewritten) {
      // All keys are known, or those in the open matches.
      const frames = this.stack.slice(0, this.depth);
      if (!this.keepsMatches || frames.some(({ matches }) => matches.length > 0)) return path;
    }
    return this.output.matching?.knownPath(this, fault.kind) ?? null;
  }

  /** All that is known of the text at any cut is its first byte. */
  override guess(first: number): string {
    // The byte EF, alone or as the first byte of a character.
    if (first >= 0xf000 || (first >= 0xdc00 && first <= 0xdfff && (first & 0xff) === 0xef)) return " (is this a byte order mark?)";
    if (first === 60) return " (is this HTML or XML?)";
    if (first === 96) return " (is this a code fence?)";
    // The lines of an event stream: `data:`, `event:`, `id:`, `retry:`, and comments.
    return "deir:".includes(String.fromCharCode(first)) ? " (are these server-sent events? `jsonspigot/providers` reads them)" : "";
  }

  override newInner(entry: PatternNode): ReportingEngine {
    const { automaton, options, output } = this;
    const retain = options.retain === "nothing" ? "nothing" : "matches";
    const inner = new ReportingEngine(automaton, { ...options, retain }, output, append(output.matching!.pathOf(this), INSIDE), entry);
    inner.isFrozen = this.isFrozen;
    return inner;
  }

  override readPiece(text: string): void {
    const { raw } = this;
    if (raw === undefined) return super.readPiece(text);
    raw.beginPiece(text, this.base);
    try {
      super.readPiece(text);
    } catch (thrown) {
      if (thrown instanceof Fault) raw.endPiece(this.output, thrown.offset);
      throw thrown;
    }
    raw.endPiece(this.output);
  }

  override failInside(fault: Fault): void {
    this.output.matching!.failInside(this, fault);
    super.failInside(fault);
  }
}

/** Copies an engine. The copy reports to `output`. */
export function cloneEngine(engine: ReportingEngine, output: Output): ReportingEngine {
  const { automaton, options, outer, entry, inner, stack, depth } = engine;
  const clone = Object.assign(new ReportingEngine(automaton, options, output, outer, entry), engine, { output });
  Object.assign(clone, { chunk: { ...engine.chunk } });
  clone.kept = engine.kept?.clone();
  clone.raw = engine.raw?.clone();
  clone.inner = inner && cloneEngine(inner, output);
  // Frames beyond the open ones are spare, and stay with their owner.
  clone.stack = stack
    .slice(0, depth)
    .map((frame) => Object.assign(new Frame(frame.isArray, frame.node), frame, { keys: frame.keys && new Set(frame.keys) }));
  clone.top = clone.stack[depth - 1];
  clone.tree = engine.tree?.clone(engine, clone);
  return clone;
}
