// A saved stream of documents: its place, and the open text.

import {
  AFTER_ATOM,
  BETWEEN,
  CLOSED,
  Documents,
  partsOf,
  PAST_MARK,
  REFUSED,
  type DocumentsOptions,
  type DocumentsParts,
  type Framing,
  type Position,
} from "../documents/index.js";
import { VALUE } from "../core/states.js";
import { ownerOf, restoreText, saveText, textData } from "./parser.js";
import { atMost, count, dataOf, flag, members, optional, stateOf, unless, type Of, type Owner, type SavedState } from "./state.js";

const documentsData = members({
  at: members({
    ...{ state: atMost(CLOSED), number: count, start: count, offset: count, line: count, lines: count },
    ...{ isAtom: flag, last: atMost(255), mark: atMost(PAST_MARK) },
  }),
  text: optional(textData, undefined),
});

/** Returns the stream's state, between two chunks: see {@link saveParser}. */
export function saveDocuments(documents: Documents): SavedState {
  const parts = partsOf(documents);
  const { text, at } = parts;
  const saved = saveText(text);
  return stateOf(ownerOfStream(parts), { at: { ...at }, ...(hasText(at) && { text: saved }) });
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
  read(parts, dataOf(ownerOfStream(parts), state, documentsData));
  return documents;
}

function ownerOfStream({ framing, text }: DocumentsParts): Owner {
  const owner = ownerOf(text);
  return { ...owner, kind: "documents", choices: [...owner.choices, framing] };
}

/** Returns true if the open text is part of a state. */
const hasText = ({ state }: Position): boolean => state !== BETWEEN && state !== REFUSED;

function read({ framing, text, at }: DocumentsParts, { at: saved, text: data }: Of<typeof documentsData>): void {
  const { input, engine } = text;
  const first = at.mark;
  Object.assign(at, saved);
  const { state, offset, start } = at;
  unless(at.lines <= offset && at.line >= 1 && at.line <= at.lines + 1);
  // Nothing is read until the mark is complete or ruled out.
  unless(at.mark === PAST_MARK || (first < PAST_MARK && offset === 0 && state === BETWEEN));
  unless(hasText(at) === (data !== undefined));
  if (data !== undefined) restoreText(text, data);
  const isConcatenated = framing === "concatenated";
  const isBeforeRoot = engine.state === VALUE && engine.depth === 0;
  const isAtEnd = isConcatenated && text.isOpen && text.hasRootEnded;
  const tolerates = input.translator?.allows("comments") === true;
  const isPossible = [
    true,
    !isConcatenated && isBeforeRoot,
    text.isOpen,
    isAtEnd,
    isAtEnd && offset > 0 && tolerates,
    !isConcatenated,
    true,
  ][state];
  // Each text takes a byte at least, apart from the one that is refused for its first byte; and a slash that may begin a
  // comment is one more.
  const most = offset - [0, 0, 1, 1, 2, -1, -1][state]!;
  // Half a pair that waits is two bytes.
  const read = start + text.offset + 2 * input.half.length;
  const isInDocument =
    state === CLOSED ? !text.isOpen || (isBeforeRoot && read <= offset) : !hasText(at) || read + (state > AFTER_ATOM ? 1 : 0) === offset;
  unless(isPossible === true && isInDocument && at.number <= most && start <= offset);
}
