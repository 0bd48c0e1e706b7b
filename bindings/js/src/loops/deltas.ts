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
  readonly signal?: AbortSignal;
}

const KNOWN = ["signal", "limits", "duplicateKeys", "strictByteOrderMark"];

/**
 * Yields the text of the strings that one pattern selects, as it arrives, and nothing for other values, whose JSON text
 * {@link rawDeltas} yields. Where a pattern can match more than one string, `events` reports which one grows.
 *
 * @param source A response, a stream, or an iterable of strings or bytes.
 * @param pattern The path of the strings, as `title` or `days[*].plan`.
 * @param options `signal`, `limits` (no limit but a depth of 127 by default), `duplicateKeys` (`last-wins` by default),
 * `strictByteOrderMark` (false by default).
 * @throws {JsonSpigotError} (from the loop) at the first bad byte, or if the text ends too early.
 * @example
 * ```ts
 * for await (const text of deltas(await fetch(url), "title")) show(text);
 * ```
 */
export function deltas(source: Source, pattern: string, options?: DeltasOptions): Loop<string> {
  return deltasOf(source, pattern, options, undefined);
}

/**
 * Yields the JSON text of the values that one pattern selects, as it arrives.
 *
 * @param source A response, a stream, or an iterable of strings or bytes.
 * @param pattern The path of the values, with or without `raw:`.
 * @param options As those of {@link deltas}.
 * @example
 * ```ts
 * for await (const text of rawDeltas(await fetch(url), "order")) passOn(text);
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
