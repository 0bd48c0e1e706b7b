// JSON texts, each one event: one per line, one spread over several lines, or the elements of an array.
//
// A text that begins with a bracket is followed to the bracket that closes it, by counting; whether it is JSON, the library
// says. Any other line is noise and becomes a frame of its own. If what follows can't be part of the same text, its lines
// become frames, and reading goes on with the line that can't.
//
// An array whose first element is an object is a list of events. Each is passed on as soon as it closes, not when the
// array does.

import type { OnFrame } from "./framing.js";

type Reading = "between" | "value" | "line" | "element";

export type TextsState = [
  [reading: Reading, held: string, isInList: boolean, isTooLong: boolean],
  [depth: number, last: number, lineAt: number],
  [isInString: boolean, isEscaped: boolean, hasLineBegun: boolean, mayBeList: boolean],
];

export function isBlank(unit: string): boolean {
  return " \n\r\t\f".includes(unit);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

export class Texts {
  readonly #limit: number;
  readonly #onFrame: OnFrame;
  #isInList: boolean;
  #reading!: Reading;
  #held!: string;
  #isTooLong!: boolean;
  /** Of the value: how many brackets are open, and what the last unit was that is not white space. */
  #depth!: number;
  #last!: number;
  #isInString!: boolean;
  #isEscaped!: boolean;
  /** Where in `#held` its last line begins, and whether that line has anything so far. */
  #lineAt!: number;
  #hasLineBegun!: boolean;
  /** True if it is only `[` and white space so far. */
  #mayBeList!: boolean;

  constructor(limit: number, onFrame: OnFrame, isInList: boolean) {
    this.#limit = limit;
    this.#onFrame = onFrame;
    this.#isInList = isInList;
    this.#clear();
  }

  /** How far the text has come, to be saved and restored. */
  get state(): TextsState {
    return [
      [this.#reading, this.#held, this.#isInList, this.#isTooLong],
      [this.#depth, this.#last, this.#lineAt],
      [this.#isInString, this.#isEscaped, this.#hasLineBegun, this.#mayBeList],
    ];
  }

  set state(state: TextsState) {
    [
      [this.#reading, this.#held, this.#isInList, this.#isTooLong],
      [this.#depth, this.#last, this.#lineAt],
      [this.#isInString, this.#isEscaped, this.#hasLineBegun, this.#mayBeList],
    ] = state;
  }

  feed(text: string): void {
    let at = 0;
    while (at < text.length) {
      switch (this.#reading) {
        case "between":
          at = this.#begin(text, at);
          break;
        case "value":
          at = this.#readValue(text, at);
          break;
        default:
          at = this.#readLine(text, at);
      }
    }
  }

  /** Ends the input. What is still open was cut off. */
  finish(): void {
    if (this.#reading === "value" && this.#depth > 0) {
      this.#lineAt = this.#held.length;
      // A single line that was cut off is treated like any line that is not JSON.
      this.#tellLines(this.#isInList || this.#held.includes("\n"));
      this.#clear();
    } else if (this.#reading !== "between") {
      this.#end(this.#reading === "element");
    } else if (this.#isInList) {
      this.#onFrame("unreadable", "[");
    }
    this.#isInList = false;
  }

  #begin(text: string, at: number): number {
    const unit = text[at]!;
    if (isBlank(unit) || (this.#isInList && unit === ",")) return at + 1;
    if (this.#isInList && unit === "]") {
      this.#isInList = false;
      return at + 1;
    }
    const opens = unit === "{" || unit === "[";
    this.#reading = opens ? "value" : this.#isInList ? "element" : "line";
    this.#mayBeList = unit === "[" && !this.#isInList;
    return at;
  }

  /** Reads the value as far as it goes in this text. */
  #readValue(text: string, from: number): number {
    let at = from;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (unit === BACKSLASH) this.#isEscaped = true;
        else if (unit === QUOTE) this.#isInString = false;
        // No string has one, so the text is broken off here.
        if (unit === LINE_FEED) return this.#takeApart(text, from, at);
        this.#hasLineBegun = true;
        continue;
      }
      if (unit === LINE_FEED) {
        if (this.#depth === 0 && this.#last !== 0) {
          this.#hold(text.slice(from, at));
          this.#end();
          return at + 1;
        }
        this.#lineAt = this.#held.length + at + 1 - from;
        this.#hasLineBegun = false;
        continue;
      }
      if (unit === 0x20 || unit === 0x09 || unit === 0x0d) continue;
      if (this.#depth === 0 && this.#last !== 0) {
        // Behind a whole value its line has to end.
        return this.#takeApart(text, from, at);
      }
      const opens = unit === 0x7b || unit === 0x5b;
      if (this.#mayBeList && this.#last !== 0) {
        this.#mayBeList = false;
        if (unit === 0x7b) {
          this.#clear();
          this.#isInList = true;
          return at;
        }
      }
      if ((opens || unit === QUOTE) && !mayPrecede(this.#last)) return this.#takeApart(text, from, at);
      if (opens) this.#depth += 1;
      else if (unit === 0x7d || unit === 0x5d) this.#depth -= 1;
      else if (unit === QUOTE) this.#isInString = true;
      this.#last = unit;
      this.#hasLineBegun = true;
      if (this.#depth === 0 && this.#isInList) {
        this.#hold(text.slice(from, at + 1));
        this.#end();
        return at + 1;
      }
    }
    this.#hold(text.slice(from));
    return at;
  }

  /** Gives up a value that can't go on with what is at `at`. A new one may begin there, if a line does. */
  #takeApart(text: string, from: number, at: number): number {
    const wasTooLong = this.#isTooLong;
    const startsLine = this.#lineAt > 0 && !this.#hasLineBegun;
    this.#hold(text.slice(from, at));
    // It may have been an event that carried part of a call's arguments.
    const line = this.#held.slice(this.#lineAt);
    this.#tellLines(true);
    this.#clear();
    if (!startsLine) {
      this.#reading = "line";
      this.#held = line;
      this.#isTooLong = wasTooLong;
    }
    return at;
  }

  /** Passes on the lines before the last one. */
  #tellLines(isEvent: boolean): void {
    if (this.#isTooLong) return;
    let isUnreadable = isEvent;
    for (const line of this.#held.slice(0, this.#lineAt).split("\n")) {
      const text = trimmed(line);
      if (text === "") continue;
      this.#onFrame(isUnreadable ? "unreadable" : "text", text);
      isUnreadable = false;
    }
  }

  /** A line that is no JSON text, or an element of a list that has no brackets. */
  #readLine(text: string, from: number): number {
    let end = text.indexOf("\n", from);
    if (this.#reading === "element") {
      const rest = text.slice(from, end < 0 ? undefined : end);
      const found = rest.search(/[,\]]/);
      if (found >= 0) end = from + found;
    }
    this.#hold(text.slice(from, end < 0 ? undefined : end));
    if (end < 0) return text.length;
    this.#end();
    return end;
  }

  #hold(piece: string): void {
    if (this.#isTooLong) return;
    this.#held += piece;
    if (this.#held.length > this.#limit) {
      this.#isTooLong = true;
      this.#held = "";
      this.#lineAt = 0;
      this.#onFrame("too-long", "");
    }
  }

  #end(isCut = false): void {
    const text = trimmed(this.#held);
    // Unlike a line of noise, a bad element may have been an event.
    const isUnreadable = isCut || (this.#reading === "element" && !isJson(text));
    if (!this.#isTooLong) this.#onFrame(isUnreadable ? "unreadable" : "text", text);
    this.#clear();
  }

  #clear(): void {
    this.#reading = "between";
    this.#held = "";
    this.#isTooLong = false;
    this.#depth = 0;
    this.#last = 0;
    this.#isInString = false;
    this.#isEscaped = false;
    this.#lineAt = 0;
    this.#hasLineBegun = false;
    this.#mayBeList = false;
  }
}

/** Without the white space around it. `trim` would take a byte order mark, too. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start]!)) start += 1;
  while (end > start && isBlank(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns true if a string, an object or an array may follow this. */
function mayPrecede(unit: number): boolean {
  return unit === 0 || unit === 0x2c || unit === 0x3a || unit === 0x7b || unit === 0x5b;
}
