// From the body of a provider's response to the JSON texts of its events, at any cut.
//
// There are three framings, told apart by the first bytes after any white space: JSON texts begin with a bracket
// (`texts.ts`), Amazon's event stream with two lengths and their checksum (`amazon.ts`), and all else is read as
// server-sent events. Lines before that are neither, a program's notices or saved headers, are held until one shows which
// it is. The crate `jsonspigot-framing` does the same in `detection.rs`.

import { isWellFormed } from "./instance.js";
import { isPrelude, Messages, PRELUDE } from "./amazon.js";
import { isBlank, Texts } from "./texts.js";
import { cutLength, lossy, strict } from "./utf8.js";

/**
 * One piece of the input: an event's text, what may have been an event but can't be read, what the framing says is an
 * error, or (`too-long`) an event that was skipped.
 */
export type FrameKind = "text" | "unreadable" | "exception" | "too-long";

export type OnFrame = (kind: FrameKind, text: string) => void;

const BYTE_ORDER_MARK = "\ufeff";

/** The most that is held of lines that don't show what they are. */
const MOST_HELD = 16 << 10;

/** The fields of server-sent events, and what a comment begins with. */
const FIELDS = new Set(["", "data", "event", "id", "retry"]);

/** Half a pair, which no bytes decode to, stands for what is not UTF-8 until its frame ends: the frame can't be read. */
const BAD_BYTES = "\udfff";

export type FramingState = [
  cut: Uint8Array,
  prelude: number[],
  before: string,
  reader: Messages | Texts | ServerSentEvents | undefined,
];

export class Framing {
  readonly #limit: number;
  readonly #onFrame: OnFrame;
  /** The first bytes of a character that the last chunk has cut. */
  #cut: Uint8Array = new Uint8Array(0);
  /** What was read before the framing was known: bytes that may be a prelude, or white space and a bracket. */
  #prelude: number[] = [];
  #before = "";
  /** The beginning of the last line in it, once there is more than white space and a bracket. */
  #line: string | undefined;
  #reader: Messages | Texts | ServerSentEvents | undefined;

  /** Frames of at most about `limit` bytes. */
  constructor(limit: number, onFrame: OnFrame) {
    this.#limit = limit;
    this.#onFrame = onFrame;
  }

  /** How far the bytes have come, to be saved and restored. */
  get state(): FramingState {
    return [this.#cut, this.#prelude, this.#before, this.#reader];
  }

  set state(state: FramingState) {
    [this.#cut, this.#prelude, this.#before, this.#reader] = state;
  }

  /** Goes on with a reader that is known, as a saved state knows it. */
  begin<R extends Messages | Texts>(reader: (limit: number, tell: OnFrame, onFrame: OnFrame) => R): R {
    const begun = reader(this.#limit, this.#tell, this.#onFrame);
    this.#reader = begun;
    return begun;
  }

  feed(input: string | Uint8Array): void {
    const chunk = typeof input === "string" && this.#reader instanceof Messages ? new TextEncoder().encode(input) : input;
    if (typeof chunk === "string") {
      // What bytes have left open ends here.
      if (chunk !== "") this.#endBytes();
      this.#text(chunk);
      return;
    }
    let bytes = chunk;
    if (!this.#reader && this.#before === "" && this.#cut.length === 0) bytes = this.#lookForPrelude(bytes);
    if (this.#reader instanceof Messages) this.#reader.feed(bytes);
    else this.#decode(bytes);
  }

  /** Ends the input. Servers may omit the last blank line, and files the last line feed. */
  finish(): void {
    this.#endBytes();
    // White space and a bracket are no event.
    if (!this.#reader && this.#line !== undefined) {
      this.#reader = new ServerSentEvents(this.#limit, this.#tell);
      this.#reader.feed(this.#before);
    }
    this.#reader?.finish();
  }

  /** Reads what waits for further bytes as what it is without them. */
  #endBytes(): void {
    if (this.#prelude.length > 0) {
      const bytes = Uint8Array.from(this.#prelude);
      this.#prelude = [];
      this.#decode(bytes);
    }
    if (this.#cut.length > 0) {
      this.#cut = new Uint8Array(0);
      this.#text(BAD_BYTES);
    }
  }

  /** Collects what may be a message's prelude; gives the bytes that are to be read. */
  #lookForPrelude(bytes: Uint8Array): Uint8Array {
    const first = this.#prelude[0] ?? bytes[0];
    // Tabs, line ends, spaces, the first byte of a byte order mark and all that is printed begin texts.
    const isText = first === undefined || (first >= 9 && first <= 13 && first !== 11) || first === 0xef || (first >= 0x20 && first < 0x7f);
    if (isText) return bytes;
    const taken = Math.min(PRELUDE - this.#prelude.length, bytes.length);
    this.#prelude.push(...bytes.subarray(0, taken));
    if (this.#prelude.length < PRELUDE) return new Uint8Array(0);
    const prelude = Uint8Array.from(this.#prelude);
    this.#prelude = [];
    if (isPrelude(prelude)) {
      const messages = new Messages(this.#limit, this.#onFrame);
      this.#reader = messages;
      messages.feed(prelude);
    } else {
      this.#decode(prelude);
    }
    return bytes.subarray(taken);
  }

  /** Bytes as text. What is not UTF-8 becomes `BAD_BYTES`. */
  #decode(chunk: Uint8Array): void {
    let bytes = chunk;
    if (this.#cut.length > 0) {
      bytes = new Uint8Array(this.#cut.length + chunk.length);
      bytes.set(this.#cut);
      bytes.set(chunk, this.#cut.length);
    }
    const end = bytes.length - cutLength(bytes);
    this.#cut = bytes.slice(end);
    bytes = bytes.subarray(0, end);
    let text: string;
    try {
      text = strict.decode(bytes);
    } catch {
      this.#decodeLines(bytes);
      return;
    }
    this.#text(text);
  }

  /** Line by line, so that only the event with the bad bytes can't be read. */
  #decodeLines(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(10, at) + 1 || bytes.length;
      const line = bytes.subarray(at, end);
      at = end;
      let text: string;
      try {
        text = strict.decode(line);
      } catch {
        text = decodeBad(line);
      }
      this.#text(text);
    }
  }

  #text(text: string): void {
    let at = 0;
    while (!this.#reader && at < text.length) {
      this.#reader = this.#look(text[at]!);
      if (!this.#reader) at += 1;
    }
    if (this.#reader && at < text.length) (this.#reader as Texts | ServerSentEvents).feed(text.slice(at));
  }

  /** Looks at a unit. Gives its reader, once known, which has read all before it. */
  #look(unit: string): Texts | ServerSentEvents | undefined {
    const before = this.#before;
    const isEnd = unit === "\n" || unit === "\r";
    if (this.#line === undefined) {
      const hasBracket = before.includes("[");
      if (isBlank(unit) || (before === "" && unit === BYTE_ORDER_MARK) || (unit === "[" && !hasBracket)) {
        // Of white space no more is kept than matters, as some servers send it to keep a connection open.
        if (isEnd) this.#before = hasBracket ? "[\n" : "\n";
        else if (!isBlank(unit) || !" \t\f".includes(before.at(-1) ?? "x")) this.#before += unit;
        return undefined;
      }
      if (unit === "{") return new Texts(this.#limit, this.#tell, hasBracket);
    }
    const line = this.#line ?? "";
    if (line === "" && unit === "{") {
      const texts = new Texts(this.#limit, this.#tell, false);
      texts.feed(before.replace(/^[\ufeff \n\r\t\f]*(\[?)[ \n\r\t\f]*/, "$1"));
      return texts;
    }
    // The name alone is an event with empty data.
    const isField = unit === ":" ? FIELDS.has(line) : isEnd && line === "data";
    if (isField || before.length >= MOST_HELD) {
      const events = new ServerSentEvents(this.#limit, this.#tell);
      events.feed(before);
      return events;
    }
    this.#before += unit;
    if (isEnd || (line === "" && isBlank(unit))) this.#line = "";
    // A beginning that is longer than a field's name will never be one.
    else this.#line = line.length > 5 ? line : line + unit;
    return undefined;
  }

  /** A frame that was read from text: unreadable, if it holds half a surrogate pair, in a string or for bad bytes. */
  readonly #tell: OnFrame = (kind, text) => {
    if (isWellFormed(text)) this.#onFrame(kind, text);
    else this.#onFrame(kind === "text" ? "unreadable" : kind, text.replace(LONE_SURROGATES, "\ufffd"));
  };
}

/** Each piece that is not UTF-8 becomes `BAD_BYTES`; U+FFFD that was sent stays what it is. */
function decodeBad(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; ) {
    let at = bytes.indexOf(0xef, from);
    while (at >= 0 && !(bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd)) at = bytes.indexOf(0xef, at + 1);
    const end = at < 0 ? bytes.length : at;
    if (end > from) text += lossy.decode(bytes.subarray(from, end)).replaceAll("\ufffd", BAD_BYTES);
    if (at >= 0) text += "\ufffd";
    from = end + 3;
  }
  return text;
}

/** Half surrogate pairs. */
export const LONE_SURROGATES = /\p{Surrogate}/gu;

/**
 * The data of server-sent events, as the HTML standard reads them. Some servers write an error into the stream besides, in
 * a field of that name or without any: what follows `error:`, and a line that is an object, is reported as an error.
 */
export class ServerSentEvents {
  readonly #limit: number;
  readonly #onFrame: OnFrame;
  /** The line so far; and the data of the event so far, in pieces that line feeds join. */
  #line = "";
  #data: string[] = [];
  #length = 0;
  #isTooLong = false;
  #isFirst = true;
  /** True if the last chunk ended with a carriage return: a line feed after it belongs to it. */
  #isAfterReturn = false;

  constructor(limit: number, onFrame: OnFrame) {
    this.#limit = limit;
    this.#onFrame = onFrame;
  }

  /** How far the text has come, to be saved and restored. */
  get state(): [line: string, data: string[], isTooLong: boolean, isAfterReturn: boolean] {
    return [this.#line, this.#data, this.#isTooLong, this.#isAfterReturn];
  }

  set state(state) {
    [this.#line, this.#data, this.#isTooLong, this.#isAfterReturn] = state;
  }

  feed(text: string): void {
    let at = 0;
    if (this.#isFirst && text !== "") {
      this.#isFirst = false;
      if (text.startsWith(BYTE_ORDER_MARK)) at = 1;
    }
    if (this.#isAfterReturn && at < text.length) {
      this.#isAfterReturn = false;
      if (text[at] === "\n") at += 1;
    }
    let feed = text.indexOf("\n", at);
    let back = text.indexOf("\r", at);
    while (feed >= 0 || back >= 0) {
      const end = feed < 0 || (back >= 0 && back < feed) ? back : feed;
      this.#keep(text.slice(at, end));
      this.#endLine();
      at = end + 1;
      if (end === back) {
        if (at === text.length) this.#isAfterReturn = true;
        else if (text[at] === "\n") at += 1;
        back = text.indexOf("\r", at);
      }
      if (feed >= 0 && feed < at) feed = text.indexOf("\n", at);
    }
    this.#keep(text.slice(at));
  }

  finish(): void {
    this.#isAfterReturn = false;
    this.feed("\n\n");
  }

  #keep(piece: string): void {
    if (this.#isTooLong) {
      if (piece !== "") this.#line = SOMETHING;
      return;
    }
    this.#line += piece;
    if (this.#length + this.#line.length - FIELD.length > this.#limit) this.#skip();
  }

  /** The event is too long: it is passed over up to the blank line that ends it. */
  #skip(): void {
    this.#isTooLong = true;
    this.#data = [];
    this.#line = SOMETHING;
    this.#onFrame("too-long", "");
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = "";
    if (line === "") {
      const data = this.#data;
      this.#data = [];
      this.#length = 0;
      this.#isTooLong = false;
      if (data.length > 0) this.#onFrame("text", data.length === 1 ? data[0]! : data.join("\n"));
      return;
    }
    if (this.#isTooLong) return;
    if (!line.startsWith("data")) {
      this.#endError(line);
      return;
    }
    let value = "";
    if (line[4] === ":") value = line.slice(line[5] === " " ? 6 : 5);
    else if (line.length > 4) return;
    if (this.#length + value.length > this.#limit) {
      this.#skip();
      this.#line = "";
    } else {
      this.#data.push(value);
      this.#length += value.length + 1;
    }
  }

  /** A line without data has ended: an error, if it is `error:` with something, or an object. */
  #endError(line: string): void {
    const isObject = line.startsWith("{") && isJson(line);
    const error = line.startsWith(ERROR) ? line.slice(ERROR.length).trim() : "";
    if (!isObject && error === "") return;
    // Lines before it that are JSON, each by itself, are events without blank lines between them.
    const data = this.#data;
    if (data.length > 0 && data.every((value) => value.startsWith("{") && isJson(value))) {
      this.#data = [];
      this.#length = 0;
      this.#onFrame("text", data.join("\n"));
    }
    this.#onFrame("exception", isObject ? line : `{"error":${isJson(error) ? error : JSON.stringify(error)}}`);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const ERROR = "error:";

const FIELD = "data: ";
/** Any line that is not blank. */
const SOMETHING = ":";
