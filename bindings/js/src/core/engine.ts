// The engine: one JSON text, in chunks that may be cut anywhere. It checks the grammar and the limits, follows the patterns, and
// decodes the strings that they select, which is all that `deltas` needs. `reporting.ts` extends it with events, values and
// snapshots, and `rewrite/` with places; a translator of nearly-JSON drives it from outside.
//
// If you work here, this is the one idea to know: *nothing looks ahead of the chunk*. Everything that can span an edge is a state,
// and {@link Engine.run} reads on in it. The chunk's own string is read, unit by unit where grammar is checked and
// in runs inside strings; nothing is copied or encoded. Offsets count bytes: a unit at `i` of the text that is read is
// `base + i + extra`, where `extra` is what its characters beyond ASCII have had in bytes beyond their units.
//
// Errors are thrown as {@link Fault}s, which cost no stack trace, as a translator may catch many. The caller of `feed` makes an
// error of one that remains.

import { beginLiteral, beginNumber, readLiteral, readNumber } from "./atoms.js";
import { NOWHERE, type Automaton, type PatternNode } from "./patterns/automaton.js";
import type { ValueType } from "./events.js";
import { Fault, unexpected, wanted } from "./text-error.js";
import { Frame, clearFrame, NO_MATCHES, SELECTED, type Match } from "./frame.js";
import type { Kept } from "./keeping.js";
import { countBlank, exceedTotal } from "./limits.js";
import type { Limits } from "./options.js";
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
import { QUOTE } from "./units.js";
import { within } from "./utf8.js";

/** The texts that were decoded in the strings that a pattern selects. */
export interface TextOutput {
  texts: string[];
}

export interface EngineOptions {
  readonly limits: Required<Limits>;
  readonly rejectsDuplicates: boolean;
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

export class Engine {
  /** The values that are reported as they come, and the text that is kept, by engines that extend this one. */
  raw: RawDeltas | undefined = undefined;
  kept: Kept | undefined = undefined;

  /** The token that the next unit is part of: it decides which of the fields below have a meaning. */
  state!: number;
  /** The limits in force. They differ while a saved state is read. */
  limits: Required<Limits>;
  /** The limits of texts that begin inside strings. */
  innerLimits: Required<Limits>;

  // The open containers: the first `depth` frames, of which `top` is the last. Others are spare.
  stack: Frame[] = [];
  depth!: number;
  top: Frame | undefined;

  // The open leaf (`STRING`, `NUMBER`, `LITERAL`), or the last one.
  node!: PatternNode;
  open!: Match[];
  /** True if the decoded text of the open string or key, or the text of the open number, is used. */
  isWanted!: boolean;
  /** The text inside the open string, if that is read. */
  inner: Engine | undefined;

  // The open string or key (`STRING`, `KEY_STRING`).
  /** Decoded text of it that has not been reported, and where it begins. */
  buffer!: string;
  bufferStart = 0;
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

  // The text that is read: the offset of its first unit, and what its characters so far have in bytes beyond their units.
  readonly chunk: ChunkForm = { wasBytes: false, mayBeCut: false, unread: 0, strayBytes: undefined };
  base!: number;
  extra!: number;
  /** The line feeds so far, and the offset after the last one. */
  lines!: number;
  lineStart!: number;
  /** True if bytes after the root are left unread. */
  stopsAtRoot = false;

  constructor(
    readonly automaton: Automaton,
    readonly options: EngineOptions,
    readonly output: TextOutput | object,
    readonly entry: PatternNode = automaton.root,
  ) {
    this.limits = this.innerLimits = options.limits;
    this.clear();
  }

  /** Sets the fields of a text of which nothing was read. */
  clear(): void {
    this.state = VALUE;
    this.depth = 0;
    this.top = this.inner = undefined;
    this.node = NOWHERE;
    this.open = NO_MATCHES;
    this.buffer = this.token = "";
    this.escape = NO_ESCAPE;
    this.high = this.base = this.extra = this.lines = this.lineStart = this.blankStart = this.blankEnd = 0;
    this.isWanted = false;
  }

  /** Begins a new text, keeping what was allocated. */
  reset(): void {
    for (const frame of this.stack) clearFrame(frame);
    this.clear();
    this.chunk.strayBytes = undefined;
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
    const end = this.run(text, 0);
    this.base += end + this.extra;
    this.extra = 0;
    return end;
  }

  /** Ends the input, and with it a number at the root. */
  finish(): void {
    if (this.state === NUMBER && this.depth === 0 && mayEnd(this.part)) this.endAtom(0, this.token);
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
    if (this.buffer !== "" && this.state === STRING) this.pause();
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
    if (this.buffer !== "" && this.state === STRING) this.pause();
    throw new Fault(kind, offset, `expected ${wanted}`, i);
  }

  // Values.

  /** Returns the pattern node of the value that begins. */
  enter(): PatternNode {
    const { top } = this;
    if (top === undefined) return this.entry;
    if (top.isArray) {
      top.index++;
      return top.isLive ? top.node.element(top.index) : NOWHERE;
    }
    return top.isLive ? top.node.member(top.key) : NOWHERE;
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
    if (this.options.rejectsDuplicates && !isArray) frame.keys = new Set();
    this.beginContainer(frame, i);
    this.depth++;
    this.top = frame;
    this.state = isArray ? FIRST : FIRST_KEY;
  }

  /** Ends the innermost container, whose bracket is before this unit. */
  pop(i: number): void {
    const frame = this.top!;
    this.depth--;
    if (frame.matches.length > 0) {
      this.end(frame.matches, i, frame);
      frame.matches = NO_MATCHES;
    }
    if (this.depth === 0) {
      this.top = undefined;
      this.state = DONE;
    } else {
      this.top = this.stack[this.depth - 1];
      this.state = AFTER;
    }
  }

  beginAtom(type: ValueType, i: number): void {
    const node = this.enter();
    this.node = node;
    this.open = node.selected.length === 0 ? NO_MATCHES : this.begin(type, node, this.base + i + this.extra);
    this.isWanted = false;
  }

  /** Ends a number or a literal before this unit. */
  endAtom(i: number, token: string): void {
    this.state = this.depth === 0 ? DONE : AFTER;
    if (this.open.length === 0) return;
    this.end(this.open, i, undefined, token);
    this.open = NO_MATCHES;
  }

  // Strings and keys.

  beginKey(i: number): void {
    this.state = KEY_STRING;
    this.buffer = "";
    this.isWanted = this.top!.isLive || this.options.rejectsDuplicates;
    this.limit = this.base + i + this.extra + 1 + this.limits.key;
  }

  beginString(i: number): void {
    const offset = this.base + i + this.extra;
    const node = this.enter();
    this.node = node;
    this.open = node.selected.length === 0 ? NO_MATCHES : this.begin("string", node, offset);
    this.state = STRING;
    this.isWanted = this.open.length > 0;
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

  endString(i: number): void {
    if (this.buffer !== "") this.flush();
    this.state = this.depth === 0 ? DONE : AFTER;
    if (this.inner !== undefined) this.endInside();
    if (this.open.length === 0) return;
    this.end(this.open, i);
    this.open = NO_MATCHES;
  }

  // Engines that report more than text extend these methods.

  /** Begins a value that patterns select. */
  begin(_type: ValueType, _node: PatternNode, _offset: number): Match[] {
    return SELECTED;
  }

  /** Ends such a value before this unit: a container, an atom, or a string. */
  end(_matches: readonly Match[], _i: number, _frame?: Frame, _token?: string): void {}

  /** Begins a container with the bracket at this unit. */
  beginContainer(_frame: Frame, _i: number): void {}

  /** Reports what was decoded of the open string. */
  flush(): void {
    const text = this.buffer;
    this.buffer = "";
    if (this.open.length > 0) (this.output as TextOutput).texts.push(text);
    if (this.inner !== undefined) this.readInside(text);
  }

  /** Reports the same where the text that is read ends. */
  pause(): void {
    this.flush();
  }

  /** Keeps the text that was read last, up to this unit. */
  keepTo(_end: number): void {}

  /** Returns the path of an error, if it is known. */
  errorPath(_fault: Fault): string | null {
    return null;
  }

  /** Returns a guess at what a text is that is not JSON, for its error. */
  guess(_first: number): string {
    return "";
  }

  // Texts inside strings.

  beginInside(node: PatternNode): void {
    this.inner = this.newInner(node.inside());
    this.inner.limits = this.inner.innerLimits = this.innerLimits;
    this.isWanted = true;
  }

  /** Creates the engine of the text inside a string. */
  newInner(entry: PatternNode): Engine {
    return new Engine(this.automaton, this.options, this.output, entry);
  }

  /** Reads on in the text inside the open string, or without a piece its end. */
  readInside(piece?: string): void {
    const inner = this.inner!;
    if (inner.state === CLOSED) return;
    try {
      if (piece === undefined) inner.finish();
      else inner.readPiece(piece);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      inner.keepTo(thrown.at);
      this.failInside(thrown);
    }
  }

  /** Reads a piece of a text inside a string, up to the limit on the total. */
  readPiece(text: string): void {
    const end = within(text, this.limits.total - this.base);
    this.feed(end === text.length ? text : text.slice(0, end));
    if (end < text.length) exceedTotal(this, text, end);
  }

  /** Ends the text inside the open string. */
  endInside(): void {
    this.readInside();
    this.inner = undefined;
  }

  /** Closes the text inside the open string, which has failed. */
  failInside(_fault: Fault): void {
    this.inner!.state = CLOSED;
    this.inner!.inner = undefined;
  }
}
