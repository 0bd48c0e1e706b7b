// From a stream of chunks to a stream of what they report.

import type { Event } from "./events.js";
import { chunksOfJson, type Chunk, type Source } from "./source.js";
import type { ParserOptions } from "./options.js";
import { Stage } from "./stage.js";
import { TextParser, type DeepPartial } from "./text-parser.js";
import { makeText } from "./make-text.js";
import { selectingText } from "./selecting-text.js";
import type { Json } from "./values.js";

export interface StreamOptions extends ParserOptions {
  /** Ends the loop with the signal's reason, and cancels the source. */
  readonly signal?: AbortSignal;
}

/** Options for the parser alone. */
function parserOptions({ signal: _, ...options }: StreamOptions): ParserOptions {
  return options;
}

/**
 * All events of a source. Events before the first bad byte are yielded before the error is thrown.
 *
 * ```ts
 * for await (const event of events(await fetch(url), ["title", "items[*].name"])) { … }
 * ```
 */
export async function* events(
  source: Source,
  patterns: string | readonly string[],
  options: StreamOptions = {},
): AsyncGenerator<Event, void, undefined> {
  const { signal } = options;
  const parser = new TextParser(selectingText(parserOptions(options), patterns));
  try {
    for await (const chunk of chunksOfJson(source, signal)) yield* eventsOf(() => parser.feed(chunk), signal);
    yield* eventsOf(() => parser.finish(), signal);
  } finally {
    parser.dispose();
  }
}

/**
 * The events of a call; if it throws, those before the error come first. Once the signal is aborted nothing more is
 * yielded: whoever acts on what is complete must not do so after a stop.
 */
function* eventsOf(call: () => Event[], signal?: AbortSignal): Generator<Event, void, undefined> {
  signal?.throwIfAborted();
  let events: readonly Event[];
  let error: unknown;
  try {
    events = call();
  } catch (thrown) {
    error = thrown;
    events = (thrown as { events?: readonly Event[] }).events ?? [];
  }
  for (const event of events) {
    signal?.throwIfAborted();
    yield event;
  }
  if (error !== undefined) throw error;
}

/**
 * The document as far as it is known, after each chunk that has changed it; the last one is the complete value. What has
 * not changed is the same object as before.
 */
export async function* snapshots<T = Json>(
  source: Source,
  options: Omit<StreamOptions, "retain" | "spelling"> = {},
): AsyncGenerator<DeepPartial<T>, T | undefined, undefined> {
  const parser = new TextParser(makeText({ ...parserOptions(options), snapshots: true, retain: "nothing" }));
  let shown: DeepPartial<T> | undefined;
  try {
    for await (const chunk of chunksOfJson(source, options.signal)) {
      let error: unknown;
      try {
        parser.feed(chunk);
      } catch (thrown) {
        error = thrown;
      }
      const next = parser.snapshot<T>();
      options.signal?.throwIfAborted();
      if (next !== shown) yield (shown = next) as DeepPartial<T>;
      if (error !== undefined) throw error;
    }
    options.signal?.throwIfAborted();
    parser.finish();
    const last = parser.snapshot<T>();
    if (last !== shown) yield (shown = last) as DeepPartial<T>;
    return last as T | undefined;
  } finally {
    parser.dispose();
  }
}

/** A stage of a pipe: chunks in, events out. It takes no more chunks than its reader asks for. */
export class EventStream extends Stage<Chunk, Event> {
  constructor(patterns: string | readonly string[], options: ParserOptions = {}) {
    let parser: TextParser;
    const pass = (call: () => Event[], controller: TransformStreamDefaultController<Event>): void => {
      try {
        for (const event of eventsOf(call)) controller.enqueue(event);
      } catch (thrown) {
        parser.dispose();
        throw thrown;
      }
    };
    super({
      start: () => {
        parser = new TextParser(selectingText(options, patterns));
      },
      transform: (chunk, controller) => pass(() => parser.feed(chunk), controller),
      flush: (controller) => {
        try {
          pass(() => parser.finish(), controller);
        } finally {
          parser.dispose();
        }
      },
      // Where an engine does not know of this, the parser goes with the stage.
      cancel: () => parser.dispose(),
    } as Transformer<Chunk, Event>);
  }
}
