// The text of one string as it arrives: on the engine alone, so that a page which needs nothing else loads nothing else.

import { compile } from "../core/patterns/compile.js";
import { Engine, type EngineOptions, type Output } from "../core/engine.js";
import { errorOf, Fault } from "../core/text-error.js";
import { Input } from "../core/input.js";
import { beginRaw } from "../core/raw.js";
import { checkOptions, invalid, limitsOf, rejects, type ParserOptions } from "../core/options.js";
import { NOTHING, SourceLoop, type Loop, type Reading } from "./loop.js";
import { chunksOfJson, type Chunk, type Source } from "./source.js";

/** The options of {@link deltas}. For all other options there is `events`. */
export interface DeltasOptions extends Pick<ParserOptions, "limits" | "duplicateKeys" | "strictByteOrderMark"> {
  /** Ends the loop with the signal's reason, and cancels the source. */
  readonly signal?: AbortSignal | undefined;
}

const KNOWN = ["signal", "limits", "duplicateKeys", "strictByteOrderMark"];

/**
 * Yields the text of the strings that one pattern selects, as it arrives. Yields nothing for other values: see {@link rawDeltas}.
 * Where a pattern can match more than one string, the events of `events` say which one grows.
 *
 * @param source - the body of a response, a web stream, or an iterable of strings or bytes, cut anywhere
 * @param pattern - an RFC 9535 path without filters: `a.b`, `a[0]`, `a[*]`, `a[0:3]`, `a['b','c']`, `$..name`, `outer | inner`
 * @param options - limits, repeated keys, and a signal that ends the loop
 * @throws {JsonSpigotError} after the text before the first bad byte. Its `path` is `null`, as no text is kept. Errors of the
 * source are thrown unchanged.
 *
 * @example
 * ```ts
 * import { deltas } from "jsonspigot";
 *
 * for await (const text of deltas(await fetch(url), "title")) console.log(text); // "Köln"
 * ```
 */
export function deltas(source: Source, pattern: string, options?: DeltasOptions): Loop<string> {
  return deltasOf(source, pattern, options, undefined);
}

/**
 * Yields the JSON text of the values that one pattern selects, as it arrives, whatever their types.
 *
 * @param source - the body of a response, a web stream, or an iterable of strings or bytes, cut anywhere
 * @param pattern - a path; `raw:` before it may be left out
 *
 * @example
 * ```ts
 * import { rawDeltas } from "jsonspigot";
 *
 * for await (const text of rawDeltas(['{"order": {"id"', ": 1}}"], "order")) console.log(text); // "{\"id\"", then ": 1}"
 * ```
 */
export function rawDeltas(source: Source, pattern: string, options?: DeltasOptions): Loop<string> {
  return deltasOf(source, pattern.startsWith("raw:") ? pattern : `raw:${pattern}`, options, beginRaw);
}

/** Yields the texts of all deltas. Refuses raw patterns without `beginRaw`. */
export function deltasOf(source: Source, pattern: string, options: DeltasOptions = {}, beginRaw: Output["beginRaw"]): Loop<string> {
  return new SourceLoop(
    () => chunksOfJson(source),
    () => textsOf(pattern, options, beginRaw),
    options?.signal,
  );
}

function textsOf(pattern: string, options: DeltasOptions, beginRaw: Output["beginRaw"]): Reading<Chunk, string> {
  checkOptions(options, KNOWN, "; all others are for `events`");
  const { limits, duplicateKeys, strictByteOrderMark } = options;
  const output: Output = { events: [], nextMatch: 0, refusal: undefined, keeping: undefined, beginRaw };
  const settings: EngineOptions = {
    limits: limitsOf(limits),
    rejectsDuplicates: rejects(duplicateKeys),
    retain: "nothing",
    spelling: false,
    numbers: "number",
    prototypeKeys: "keep",
  };
  const automaton = compile(pattern);
  if (automaton.readsRaw && beginRaw === undefined) throw invalid("deltas: `raw:` patterns are for `rawDeltas` and `events`");
  const engine = new Engine(automaton, settings, output);
  const input = new Input(engine, strictByteOrderMark === true);
  return {
    items: NOTHING,
    read(chunk) {
      try {
        input.feed(chunk);
      } catch (thrown) {
        throw errorIn(engine, thrown);
      } finally {
        this.items = takeTexts(output);
      }
    },
    finish() {
      try {
        input.finish();
      } catch (thrown) {
        throw errorIn(engine, thrown);
      } finally {
        this.items = takeTexts(output);
      }
    },
  };
}

const errorIn = (engine: Engine, thrown: unknown): unknown => (thrown instanceof Fault ? errorOf(thrown, engine) : thrown);

/** Takes the texts of the deltas out of the output. */
function takeTexts(output: Output): readonly string[] {
  const { events } = output;
  if (events.length === 0) return NOTHING;
  output.events = [];
  // Most often one delta, whose list need not grow.
  const [first] = events;
  if (events.length === 1) return first!.kind === "delta" ? [first!.text] : NOTHING;
  return events.flatMap((event) => (event.kind === "delta" ? event.text : []));
}
