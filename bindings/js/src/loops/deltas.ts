// The text of one string as it arrives: decoded by the engine alone, so that a page which needs nothing else loads nothing else.

import { compile, listOf } from "../core/patterns/compile.js";
import { Engine, type TextOutput } from "../core/engine.js";
import { errorOf, Fault } from "../core/text-error.js";
import { Input } from "../core/input.js";
import { checkOptions, invalid, limitsOf, rejects, type ParserOptions } from "../core/options.js";
import { selectingText } from "../core/selecting-text.js";
import type { Text } from "../core/text.js";
import { SourceLoop, type Loop, type Reading } from "./loop.js";
import { chunksOfJson, type Chunk, type Source } from "./source.js";
import { eventLoop } from "./streams.js";

/** The options of {@link deltas}. For all other options there is `events`. */
export interface DeltasOptions extends Pick<ParserOptions, "limits" | "duplicateKeys" | "strictByteOrderMark"> {
  /** Ends the loop with the signal's reason, and cancels the source. */
  readonly signal?: AbortSignal | undefined;
}

const KNOWN = ["signal", "limits", "duplicateKeys", "strictByteOrderMark"];
const OTHERS = "; all others are for `events`";

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
export function deltas(source: Source, pattern: string, options: DeltasOptions = {}): Loop<string> {
  return new SourceLoop(
    () => chunksOfJson(source),
    () => readingOf(pattern, options),
    options?.signal,
  );
}

function readingOf(pattern: string, options: DeltasOptions): Reading<Chunk, string> {
  checkOptions(options, KNOWN, OTHERS);
  const { limits, duplicateKeys, strictByteOrderMark } = options;
  const automaton = compile(pattern);
  if (automaton.patterns.some(({ isRaw }) => isRaw)) throw invalid("deltas: `raw:` patterns are for `rawDeltas` and `events`");
  const output: TextOutput = { texts: [] };
  const engine = new Engine(automaton, { limits: limitsOf(limits), rejectsDuplicates: rejects(duplicateKeys) }, output);
  const input = new Input(engine, strictByteOrderMark === true);
  const taken = (): readonly string[] => {
    const { texts } = output;
    if (texts.length > 0) output.texts = [];
    return texts;
  };
  const run = (read: () => void): readonly string[] => {
    try {
      read();
    } catch (thrown) {
      throw thrown instanceof Fault ? errorOf(thrown, engine) : thrown;
    }
    return taken();
  };
  return { read: (chunk) => run(() => void input.feed(chunk)), finish: () => run(() => input.finish()), before: taken };
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
export function rawDeltas(source: Source, pattern: string, options: DeltasOptions = {}): Loop<string> {
  const begin = (): Text => {
    checkOptions(options, KNOWN, OTHERS);
    const { signal: _, ...own } = options;
    const patterns = listOf(pattern).map((text) => (text.startsWith("raw:") ? text : `raw:${text}`));
    return selectingText({ ...own, retain: "nothing" }, patterns);
  };
  return eventLoop(source, begin, options?.signal, (events) => events.flatMap((event) => (event.kind === "delta" ? event.text : [])));
}
