// The text of one string as it arrives: on the engine alone, so that a page which needs nothing else loads nothing else.

import { compile } from "../core/patterns/compile.js";
import { Engine, type EngineOptions, type TextOutput } from "../core/engine.js";
import { ReportingEngine, type Output } from "../core/reporting.js";
import type { Automaton } from "../core/patterns/automaton.js";
import { errorOf, Fault } from "../core/text-error.js";
import { Input } from "../core/input.js";
import { MATCHING } from "../core/matching.js";
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
  return deltasOf(source, pattern, options, decodedTexts);
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
  return deltasOf(source, pattern.startsWith("raw:") ? pattern : `raw:${pattern}`, options, rawTexts);
}

/** An engine, and what takes the texts that it has found. */
interface Texts {
  readonly engine: Engine;
  take(): readonly string[];
}

function decodedTexts(automaton: Automaton, options: EngineOptions): Texts {
  if (automaton.readsRaw) throw invalid("deltas: `raw:` patterns are for `rawDeltas` and `events`");
  const output: TextOutput = { texts: [] };
  return {
    engine: new Engine(automaton, options, output),
    take() {
      const { texts } = output;
      if (texts.length === 0) return NOTHING;
      output.texts = [];
      return texts;
    },
  };
}

function rawTexts(automaton: Automaton, options: EngineOptions): Texts {
  const output: Output = { events: [], nextMatch: 0, refusal: undefined, matching: MATCHING, keeping: undefined, beginRaw };
  const values = { retain: "nothing", spelling: false, numbers: "number", prototypeKeys: "keep" } as const;
  return {
    engine: new ReportingEngine(automaton, { ...options, ...values }, output),
    take() {
      const { events } = output;
      output.events = [];
      return events.flatMap((event) => (event.kind === "delta" ? event.text : []));
    },
  };
}

type BeginTexts = (automaton: Automaton, options: EngineOptions) => Texts;

function deltasOf(source: Source, pattern: string, options: DeltasOptions = {}, begin: BeginTexts): Loop<string> {
  return new SourceLoop(
    () => chunksOfJson(source),
    () => readingOf(pattern, options, begin),
    options?.signal,
  );
}

function readingOf(pattern: string, options: DeltasOptions, begin: BeginTexts): Reading<Chunk, string> {
  checkOptions(options, KNOWN, "; all others are for `events`");
  const { limits, duplicateKeys, strictByteOrderMark } = options;
  const own = { limits: limitsOf(limits), rejectsDuplicates: rejects(duplicateKeys) };
  const texts = begin(compile(pattern), own);
  const input = new Input(texts.engine, strictByteOrderMark === true);
  const run = (reading: Reading<Chunk, string>, read: () => void): void => {
    try {
      read();
    } catch (thrown) {
      throw thrown instanceof Fault ? errorOf(thrown, texts.engine) : thrown;
    } finally {
      reading.items = texts.take();
    }
  };
  return {
    items: NOTHING,
    read(chunk) {
      run(this, () => void input.feed(chunk));
    },
    finish() {
      run(this, () => input.finish());
    },
  };
}
