// The text of one string as it arrives: on the engine alone, so that a page which needs nothing else loads nothing else.

import { compile } from "./compile.js";
import { Engine, Fault, type EngineOptions, type Output } from "./engine.js";
import { Input } from "./input.js";
import { invalid, limitsOf, rejects, type ParserOptions } from "./options.js";
import { chunksOfJson, type Source } from "./source.js";
import { errorOf } from "./text-error.js";

/** The options of {@link deltas}. For all other options there is `events`. */
export interface DeltasOptions extends Pick<ParserOptions, "limits" | "duplicateKeys" | "strictByteOrderMark"> {
  /** Ends the loop with the signal's reason, and cancels the source. */
  readonly signal?: AbortSignal;
}

const KNOWN = ["limits", "duplicateKeys", "strictByteOrderMark"];

/**
 * The text of the strings that one pattern selects, as it arrives; nothing for other values, unless the pattern is `raw:…`,
 * for which it is the JSON text of any value as it came. Where a pattern can match more
 * than one string, `events` says which one grows.
 *
 * ```ts
 * for await (const text of deltas(await fetch(url), "title")) show(text);
 * ```
 */
export async function* deltas(
  source: Source,
  pattern: string,
  { signal, ...options }: DeltasOptions = {},
): AsyncGenerator<string, void, undefined> {
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) throw invalid(`deltas: ${JSON.stringify(name)} is not one of signal, ${KNOWN.join(", ")}: see \`events\``);
  }
  const output: Output = { events: [], nextMatch: 0, refusal: undefined, keeping: undefined };
  const settings: EngineOptions = {
    limits: limitsOf(options.limits),
    rejectsDuplicates: rejects(options.duplicateKeys),
    retain: "nothing",
    spelling: false,
    numbers: "number",
    prototypeKeys: "keep",
  };
  const engine = new Engine(compile(pattern), settings, output);
  const input = new Input(engine, undefined, options.strictByteOrderMark === true);
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
