// The engine: one JSON text, in chunks that may be cut anywhere, as events. It is all that a parser of deltas needs; the
// tree of a snapshot, the translator of nearly-JSON and saved state are added from outside, so that programs which do not
// use them do not contain them.
//
// If you work here, this is the one idea to know: *nothing looks ahead of the chunk*. Everything that can span an edge is a state,
// and {@link Engine.run} reads on in it. The chunk's own string is read, unit by unit where grammar is checked and
// in runs inside strings; nothing is copied or encoded. Offsets count bytes: a unit at `i` of the text that is read is
// `base + i + extra`, where `extra` is what its characters beyond ASCII have had in bytes beyond their units.
//
// Errors are thrown as {@link Fault}s, which cost no stack trace, as a translator may catch many. The caller of `feed` makes an
// error of one that remains.

import { beginLiteral, beginNumber, endNumber, readLiteral, readNumber } from "./atoms.js";
import type { Automaton, PatternNode } from "./patterns/automaton.js";
import type { Event, ValueType } from "./events.js";
import { errorOf, Fault, knownPath, unexpected, wanted } from "./text-error.js";
import { Frame, clearFrame, NO_MATCHES, type Match } from "./frame.js";
import type { Keeping, Kept } from "./keeping.js";
import { countBlank, exceedTotal } from "./limits.js";
import { matchEvent } from "./match-event.js";
import type { Limits } from "./options.js";
import { append, INSIDE } from "./patterns/path.js";
import type { RawDeltas } from "./raw.js";
import {
  AFTER,
  CLOSED,
  COLON,
  DONE,
  FIRST,
  FIRST_KEY,
  KEY,
  KEY_STRING,
  LITERAL,
  mayEnd,
  NO_ESCAPE,
  NUMBER,
  STRING,
  VALUE,
} from "./states.js";
import { readCharacters, readEscape } from "./strings.js";
import type { Tree } from "./tree/tree.js";
import { QUOTE } from "./units.js";
import { within } from "./utf8.js";
import type { Json, Making } from "./values.js";

/** The state that all texts of a parser share, those inside strings too. */
export interface Output {
  events: Event[];
  nextMatch: number;
  /** The error of a value that is refused. */
  refusal: unknown;
  /** The functions for retained text, if any text is retained. */
  readonly keeping: Keeping | undefined;
  /** Creates the reporter of raw values, if there may be raw patterns. */
  readonly beginRaw: (() => RawDeltas) | undefined;
}

export interface EngineOptions extends Making {
  readonly limits: Required<Limits>;
  readonly rejectsDuplicates: boolean;
  readonly retain: "all" | "matches" | "nothing";
  readonly spelling: boolean;
}

/** The form of the text that an engine reads, which its input sets. */
export interface ChunkForm {
  /** True if the text was bytes. */
  wasBytes: boolean;
  /** True if the text may end with the beginning of a character: half a pair, or some bytes of a sequence. */
  mayBeCut: boolean;
  /** How many units at the end of the text are the beginning of a character, and wait. Only if `mayBeCut`. */
  unread: number;
  /** The beginning of the sequence of bytes at whose end the text has failed. Only after a fault. */
  strayBytes: Uint8Array | undefined;
}

/**
 * An engine for all that only look at it: snapshots, errors, saved states. The engine's fields are set by `engine.ts` with
 * `strings.ts`, `atoms.ts` and `limits.ts`; by a translator, which drives it past deviations; and by `saved/parser.ts`, which
 * restores counters.
 */
export type EngineState = Readonly<Engine>;

export class Engine {
  readonly options: EngineOptions;
  readonly automaton: Automaton;
  readonly output: Output;
  /** The document so far, if snapshots are kept. */
  tree: Tree | undefined = undefined;
  /** The path of the string that this text is in, with the pipe after it; empty for the document. */
  readonly outer: string;
  readonly entry: PatternNode;
  /** The values that are reported as they come, if a pattern is raw. */
  raw: RawDeltas | undefined;

  /** The token that the next unit is part of: it decides which of the fields below have a meaning. */
  state!: number;
  /** The limits in force. They differ while a saved state is read. */
  limits: Required<Limits>;
  /** The limits of texts that begin inside strings. */
  innerLimits: Required<Limits>;
  readonly rejectsDuplicates: boolean;

  // The open containers: the first `depth` frames, of which `top` is the last. Others are spare.
  stack: Frame[] = [];
  depth!: number;
  top: Frame | undefined;

  // The open leaf (`STRING`, `NUMBER`, `LITERAL`), or the last one.
  node!: PatternNode;
  open!: Match[];
  leafStart = 0;
  /** True if the decoded text of the open string or number is used. */
  isWanted!: boolean;
  /** The text inside the open string, if that is read. */
  inner: Engine | undefined;

  // The open string or key (`STRING`, `KEY_STRING`).
  /** Decoded text of it that has not been reported, and where it begins. */
  buffer!: string;
  bufferStart = 0;
  /** All decoded text of the open string, if `isTextKept`. */
  text!: string;
  isTextKept = false;
  /** The part of an escape that is open. Unless `NO_ESCAPE`, the next three say what was read of it. */
  escape!: number;
  code = 0;
  high!: number;
  escapeStart = 0;

  // Limits on the open token, and on white space between tokens.
  /** The offset of the first byte that would be one too many in the open token. */
  limit = Infinity;
  /** The offsets of the newest white space between tokens, if its length is limited. */
  blankStart!: number;
  blankEnd!: number;

  // The open number: the kind of its last unit, and its text if `isWanted`.
  part = 0;
  token!: string;
  // The open literal: its index in `WORDS`, and how much of it was read.
  word = 0;
  matched = 0;

  // The text that is read, the offset of its first unit, and what its characters so far have in bytes beyond their units.
  reading = "";
  readonly chunk: ChunkForm = { wasBytes: false, mayBeCut: false, unread: 0, strayBytes: undefined };
  base!: number;
  extra!: number;
  /** The line feeds so far, and the offset after the last one. */
  lines!: number;
  lineStart!: number;

  /** The text that is kept, and what is to be added to an index in the text that is read for its place there. */
  kept: Kept | undefined;
  keptShift = 0;
  /** True if text is no longer kept, so that no value is made of it. */
  isFrozen!: boolean;
  /** True if strings and containers have values. */
  readonly keepsValues: boolean;
  /** True if nothing is kept but the text of matches. */
  readonly keepsMatches: boolean;
  /** True if the kept text differs from the input. */
  isRewritten!: boolean;

  // A translator reads a chunk in several runs, whose text becomes one delta.
  /** True if text of a run waits to be flushed. */
  holdsText!: boolean;
  /** The deltas of the open string in this chunk, to which later text is appended. */
  held: { text: string }[] | undefined;
  /** True if bytes after the root are left unread. */
  stopsAtRoot = false;

  constructor(automaton: Automaton, options: EngineOptions, output: Output, outer = "", entry = automaton.root) {
    this.automaton = automaton;
    this.options = options;
    this.output = output;
    this.outer = outer;
    this.entry = entry;
    this.raw = automaton.readsRaw ? output.beginRaw!() : undefined;
    this.keepsValues = options.retain !== "nothing";
    this.keepsMatches = options.retain === "matches";
    this.kept = this.keepsValues ? output.keeping!.begin() : undefined;
    this.limits = this.innerLimits = options.limits;
    this.rejectsDuplicates = options.rejectsDuplicates;
    this.clear();
  }

  /** Sets the fields of a text of which nothing was read. */
  protected clear(): void {
    this.state = VALUE;
    this.depth = 0;
    this.top = this.inner = this.held = undefined;
    this.node = this.automaton.nowhere;
    this.open = NO_MATCHES;
    this.buffer = this.text = this.token = "";
    this.escape = NO_ESCAPE;
    this.high = this.base = this.extra = this.lines = this.lineStart = this.blankStart = this.blankEnd = 0;
    this.isWanted = this.isFrozen = this.isRewritten = this.holdsText = false;
  }

  /** Begins a new text, keeping what was allocated. */
  reset(): void {
    for (const frame of this.stack) clearFrame(frame);
    this.clear();
    this.chunk.strayBytes = undefined;
    this.kept?.clear();
    this.raw?.clear();
    this.tree?.reset();
  }

  get isInString(): boolean {
    return this.state === STRING || this.state === KEY_STRING;
  }

  /** Returns true if an incomplete sequence of bytes or half a surrogate pair may be completed here. */
  get takesCharacters(): boolean {
    return (this.state === STRING || this.state === KEY_STRING) && this.escape === NO_ESCAPE;
  }

  /** Reads a text, all of it unless it stops at the root's end; returns how far. After a fault, {@link keepTo} is called. */
  feed(text: string): number {
    const { kept, keepsValues } = this;
    this.reading = text;
    if (keepsValues) {
      if (this.keepsMatches) this.output.keeping!.dropUnneeded(this);
      this.keptShift = kept!.open(text, 0);
    }
    const end = this.run(text, 0);
    if (kept !== undefined) this.keepTo(end);
    this.base += end + this.extra;
    this.extra = 0;
    return end;
  }

  /** Keeps the text that was read last, up to this unit. */
  keepTo(end: number): void {
    const { kept, reading } = this;
    this.reading = "";
    if (this.keepsValues) kept!.commit(end);
    else if (kept !== undefined) kept.push(end === reading.length ? reading : reading.slice(0, end));
  }

  /** Ends the input, and with it a number at the root. */
  finish(): void {
    if (this.state === NUMBER && this.depth === 0 && mayEnd(this.part)) {
      this.keptShift = this.kept?.end ?? 0;
      endNumber(this, 0);
    }
    if (this.state !== DONE) this.fail("incomplete", 0, wanted(this), this.base);
  }

  /** Returns the offset of a unit of the text that is read. */
  at(i: number): number {
    return this.base + i + this.extra;
  }

  /** Reads a text from a unit on. Returns how far it was read. */
  run(s: string, from: number): number {
    const n = s.length;
    const { blank } = this.limits;
    let i = from;
    while (i < n) {
      const { state } = this;
      if (state >= STRING && state <= LITERAL) {
        if (state <= KEY_STRING) i = this.escape === NO_ESCAPE ? readCharacters(this, s, i) : readEscape(this, s, i);
        else i = state === NUMBER ? readNumber(this, s, i) : readLiteral(this, s, i);
        continue;
      }
      if (state === DONE && this.stopsAtRoot) return i;
      const c = s.charCodeAt(i++);
      if (c <= 32 && (c === 32 || c === 10 || c === 13 || c === 9)) {
        if (blank !== Infinity) countBlank(this, i - 1);
        if (c === 10) this.newLine(i);
        continue;
      }
      if (state <= FIRST) this.value(s, c, i - 1);
      else if (state === AFTER) {
        const { isArray } = this.top!;
        if (c === 44) this.state = isArray ? VALUE : KEY;
        else if (c === (isArray ? 93 : 125)) this.pop(i);
        else unexpected(this, s, i - 1);
      } else if (state <= KEY) {
        if (c === QUOTE) this.beginKey(i - 1);
        else if (c === 125 && state === FIRST_KEY) this.pop(i);
        else unexpected(this, s, i - 1);
      } else if (state === COLON && c === 58) this.state = VALUE;
      else unexpected(this, s, i - 1);
    }
    if (this.buffer !== "" && this.state === STRING && !this.holdsText) this.flush();
    return i;
  }

  /** Reads the first unit of a value. */
  value(s: string, c: number, i: number): void {
    if (c === QUOTE) this.beginString(i);
    else if (c === 123 || c === 91) this.push(c === 91, i);
    else if (c === 45 || (c >= 48 && c <= 57)) beginNumber(this, c, i);
    else if (c === 93 && this.state === FIRST) this.pop(i + 1);
    else {
      const word = c === 116 ? 0 : c === 102 ? 1 : c === 110 ? 2 : -1;
      if (word < 0) unexpected(this, s, i);
      beginLiteral(this, word, i);
    }
  }

  newLine(after: number): void {
    this.lines += 1;
    this.lineStart = this.base + after + this.extra;
  }

  fail(kind: string, i: number, wanted: string, offset = this.base + i + this.extra): never {
    // Everything before the first bad byte is reported.
    if (this.buffer !== "" && this.state === STRING && !this.holdsText) this.flush();
    throw new Fault(kind, offset, `expected ${wanted}`, i);
  }

  // Values.

  /** Returns the pattern node of the value that begins. */
  enter(): PatternNode {
    const { top } = this;
    if (top === undefined) return this.entry;
    if (top.isArray) {
      top.index++;
      return top.isLive ? top.node.element(top.index) : this.automaton.nowhere;
    }
    return top.isLive ? top.node.member(top.key) : this.automaton.nowhere;
  }

  /** Returns the path of the value that begins, or of the open leaf. */
  path(): string {
    const { depth, stack } = this;
    if (depth === 0) return `${this.outer}$`;
    let at = depth - 1;
    while (at > 0 && stack[at]!.path === "") at--;
    let path = at === 0 ? this.outer : stack[at]!.path;
    for (; at < depth; at++) {
      const frame = stack[at]!;
      frame.path = path;
      path = append(path, frame.isArray ? frame.index : frame.key);
    }
    return path;
  }

  /** Reports a value that begins to the patterns that select it. */
  begin(type: ValueType, node: PatternNode, offset: number): Match[] {
    const { selected } = node;
    if (selected.length === 0) return NO_MATCHES;
    const { output, raw } = this;
    const path = this.path();
    const matches: Match[] = [];
    for (const pattern of selected) {
      const id = output.nextMatch++;
      const isRaw = raw !== undefined && this.automaton.patterns[pattern]!.isRaw;
      const match = { id, pattern, path, type, offset, isRaw };
      matches.push(match);
      const event = matchEvent("begin", match, offset);
      event.type = type;
      output.events.push(event);
    }
    if (raw !== undefined) raw.begin(matches, output);
    return matches;
  }

  end(matches: readonly Match[], offset: number, value: Json | undefined, raw: string | undefined, type = matches[0]!.type): void {
    if (this.raw !== undefined) this.raw.end(matches, offset, this.output);
    const { events } = this.output;
    for (const match of matches) {
      const event = matchEvent("end", match, offset);
      event.type = type;
      event.value = value;
      if (raw !== undefined) event.raw = raw;
      events.push(event);
    }
  }

  push(isArray: boolean, i: number): void {
    const offset = this.base + i + this.extra;
    if (this.depth >= this.limits.depth) this.fail("depth-limit", i, `at most ${this.limits.depth} open containers (\`limits.depth\`)`);
    const node = this.enter();
    const matches = node.selected.length === 0 ? NO_MATCHES : this.begin(isArray ? "array" : "object", node, offset);
    let frame = this.stack[this.depth];
    if (frame === undefined) frame = this.stack[this.depth] = new Frame(isArray, node);
    frame.isArray = isArray;
    frame.index = -1;
    frame.key = frame.path = "";
    frame.node = node;
    frame.isLive = isArray ? node.entersArray : node.entersObject;
    frame.matches = matches;
    frame.start = i + this.keptShift;
    if (this.tree !== undefined) this.tree.beginContainer(this, frame);
    if (this.rejectsDuplicates && !isArray) frame.keys = new Set();
    this.depth++;
    this.top = frame;
    this.state = isArray ? FIRST : FIRST_KEY;
  }

  /** Ends the innermost container, whose bracket is before this unit. */
  pop(i: number): void {
    const frame = this.top!;
    this.depth--;
    if (frame.matches.length > 0) {
      const ended = this.keepsValues && !this.isFrozen ? this.output.keeping!.ended(this, frame, i + this.keptShift) : undefined;
      this.end(frame.matches, this.base + i + this.extra, ended?.value, ended?.raw);
      frame.matches = NO_MATCHES;
    }
    if (this.tree !== undefined) {
      this.tree.endContainer(frame);
      frame.box = undefined;
    }
    if (this.depth === 0) {
      this.top = undefined;
      this.state = DONE;
    } else {
      this.top = this.stack[this.depth - 1];
      this.state = AFTER;
    }
  }

  // Strings and keys.

  beginKey(i: number): void {
    const { tree } = this;
    this.state = KEY_STRING;
    this.buffer = "";
    this.isWanted = tree !== undefined || this.top!.isLive || this.rejectsDuplicates;
    this.limit = this.base + i + this.extra + 1 + this.limits.key;
  }

  beginString(i: number): void {
    const offset = this.base + i + this.extra;
    const node = this.enter();
    this.node = node;
    this.open = node.selected.length === 0 ? NO_MATCHES : this.begin("string", node, offset);
    this.leafStart = i + this.keptShift;
    this.state = STRING;
    this.text = "";
    this.isWanted = this.open.length > 0;
    this.isTextKept = this.isWanted && this.keepsValues;
    if (this.tree !== undefined) {
      this.isWanted = this.isTextKept = true;
      this.tree.putString(this, "");
    }
    if (node.through.length > 0) this.beginInside(node);
    this.limit = offset + 1 + this.limits.string;
  }

  add(text: string, offset: number): void {
    if (this.buffer === "") {
      this.bufferStart = offset;
      this.buffer = text;
    } else {
      this.buffer += text;
    }
  }

  endEscape(character: string): void {
    this.escape = NO_ESCAPE;
    this.high = 0;
    if (this.isWanted) this.add(character, this.escapeStart);
  }

  endKey(i: number): void {
    const frame = this.top!;
    if (this.isWanted) {
      const { buffer } = this;
      this.buffer = "";
      if (frame.keys !== undefined) {
        if (frame.keys.has(buffer)) this.fail("duplicate-key", i, "each key once in an object");
        frame.keys.add(buffer);
      }
      frame.key = buffer;
    }
    this.state = COLON;
  }

  /** Flushes the text that a translator has held back. */
  flushHeld(): void {
    this.holdsText = false;
    if (this.buffer !== "" && this.state === STRING) this.flush();
    this.held = undefined;
  }

  /** Reports what the chunk has added to the open string. */
  flush(): void {
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

  endString(i: number): void {
    if (this.buffer !== "") this.flush();
    this.held = undefined;
    this.state = this.depth === 0 ? DONE : AFTER;
    if (this.inner !== undefined) this.endInside();
    const { open } = this;
    if (open.length > 0) {
      const isKnown = this.keepsValues && !this.isFrozen;
      const raw = isKnown && this.options.spelling ? this.kept!.slice(this.leafStart, i + this.keptShift) : undefined;
      this.end(open, this.base + i + this.extra, isKnown ? this.text : undefined, raw);
      this.open = NO_MATCHES;
    }
    this.text = "";
  }

  // Texts inside strings.

  beginInside(node: PatternNode): void {
    const { innerLimits } = this;
    this.inner = this.newInner(append(this.path(), INSIDE), node.inside());
    this.inner.limits = this.inner.innerLimits = innerLimits;
    this.inner.isFrozen = this.isFrozen;
    this.isWanted = true;
  }

  /** Creates the engine of the text inside a string. */
  newInner(path: string, entry: PatternNode): Engine {
    const { automaton, options, output } = this;
    return new Engine(automaton, { ...options, retain: options.retain === "nothing" ? "nothing" : "matches" }, output, path, entry);
  }

  /** Reads on in the text inside the open string. */
  readInside(text: string): void {
    const { inner } = this;
    if (inner!.state === CLOSED) return;
    const raw = inner!.raw;
    if (raw !== undefined) raw.beginPiece(text, inner!.base);
    try {
      const room = inner!.limits.total - inner!.base;
      const end = within(text, room);
      inner!.feed(end === text.length ? text : text.slice(0, end));
      if (end < text.length) exceedTotal(inner!, text, end);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      inner!.keepTo(thrown.at);
      if (raw !== undefined) raw.endPiece(this.output, thrown.offset);
      this.failInside(thrown);
    }
    if (raw !== undefined) raw.endPiece(this.output);
  }

  /** Ends the text inside the open string. */
  endInside(): void {
    const { inner } = this;
    if (inner!.state !== CLOSED) {
      try {
        inner!.finish();
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown;
        this.failInside(thrown);
      }
    }
    this.inner = undefined;
  }

  /** Reports the error of the text inside the open string, of which nothing more is read. */
  failInside(fault: Fault): void {
    const inner = this.inner!;
    const error = errorOf(fault, inner, knownPath(inner, fault.kind));
    const path = this.path();
    for (const pattern of this.node.through) {
      const event = matchEvent("inner-error", { id: this.output.nextMatch++, pattern, path }, fault.offset);
      event.error = error;
      this.output.events.push(event);
    }
    inner.state = CLOSED;
    inner.inner = undefined;
  }
}

/** Copies an engine. The copy reports to `output`. */
export function cloneEngine(engine: Engine, output: Output): Engine {
  const { automaton, options, outer, entry, inner, stack, depth } = engine;
  const clone = Object.assign(new Engine(automaton, options, output, outer, entry), engine, { output });
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
