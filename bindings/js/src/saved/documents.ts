// A saved stream of documents: its place, and the open text.

import {
  AFTER_ATOM,
  AFTER_ATOM_AND_SLASH,
  BETWEEN,
  BLANK,
  CLOSED,
  Documents,
  OPEN,
  partsOf,
  PAST_MARK,
  REFUSED,
  type DocumentsOptions,
  type DocumentsParts,
  type Framing,
  type Position,
} from "../documents/index.js";
import { COMMENTS } from "../lenient/translator.js";
import { VALUE } from "../core/states.js";
import { waiting } from "./input.js";
import { checkSavable, noteOf, ownerOf, restoreText, saveText, takeNote } from "./parser.js";
import { restore, save, unless, type Owner, type Reader, type SavedState } from "./state.js";

/** Returns the stream's state, between two chunks: see {@link saveParser}. */
export function saveDocuments(documents: Documents): SavedState {
  const parts = partsOf(documents);
  const { text, at } = parts;
  checkSavable(text);
  const note = hasText(at) ? noteOf(text) : undefined;
  return save(ownerOfStream(parts), note, (out) => {
    out.number(at.state);
    const offset = at.offset - (hasText(at) && text.isOpen ? waiting(text.input) : 0);
    for (const number of [at.number, at.start, offset]) out.number(number);
    // A state in the first line has no lines.
    out.number(Number(at.isAtom) | (Number(at.lines > 0) << 1) | (at.mark << 2));
    out.number(at.last);
    if (at.lines > 0) {
      out.number(at.lines);
      out.number(at.line);
    }
    if (hasText(at)) saveText(text, out);
  });
}

/** Returns the stream that was saved, with the framing, patterns and options that it had: see {@link restoreParser}. */
export function restoreDocuments(
  framing: Framing,
  patterns: string | readonly string[],
  state: SavedState,
  options: DocumentsOptions = {},
): Documents {
  const documents = new Documents(framing, patterns, options);
  const parts = partsOf(documents);
  restore(ownerOfStream(parts), state, (reader, note) => read(parts, reader, note));
  return documents;
}

function ownerOfStream({ framing, text }: DocumentsParts): Owner {
  const owner = ownerOf(text);
  return { ...owner, kind: "documents", choices: [...owner.choices, framing] };
}

/** Returns true if the open text is part of a state. */
const hasText = ({ state }: Position): boolean => state !== BETWEEN && state !== REFUSED;

function read({ framing, text, at }: DocumentsParts, reader: Reader, note: unknown): void {
  const { input } = text;
  const first = at.mark;
  at.state = reader.choice([BETWEEN, BLANK, OPEN, AFTER_ATOM, AFTER_ATOM_AND_SLASH, REFUSED, CLOSED]);
  at.number = reader.place();
  at.start = reader.place();
  at.offset = reader.place();
  const flags = reader.atMost(15);
  const hasLines = (flags & 2) !== 0;
  at.isAtom = (flags & 1) !== 0;
  at.mark = flags >> 2;
  at.last = reader.atMost(255);
  if (hasLines) {
    at.lines = reader.atMost(at.offset);
    at.line = reader.place();
  }
  unless(hasLines === at.lines > 0 && at.line >= 1 && at.line <= at.lines + 1);
  // Nothing is read until the mark is complete or ruled out.
  unless(at.mark === PAST_MARK || (first < PAST_MARK && at.offset === 0 && at.state === BETWEEN));
  if (hasText(at)) restoreText(text, reader);
  const { engine } = text;
  const isConcatenated = framing === "concatenated";
  const isBeforeRoot = engine.state === VALUE && engine.depth === 0;
  const isAtEnd = isConcatenated && text.isOpen && text.hasRootEnded;
  const tolerates = input.translator?.allows(COMMENTS) === true;
  const isPossible = [
    true,
    !isConcatenated && isBeforeRoot,
    text.isOpen,
    isAtEnd,
    isAtEnd && at.offset > 0 && tolerates,
    !isConcatenated,
    true,
  ][at.state];
  // Each text takes a byte at least, apart from the one that is refused for its first byte; and a slash that may begin a
  // comment is one more.
  const most = at.offset - [0, 0, 1, 1, 2, -1, -1][at.state]!;
  const read = at.start + text.offset;
  const isInDocument = [
    true,
    read === at.offset,
    read === at.offset,
    read === at.offset,
    read + 1 === at.offset,
    true,
    !text.isOpen || (isBeforeRoot && read <= at.offset),
  ][at.state];
  unless(isPossible === true && isInDocument === true && at.number <= most && at.start <= at.offset);
  if (!hasText(at)) return;
  takeNote(text, note);
  if (text.isOpen) at.offset += waiting(input);
}
