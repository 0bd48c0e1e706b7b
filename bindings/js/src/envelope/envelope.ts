// JSON inside text: what separates the text that a person should see from payloads between delimiters. It owns the text
// outside payloads, and what of it is held back because it may become a delimiter.

import { invalid, limitOf, optionsOf, parsingSettings, type ParsingOptions } from "../core/options.js";
import { compile } from "../core/patterns/compile.js";
import { selectingWith } from "../core/selecting-text.js";
import { utf8Length } from "../core/utf8.js";
import { Fences } from "./any-fence.js";
import { Closing } from "./closing.js";
import { isBare, parseDelimiter, type Delimiter } from "./delimiter.js";
import type { EnvelopeEvent } from "./event.js";
import { firstUnits, Opening, type Opened } from "./opening.js";
import { OpenPayload } from "./payload.js";
import { TextInput } from "./text-input.js";

export interface EnvelopeOptions extends ParsingOptions {
  /** The part of a payload that the parser keeps for the ends of matches: the matches' texts unless set otherwise. */
  readonly retain?: "all" | "matches" | "nothing";
  /** Bytes of visible text that may be held back because they may become a mark; 4096 unless set otherwise. */
  readonly holdLimit?: number;
  /** Bytes between two marks; 16 MiB unless set otherwise. A longer payload is truncated. */
  readonly payloadLimit?: number;
  /**
   * The text begins inside a payload of the first mark, whose opening came before it, as `…</think>answer` does of a model that
   * was made to think. A bare payload has no opening, so for one this changes nothing. False unless set otherwise.
   */
  readonly startsInside?: boolean;
}

/** Inside a payload that began before the text. */
const INSIDE = -1;
const TEXT = 0;
const OPENING = 1;
const PAYLOAD = 2;

/**
 * A reader of text with JSON in it, which separates what a person should see from payloads between marks:
 *
 * - `comment:NAME`: `<!--NAME … -->`
 * - `fence:INFO`; `fence:*` for any fence that holds an object or array
 * - `tag:NAME`: `<NAME>…</NAME>`
 * - `between:OPEN:CLOSE`: between these two texts. A payload ends with its JSON even where CLOSE is missing, so CLOSE may be empty
 *   (`between:OPEN:`). With `between:OPEN:CLOSE:led`, all up to the first `{` is a part of the opening mark, as in
 *   `[CALL]name[ARGS]{…}`.
 * - `bare`: every JSON object or array; `bare:object`: every object
 *
 * Append `:json` or `:raw` to declare what the payload is. Only text that may still become an opening mark is held back. All other
 * text is reported by the same call. A payload ends with an event whose `status` is one of those of a call. Plain text in a payload,
 * such as a thought, is reported in `fragment` events, and the payload ends as `raw`.
 *
 * @example
 * ```ts
 * import { Envelope } from "jsonspigot/envelope";
 *
 * const envelope = new Envelope(["tag:think", "comment:trip"], "city");
 * for (const chunk of ["Here: <!--tr", 'ip {"city": "Kö', 'ln"} --', ">"]) {
 *   for (const event of envelope.feed(chunk)) {
 *     if (event.kind === "text") console.log(event.text); // "Here: "
 *     if (event.kind === "delta") console.log(event.text); // "Kö", then "ln"
 *     if (event.kind === "payload") console.log(event.mark, event.status, event.value); // "comment:trip" "complete" {"city":"Köln"}
 *   }
 * }
 * envelope.finish();
 * ```
 */
export class Envelope {
  readonly #delimiters: readonly Delimiter[];
  readonly #holdLimit: number;
  readonly #input = new TextInput();
  readonly #opening: Opening;
  readonly #payload: OpenPayload;
  /** The fences of text, if a delimiter is a fence with any info string. */
  #fences = new Fences();
  readonly #followsFences: boolean;
  /** The units with which delimiters begin that are looked for. */
  readonly #first: RegExp;
  /** Where a text begins. */
  readonly #start: number;
  #state: number;
  /** The held text: it may become an opening delimiter. */
  #held = "";
  /** Bytes that have been reported. */
  #offset = 0;
  #events: EnvelopeEvent[] = [];

  /**
   * If two marks open at once, the first one wins.
   *
   * @throws {JsonSpigotError} of kind `invalid-mark` for an invalid mark, or of kind `invalid-option`.
   * @throws {PatternError} for a pattern that can't be compiled.
   */
  constructor(marks: string | readonly string[], patterns: string | readonly string[] = [], options: EnvelopeOptions = {}) {
    const { holdLimit, payloadLimit, startsInside = false, retain = "matches", ...own } = optionsOf(options);
    this.#delimiters = (typeof marks === "string" ? [marks] : [...marks]).map((mark) => parseDelimiter(String(mark)));
    if (this.#delimiters.length === 0) throw invalid("marks: at least one is needed");
    this.#holdLimit = limitOf("holdLimit", holdLimit, 4096);
    const settings = parsingSettings({ ...own, retain });
    const accepts = settings.accept && settings.lenient !== undefined;
    // The value of an accepted text is not in the raw text.
    const parsing = accepts ? ({ ...settings, retain: "all" } as const) : settings;
    const limit = limitOf("payloadLimit", payloadLimit, 16 << 20);
    const text = selectingWith(parsing, compile(patterns));
    this.#payload = new OpenPayload(text, accepts, limit, (event) => this.#events.push(event));
    this.#opening = new Opening(this.#delimiters, this.#holdLimit);
    this.#followsFences = this.#delimiters.some(({ shape }) => shape === "any-fence");
    const units = this.#delimiters.map((delimiter) => firstUnits(delimiter)).join("");
    this.#first = new RegExp(`[${units.replace(/[\\\]^[-]/g, "\\$&")}]`);
    this.#start = this.#state = startsInside && !isBare(this.#delimiters[0]!) ? INSIDE : TEXT;
  }

  /**
   * Reads a chunk. A character that its end cuts waits for the next chunk.
   *
   * @throws {JsonSpigotError} of kind `invalid-utf8` for bytes that are not UTF-8 and for half a surrogate pair inside
   * the text. Its `events` are what was reported before; every later call throws the same error again, without them.
   */
  feed(chunk: string | Uint8Array): EnvelopeEvent[] {
    const input = this.#input;
    if (input.error) throw input.error;
    const events: EnvelopeEvent[] = (this.#events = []);
    this.#scan(input.take(chunk));
    if (input.error) {
      this.#end();
      throw input.errorWith(events);
    }
    return events;
  }

  /**
   * Ends the text: returns the text that is held, or ends the open payload. The envelope can then read another text.
   *
   * @throws {JsonSpigotError} of kind `incomplete` if the text ends inside a character.
   */
  finish(): EnvelopeEvent[] {
    const input = this.#input;
    if (input.error) throw input.error;
    const events: EnvelopeEvent[] = (this.#events = []);
    input.finish();
    this.#end();
    if (input.error) throw input.errorWith(events);
    input.reset();
    return events;
  }

  /** Drops the held text, the open payload and the error. The marks and options stay. */
  reset(): void {
    this.#input.reset();
    this.#input.error = undefined;
    this.#clear();
  }

  #clear(): void {
    this.#state = this.#start;
    this.#held = "";
    this.#offset = 0;
    this.#fences = new Fences();
  }

  #end(): void {
    while (this.#state === OPENING) this.#decide({ length: this.#opening.giveUp(this.#held) }, "");
    if (this.#state === PAYLOAD) this.#payload.finish();
    this.#clear();
  }

  #scan(text: string): void {
    let rest = text;
    while (rest !== "") {
      switch (this.#state) {
        case INSIDE:
          this.#beginPayload(this.#delimiters[0]!, "");
          break;
        case TEXT: {
          const found = rest.search(this.#first);
          this.#reportText(found < 0 ? rest : rest.slice(0, found));
          if (found < 0) return;
          rest = rest.slice(found);
          this.#opening.begin(this.#fences, rest[0]!);
          this.#state = OPENING;
          break;
        }
        case OPENING: {
          const opened = this.#opening.advance(this.#held, rest);
          if (opened === undefined) {
            this.#held += rest;
            return;
          }
          rest = rest.slice(this.#decide(opened, rest));
          break;
        }
        default: {
          const ended = this.#payload.feed(rest);
          if (ended === undefined) return;
          rest = rest.slice(ended.used);
          this.#state = TEXT;
          this.#offset += ended.length;
          // It is not longer than the mark, and no payload is open now.
          this.#scan(ended.givenBack);
        }
      }
    }
  }

  /** Acts on a decision about the held text and the text after it in `rest`. Returns how much of `rest` was used. */
  #decide({ delimiter, length }: NonNullable<Opened>, rest: string): number {
    const held = this.#held;
    this.#held = "";
    const used = Math.max(0, length - held.length);
    const decided = held.slice(0, length) + rest.slice(0, used);
    if (delimiter !== undefined) {
      this.#beginPayload(delimiter, decided);
    } else {
      this.#state = TEXT;
      this.#reportText(decided);
      const fence = this.#opening.takeFence();
      if (fence !== undefined) this.#fences.open = fence;
    }
    // Nothing is held now, so this does not recurse any further.
    this.#scan(held.slice(length));
    return used;
  }

  #beginPayload(delimiter: Delimiter, open: string): void {
    this.#events.push({ kind: "payload-start", mark: delimiter.mark, open, offset: this.#offset });
    this.#offset += utf8Length(open);
    this.#fences.isInsideLine = true;
    this.#payload.begin(delimiter, new Closing(delimiter, open, this.#holdLimit));
    this.#state = PAYLOAD;
  }

  /** Reports visible text, in one piece with what comes right before it in the chunk. */
  #reportText(text: string): void {
    if (text === "") return;
    const before = this.#events.at(-1);
    if (before?.kind === "text") this.#events[this.#events.length - 1] = { kind: "text", text: before.text + text };
    else this.#events.push({ kind: "text", text });
    this.#offset += utf8Length(text);
    if (this.#followsFences) this.#fences.pass(text);
  }
}
