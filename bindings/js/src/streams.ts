// From a stream of chunks to a stream of what they report.

import type { Event } from "./events.js";
import { NOTHING, SourceLoop, type Loop, type Reading } from "./loop.js";
import { chunksOfJson, type Chunk, type Source } from "./source.js";
import { optionsOf, type ParserOptions } from "./options.js";
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
function parserOptions(options: StreamOptions): ParserOptions {
  const { signal: _, ...own } = optionsOf(options);
  return own;
}

/**
 * All events of a source. Events before the first bad byte are yielded before the error is thrown.
 *
 * ```ts
 * for await (const event of events(await fetch(url), ["title", "items[*].name"])) { … }
 * ```
 */
export function events(source: Source, patterns: string | readonly string[], options: StreamOptions = {}): Loop<Event> {
  const begin = (): Reading<Chunk, Event> => {
    const parser = new TextParser(selectingText(parserOptions(options), patterns));
    return {
      items: NOTHING,
      read(chunk) {
        try {
          this.items = parser.feed(chunk);
        } catch (error) {
          this.items = eventsBefore(error);
          throw error;
        }
      },
      finish() {
        try {
          this.items = parser.finish();
        } catch (error) {
          this.items = eventsBefore(error);
          throw error;
        }
      },
    };
  };
  return new SourceLoop(() => chunksOfJson(source), begin, options?.signal);
}

/** The events of the chunk before its error. */
const eventsBefore = (error: unknown): readonly Event[] => (error as { events?: readonly Event[] }).events ?? NOTHING;

/**
 * The document as far as it is known, after each chunk that has changed it; the last one is the complete value. What has
 * not changed is the same object as before.
 */
export function snapshots<T = Json>(
  source: Source,
  options: Omit<StreamOptions, "retain" | "spelling"> = {},
): Loop<DeepPartial<T>, T | undefined> {
  const begin = (): Reading<Chunk, DeepPartial<T>, T | undefined> => {
    const parser = new TextParser(makeText({ ...parserOptions(options), snapshots: true, retain: "nothing" }));
    let shown: DeepPartial<T> | undefined;
    const changes = (): readonly DeepPartial<T>[] => {
      const next = parser.snapshot<T>();
      return next === shown ? NOTHING : [(shown = next) as DeepPartial<T>];
    };
    return {
      items: NOTHING,
      read(chunk) {
        try {
          parser.feed(chunk);
        } finally {
          this.items = changes();
        }
      },
      finish() {
        parser.finish();
        this.items = changes();
        return shown as T | undefined;
      },
    };
  };
  return new SourceLoop(() => chunksOfJson(source), begin, options?.signal);
}

/** A stage of a pipe: chunks in, events out. It takes no more chunks than its reader asks for. */
export class EventStream extends Stage<Chunk, Event> {
  constructor(patterns: string | readonly string[], options: ParserOptions = {}) {
    let parser: TextParser;
    const pass = (call: () => Event[], controller: TransformStreamDefaultController<Event>): void => {
      try {
        for (const event of call()) controller.enqueue(event);
      } catch (thrown) {
        for (const event of eventsBefore(thrown)) controller.enqueue(event);
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
