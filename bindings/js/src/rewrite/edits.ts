// The output, and the state between two chunks: text that may be removed, text that is held back, text that is left out.
//
// All places are numbers of units in the input, also those of values inside strings. So one place, `#passed`, divides the text
// that was passed on or left out from the text that is held back. Bytes are counted only where a limit may be exceeded, and
// for errors.

import type { Match } from "../core/frame.js";
import { LONE, utf8Length } from "../core/utf8.js";
import { RewriteError } from "./error.js";
import { checked, type Rule } from "./rule.js";

// Open containers, if there are rules that remove.

/** Nothing inside can be selected. */
const DEAD = 0;
/** No member or element of it was passed on. */
const EMPTY = 1;
const HAS_MEMBER = 2;

const NOWHERE = -1;

/** A value that is left out, or the rest of a string whose text has failed. */
interface OpenRule {
  /** Nothing for the rest of a string. */
  readonly matches: readonly Match[] | undefined;
  readonly rule: Rule | undefined;
  /** The number of strings it is in. */
  readonly level: number;
  /** The text so far of a value that a function waits for, and its bytes. */
  text: string;
  bytes: number;
}

export class Edits {
  readonly #rules: readonly Rule[];
  readonly #heldLimit: number;
  /** True if there are rules that remove: only then is anything held back in the document itself. */
  readonly removes: boolean;
  /** True if there are rules that redact: then a string ends where the text in it turns out not to be JSON. */
  readonly redacts: boolean;

  /** The output of this call. */
  out = "";
  #passed = 0;
  /** The text that was held back, up to the chunk: apart, since each look at text that was added to copies all of it. */
  #held = "";
  #chunk = "";
  /** The place of the chunk, and its offset. */
  #chunkAt = 0;
  #chunkOffset = 0;
  /** The place of the comma, or after the bracket, from which on the text may be removed with the value that comes next. */
  #undecided = NOWHERE;
  /** How far the bytes from there have been counted. */
  #countedFrom = NOWHERE;
  #countedTo = 0;
  #count = 0;
  #containers: number[] = [];
  #open: OpenRule | undefined;

  constructor(rules: readonly Rule[], heldLimit: number) {
    this.#rules = rules;
    this.#heldLimit = heldLimit;
    this.removes = rules.some(({ kind }) => kind === "remove");
    this.redacts = rules.some(({ kind }) => kind === "redact");
  }

  reset(): void {
    this.#passed = 0;
    this.#held = "";
    this.#undecided = this.#countedFrom = NOWHERE;
    this.#containers = [];
    this.#open = undefined;
  }

  // Chunks.

  beginChunk(chunk: string, offset: number): void {
    this.#chunkAt = this.#passed + this.#held.length;
    this.#chunk = chunk;
    this.#chunkOffset = offset;
  }

  /** Ends a chunk that was read up to a place. An escape may be cut, so `decided` may be less. */
  endChunk(to: number, decided: number): void {
    this.#checkHeld(decided);
    if (!this.isOpen && this.isUndecided) this.#pass(Math.min(this.#undecided, decided));
    else this.#advance(decided, !this.isOpen);
    const rest = this.#chunk.slice(Math.max(0, this.#passed - this.#chunkAt), to - this.#chunkAt);
    this.#held = this.#passed < this.#chunkAt ? this.#held.slice(this.#passed - this.#chunkAt) + rest : rest;
  }

  /** Ends a text that has failed at an offset, which may be inside the character at this place. */
  failAt(offset: number, to: number, decided: number): void {
    const more = offset - this.#offsetOf(to);
    const undecided = this.isUndecided ? this.#bytesIn(this.#undecided, to) : -Infinity;
    this.endChunk(to, decided);
    const held = this.#open?.rule?.kind === "map" ? this.#open.bytes : undecided;
    if (decided === to && more > 0 && held + more > this.#heldLimit) this.#exceed(offset - held - more);
  }

  /** Lets the text through up to a place. */
  #pass(to: number): void {
    this.#advance(to, true);
  }

  /** Lets the text through up to a place, or leaves it out, or keeps it for the function that waits for it. */
  #advance(to: number, passes: boolean): void {
    if (to <= this.#passed) return;
    const open = this.#open;
    if (passes) this.out += this.#slice(this.#passed, to);
    else if (open?.rule?.kind === "map") {
      open.bytes += this.#bytesIn(this.#passed, to);
      if (open.bytes > this.#heldLimit) this.#exceed(this.#offsetOf(to) - open.bytes);
      open.text += this.#slice(this.#passed, to);
    }
    this.#passed = to;
  }

  #slice(from: number, to: number): string {
    const at = this.#chunkAt;
    const text = this.#chunk.slice(Math.max(0, from - at), Math.max(0, to - at));
    return from < at ? this.#held.slice(from - at, to < at ? to - at : undefined) + text : text;
  }

  #bytesIn(from: number, to: number): number {
    return utf8Length(this.#slice(from, to));
  }

  #offsetOf(place: number): number {
    const at = this.#chunkAt;
    return this.#chunkOffset + (place < at ? -this.#bytesIn(place, at) : this.#bytesIn(at, place));
  }

  /** Fails if the undecided text up to a place is longer than the limit. */
  #checkHeld(to: number): void {
    const from = this.#undecided;
    if (from === NOWHERE || (to - from) * 3 <= this.#heldLimit) return;
    if (this.#countedFrom !== from) {
      this.#countedFrom = this.#countedTo = from;
      this.#count = 0;
    }
    if (to > this.#countedTo) {
      this.#count += this.#bytesIn(this.#countedTo, to);
      this.#countedTo = to;
    }
    if (this.#count <= this.#heldLimit) return;
    this.#pass(from);
    this.#exceed(this.#offsetOf(from));
  }

  #exceed(from: number): never {
    this.#fail("held-limit", "expected to hold back no more bytes than allowed,", from + this.#heldLimit);
  }

  #fail(kind: string, expected: string, offset: number): never {
    throw new RewriteError(kind, `${kind.replace("-", " ")}: ${expected} at byte ${offset}`, { offset, path: null }, this.out);
  }

  /** Writes text that is inside `level` strings. */
  #write(text: string, level: number): void {
    let escaped = text;
    for (let left = level; left > 0; left--) escaped = JSON.stringify(escaped).slice(1, -1);
    this.out += escaped;
  }

  /** Writes the result of a function for the value at an offset. */
  #writeChecked(given: unknown, level: number, offset: () => number): void {
    const json = checked(given);
    if (json === undefined) this.#fail("bad-replacement", "expected JSON in place of the value", offset());
    this.#write(json, level);
  }

  #writeMapped({ rule, level }: OpenRule, piece: string | undefined): void {
    const text = rule!.call(piece as never);
    if (typeof text !== "string") throw new TypeError("the function of Rule.mapText has to return a string");
    this.#write(text.replace(LONE, "\ufffd"), level + 1);
  }

  // Values.

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  get isUndecided(): boolean {
    return this.#undecided !== NOWHERE;
  }

  /** Begins a value that a pattern selects. The rule of the first pattern applies. */
  begin(matches: readonly Match[], at: number, level: number): void {
    const { pattern, type } = matches[0]!;
    const rule = this.#rules[pattern]!;
    if (this.#open !== undefined) return;
    if (rule.kind === "map-text" && type !== "string") return this.decided(at);
    this.#checkHeld(at);
    if (rule.kind === "remove") this.#pass(this.#undecided === NOWHERE ? at : this.#undecided);
    else {
      this.#letThrough();
      this.#pass(at);
    }
    this.#undecided = NOWHERE;
    this.#open = { matches, rule, level, text: "", bytes: 0 };
    if (rule.kind === "map-text") this.#write('"', level);
    else this.#write(rule.json, level);
  }

  /** Passes text of a string to its function. */
  text(matches: readonly Match[], piece: string): void {
    const open = this.#open;
    if (open?.matches === matches && open.rule!.kind === "map-text") this.#writeMapped(open, piece);
  }

  end(matches: readonly Match[], to: number): void {
    const open = this.#open;
    if (open?.matches !== matches) return;
    this.#advance(to, false);
    this.#open = undefined;
    const { rule, level } = open;
    if (rule!.kind === "map-text") {
      this.#writeMapped(open, undefined);
      this.#write('"', level);
    } else if (rule!.kind === "map") {
      let { text } = open;
      for (let left = level; left > 0; left--) text = JSON.parse(`"${text}"`) as string;
      this.#writeChecked(rule!.call(text as never), level, () => this.#offsetOf(to) - open.bytes);
    }
  }

  /** Decides that the next value stays in its container. */
  #letThrough(): void {
    if (this.#undecided === NOWHERE) return;
    this.#undecided = NOWHERE;
    this.#containers[this.#containers.length - 1] = HAS_MEMBER;
  }

  // Places of members and elements.

  /** Decides that the value that comes next, or begins here, is not selected. */
  decided(at: number): void {
    if (this.#undecided === NOWHERE || this.#open !== undefined) return;
    this.#checkHeld(at);
    this.#letThrough();
  }

  /** Opens a container. `isLive` is true if a pattern may select something inside. */
  opened(after: number, isLive: boolean): void {
    if (this.#open !== undefined) return;
    this.#containers.push(isLive ? EMPTY : DEAD);
    this.#undecided = isLive ? after : NOWHERE;
  }

  /** Reads the comma after a member or element. */
  comma(at: number, after: number): void {
    if (this.#open !== undefined) return;
    const container = this.#containers[this.#containers.length - 1];
    if (container === HAS_MEMBER) this.#undecided = at;
    else if (container === EMPTY) {
      // All before it have been removed.
      this.#pass(at);
      this.#advance(after, false);
      this.#undecided = after;
    }
  }

  /** Closes a container, before its end is reported. */
  closed(after: number): void {
    if (this.#open !== undefined) return;
    this.#checkHeld(after);
    this.#containers.pop();
    this.#undecided = NOWHERE;
  }

  // Texts inside strings.

  /** Returns the number of open containers. */
  get depth(): number {
    return this.#containers.length;
  }

  /** Ends the text of a level, which has failed at this place and has begun inside `depth` containers. */
  failedInside(level: number, at: number, depth: number, mayBeJson: boolean): void {
    this.#containers.length = depth;
    const open = this.#open;
    if (open === undefined) {
      this.#checkHeld(at);
      this.#undecided = NOWHERE;
      // The rest has to be searched if it may be JSON.
      if (!this.redacts && !mayBeJson) return;
      this.#pass(at);
    } else if (open.level < level) return;
    // The text that a function waits for ends here, for all cuts.
    else this.#advance(at, false);
    // The end of a value in it is not reported: all is left out up to the string's end.
    this.#open = { matches: undefined, rule: undefined, level, text: "", bytes: 0 };
  }

  /** Ends the string of a level's text at this quote. */
  left(level: number, quote: number): void {
    const open = this.#open;
    if (open === undefined || open.matches !== undefined || open.level !== level) return;
    this.#advance(quote, false);
    this.#open = undefined;
  }
}
