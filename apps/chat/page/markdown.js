// Markdown while it streams: which of its blocks are complete, and what the server makes of each. A block is formatted once,
// when the next one has begun; until then it is shown as it stands.

import { format } from "./api.js";
import { el } from "./dom.js";

/** A block that is longer stays as it stands. */
const MOST_BLOCK = 16_384;

/** How much is asked for at once, in characters. */
const MOST_ASKED = 12_000;

const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const FENCE = /^\s*(?:(?:[-*+]|\d{1,9}[.)]|>)\s*)*(`{3,}(?=[^`]*$)|~{3,})/;

/**
 * Cuts Markdown into blocks as it comes. A cut is made where a line that is not indented follows an empty one, outside of
 * fenced code, and not between the items of a list. Elsewhere two blocks may stay one; nothing that belongs together is cut.
 */
export class Blocks {
  #block = "";
  #line = "";
  #fence = undefined;
  #isEmpty = true; // but for empty lines
  #isList = false;
  #isBehindEmpty = false;

  /** Takes more of the text, and gives the blocks that are complete with it. */
  take(more) {
    const closed = [];
    const lines = more.split(/(?<=\n)/);
    const open = more.endsWith("\n") ? "" : lines.pop();
    if (lines.length > 0) {
      lines[0] = this.#line + lines[0];
      this.#line = "";
    }
    this.#line += open;
    for (const line of lines) {
      if (this.#begins(line)) {
        closed.push(this.#block);
        this.#block = "";
        this.#isEmpty = true;
      }
      this.#add(line);
    }
    return closed;
  }

  /** What has come since the last complete block. */
  get rest() {
    return this.#block + this.#line;
  }

  #begins(line) {
    if (this.#fence || !this.#isBehindEmpty || this.#isEmpty || /^\s/.test(line)) return false;
    return !(this.#isList && LIST_ITEM.test(line));
  }

  #add(line) {
    const isEmpty = line.trim() === "";
    if (this.#isEmpty) this.#isList = LIST_ITEM.test(line);
    this.#isEmpty &&= isEmpty;
    this.#block += line;
    this.#isBehindEmpty = !this.#fence && isEmpty;
    const mark = FENCE.exec(line)?.[1];
    if (!this.#fence) this.#fence = mark;
    else if (mark?.startsWith(this.#fence) && line.trimEnd().endsWith(mark)) this.#fence = undefined;
  }
}

/** Asks the server for the elements of blocks, as many at once as there are. */
class Formatter {
  /** Whether anything is to be formatted. A scripted model only repeats what a person wrote, which is no Markdown. */
  isOn = false;
  #waiting = [];
  #isAsking = false;

  /** The elements of a block; nothing if it is to be shown as it stands. */
  format(text) {
    if (text.length > MOST_BLOCK) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiting.push({ text, resolve });
      if (!this.#isAsking) void this.#ask();
    });
  }

  async #ask() {
    this.#isAsking = true;
    // Whatever else is asked for in this turn of the loop goes with it.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      let length = this.#waiting[0].text.length;
      let count = 1;
      while (count < this.#waiting.length && (length += this.#waiting[count].text.length) <= MOST_ASKED) count += 1;
      const asked = this.#waiting.splice(0, count);
      // What can't be formatted stays as it stands.
      const blocks = await format(asked.map(({ text }) => text)).catch(() => []);
      asked.forEach(({ resolve }, place) => resolve(blocks[place]?.map(elementOf)));
    }
    this.#isAsking = false;
  }
}

const TAGS = new Set(
  "p h2 h3 h4 blockquote pre ol ul li table tr th td em strong s a span code br hr".split(" "),
);

/** Makes an element out of what the server says; the names are known here too, and text is only text. */
function elementOf(node) {
  if (typeof node === "string") return node;
  const { tag, href, start, children = [] } = node;
  const attributes = href === undefined ? { start } : { href, target: "_blank", rel: "noopener noreferrer nofollow" };
  if (tag === "pre") Object.assign(attributes, { tabindex: 0 });
  return el(TAGS.has(tag) ? tag : "span", attributes, ...children.map(elementOf));
}

/** The page's one. */
export const formatter = new Formatter();
