// How far the framing of a response's body has come, as bytes.
//
// Where text is held anyway, the rest is not saved: reading it again leads there, and shows that it is possible. If it had a
// whole frame in it, that would be reported, and not be held any more.

import type { Framing, FramingState, ServerSentEvents } from "./framing.js";
import { Messages, PRELUDE } from "./amazon.js";
import { Texts, type TextsState } from "./texts.js";
import { cutLength } from "./utf8.js";
import { impossible, possible, type Reader, type Writer } from "./state.js";

const UNDECIDED = 0;
const EVENTS = 1;
const TEXTS = 2;
const MESSAGES = 3;

const READINGS = ["between", "value", "line", "element"] as const;
type Reading = (typeof READINGS)[number];

/** Returns true if nothing has been read, so that there is nothing to save. */
export function isNew(framing: Framing): boolean {
  const [cut, prelude, before, reader] = framing.state;
  return !reader && before === "" && prelude.length === 0 && cut.length === 0;
}

/** Returns true if these bytes are nothing, or the beginning of a character. */
export function isBeginning(cut: Uint8Array): boolean {
  return cutLength(cut) === cut.length;
}

export function writeFraming(out: Writer, framing: Framing): void {
  const [cut, prelude, before, reader] = framing.state;
  out.bytes(cut);
  if (reader instanceof Messages) {
    out.number(MESSAGES);
    writeMessages(out, reader);
  } else if (reader instanceof Texts) {
    out.number(TEXTS);
    writeTexts(out, reader);
  } else if (reader) {
    out.number(EVENTS);
    writeEvents(out, reader);
  } else {
    out.number(UNDECIDED);
    out.bytes(Uint8Array.from(prelude));
    out.text(before);
  }
}

/** Makes a new framing go on. */
export function readFraming(added: Reader, framing: Framing): void {
  const cut = added.bytes();
  possible(isBeginning(cut));
  switch (added.number()) {
    case UNDECIDED: {
      const prelude = added.bytes();
      const before = added.text();
      // Bytes that may be a prelude come first, and white space and a bracket are whole characters.
      possible((prelude.length === 0 || (before === "" && cut.length === 0)) && prelude.length < PRELUDE);
      framing.feed(before);
      framing.feed(prelude);
      const [own, read, text, reader] = framing.state;
      possible(!reader && text === before && read.length === prelude.length && own.length === 0);
      break;
    }
    case EVENTS:
      // A comment: no frame, and by its first byte what all else is read as.
      framing.feed(":\n");
      readEvents(added, framing.state[3] as ServerSentEvents);
      break;
    case TEXTS:
      readTexts(added, framing.begin((limit, tell) => new Texts(limit, tell, false)));
      break;
    case MESSAGES:
      possible(cut.length === 0);
      readMessages(added, framing.begin((limit, _, onFrame) => new Messages(limit, onFrame)));
      break;
    default:
      possible(false);
  }
  framing.state = [cut, ...framing.state.slice(1)] as FramingState;
}

function writeEvents(out: Writer, events: ServerSentEvents): void {
  const [line, data, isTooLong, isAfterReturn] = events.state;
  out.flag(isTooLong);
  out.flag(isAfterReturn);
  out.text(line);
  out.number(data.length);
  for (const value of data) out.text(value);
}

function readEvents(added: Reader, events: ServerSentEvents): void {
  const isTooLong = added.flag();
  const isAfterReturn = added.flag();
  const line = added.text();
  const data: string[] = [];
  for (let count = added.number(); count > 0; count--) data.push(added.text());
  possible([line, ...data].every((value) => !/[\n\r]/.test(value)));
  possible(!isTooLong || (line.length < 2 && data.length === 0));
  possible(!isAfterReturn || line === "");
  for (const value of data) events.feed(`data: ${value}\n`);
  events.feed(line);
  const [ownLine, ownData, isNowTooLong] = events.state;
  possible(!isNowTooLong && ownLine === line && ownData.length === data.length);
  events.state = [line, data, isTooLong, isAfterReturn];
}

function writeTexts(out: Writer, texts: Texts): void {
  const [[reading, held, isInList, isTooLong], [depth, last, lineAt], flags] = texts.state;
  out.number(READINGS.indexOf(reading));
  out.flag(isInList);
  out.flag(isTooLong);
  out.text(held);
  if (reading === "value" && isTooLong) {
    for (const number of [depth, last, Math.min(lineAt, 1)]) out.number(number);
    for (const flag of flags) out.flag(flag);
  }
}

function readTexts(added: Reader, texts: Texts): void {
  const reading = READINGS[added.number()];
  const isInList = added.flag();
  const isTooLong = added.flag();
  const held = added.text();
  if (reading === undefined || (isTooLong && held !== "")) throw impossible();
  const begin = (as: Reading, place: TextsState[1], flags: TextsState[2]): void => {
    texts.state = [[as, "", isInList, isTooLong], place, flags];
  };
  if (reading !== "value" || !isTooLong) begin(reading === "value" ? "between" : reading, [0, 0, 0], [false, false, false, false]);
  if (reading === "between") {
    possible(held === "" && !isTooLong);
  } else if (reading !== "value") {
    possible(!/\n/.test(held) && (reading === "line" || (isInList && !/[,\]]/.test(held))));
  } else if (isTooLong) {
    const [depth, last, lineAt] = [added.number(), added.number(), added.number()];
    const [isInString, isEscaped, hasLineBegun, mayBeList] = [added.flag(), added.flag(), added.flag(), added.flag()];
    // Of what is not held it only matters whether there was a line before.
    // The last unit may be U+0000, which is no JSON, but no value is whole behind it.
    possible((last > 0 || depth > 0) && last < 0x10000 && lineAt < 2 && (depth > 0 || !isInString) && (isInString || !isEscaped));
    begin(reading, [depth, last, lineAt], [isInString, isEscaped, hasLineBegun, mayBeList]);
  }
  texts.feed(held);
  const [[ownReading, ownHeld, isNowInList, isNowTooLong]] = texts.state;
  possible(ownReading === reading && ownHeld === held && isNowInList === isInList && isNowTooLong === isTooLong);
}

function writeMessages(out: Writer, messages: Messages): void {
  const [held, passing, isLost] = messages.state;
  out.flag(isLost);
  out.number(passing);
  out.bytes(isLost ? new Uint8Array(0) : held);
}

function readMessages(added: Reader, messages: Messages): void {
  const isLost = added.flag();
  const passing = added.number();
  const held = added.bytes();
  possible(passing < 2 ** 32 && (held.length === 0 || !(isLost || passing > 0)));
  messages.state = [held, passing, isLost];
  messages.feed(held);
  const [ownHeld, ownPassing, isNowLost] = messages.state;
  possible(ownHeld.length === held.length && ownPassing === passing && isNowLost === isLost);
}
