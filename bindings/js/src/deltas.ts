// The text of one string as it arrives: on the engine alone, so that a page which needs nothing else loads nothing else.

import { compile } from "./compile.js";
import { Engine, type EngineOptions, type Output } from "./engine.js";
import { Fault } from "./fault.js";
import { Input } from "./input.js";
import { invalid, limitsOf, rejects, type ParserOptions } from "./options.js";
import { chunksOfJson, type Source } from "./source.js";
import { errorOf } from "./text-error.js";

/** The options of {@link deltas}. For all other options there is `events`. */
export interface DeltasOptions extends Pick<ParserOptions, "limits" | "duplicateKeys" | "strictByteOrderMark"> {
  /** Ends the loop with the signal's reason, and cancels the source. */
  readonly signal?: AbortSignal;
}

const KNOWN = ["signal", "limits", "duplicateKeys", "strictByteOrderMark"];

/**
 * The text of the strings that one pattern selects, as it arrives; nothing for other values: their JSON text is what
 * {@link rawDeltas} gives. Where a pattern can match more than one string, `events` says which one grows.
 *
 * ```ts
 * for await (const text of deltas(await fetch(url), "title")) show(text);
 * ```
 */
export function deltas(source: Source, pattern: string, options?: DeltasOptions): AsyncGenerator<string, void, undefined> {
  return deltasOf(source, pattern, options, undefined);
}

/** The texts of all deltas. Raw patterns are refused without what reports their values. */
export async function* deltasOf(
  source: Source,
  pattern: string,
  options: DeltasOptions = {},
  beginRaw: Output["beginRaw"],
): AsyncGenerator<string, void, undefined> {
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) throw invalid(`deltas: ${JSON.stringify(name)} is not one of ${KNOWN.join(", ")}: see \`events\``);
  }
  const { signal, limits, duplicateKeys, strictByteOrderMark } = options;
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
  function* read(run: () => void): Generator<string, void, undefined> {
    let fault: Fault | undefined;
    try {
      run();
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      fault = thrown;
    }
    const { events } = output;
    output.events = [];
    for (const event of events) {
      signal?.throwIfAborted();
      if (event.kind === "delta") yield event.text;
    }
    if (fault) throw errorOf(fault, engine);
  }
  for await (const chunk of chunksOfJson(source, signal)) yield* read(() => void input.feed(chunk));
  signal?.throwIfAborted();
  yield* read(() => input.finish());
}
