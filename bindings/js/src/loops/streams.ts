// From a stream of chunks to a stream of what they report.

import type { Event } from "../core/events.js";
import { NOTHING, SourceLoop, type Loop, type Reading } from "./loop.js";
import { chunksOfJson, type Chunk, type Source } from "./source.js";
import { optionsOf, type ParserOptions } from "../core/options.js";
import { checkSchema, validated, type StandardSchema } from "./schema.js";
import { Stage } from "../core/runtime.js";
import { TextParser, type DeepPartial } from "../core/text-parser.js";
import { makeText, type ShownOptions } from "../core/make-text.js";
import { selectingText } from "../core/selecting-text.js";
import type { Text } from "../core/text.js";
import type { Json } from "../core/values.js";

export interface StreamOptions extends ParserOptions {
  /** Ends the loop with the signal's reason, and cancels the source. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns the options of the parser alone. */
function parserOptions<O extends StreamOptions>(options: O): Omit<O, "signal"> {
  const { signal: _, ...own } = optionsOf(options);
  return own;
}

/**
 * Yields all events of a source. If the text is not JSON, the events before the first bad byte come before the error.
 *
 * @param source - the body of a response, a web stream, or an iterable of strings or bytes, cut anywhere
 * @param patterns - the values to report, as for {@link Parser}
 *
 * @example
 * ```ts
 * import { events } from "jsonspigot";
 *
 * for await (const event of events(['{"title":"Sh', 'op","items":[{"name":"lamp"}]}'], ["title", "items[*].name"])) {
 *   if (event.kind === "end") console.log(event.path, event.value); // "title" "Shop", then "items[0].name" "lamp"
 * }
 * ```
 */
export function events(source: Source, patterns: string | readonly string[], options: StreamOptions = {}): Loop<Event> {
  return eventLoop(
    source,
    () => selectingText(parserOptions(options), patterns),
    options?.signal,
    (found) => found,
  );
}

/** Yields the items of the events of each chunk. */
export function eventLoop<T>(
  source: Source,
  begin: () => Text,
  signal: AbortSignal | undefined,
  itemsOf: (events: readonly Event[]) => readonly T[],
): Loop<T> {
  const reading = (): Reading<Chunk, T> => {
    const parser = new TextParser(begin());
    return {
      read: (chunk) => itemsOf(parser.feed(chunk)),
      finish: () => itemsOf(parser.finish()),
      before: (error) => itemsOf(eventsBefore(error)),
    };
  };
  return new SourceLoop(() => chunksOfJson(source), reading, signal);
}

/** Returns the events of the chunk before its error. */
const eventsBefore = (error: unknown): readonly Event[] => (error as { events?: readonly Event[] }).events ?? NOTHING;

export type SnapshotsOptions = ShownOptions & Pick<StreamOptions, "signal">;

/**
 * Yields the document so far after each chunk that has changed it; the last one is the complete value. Unchanged parts are the
 * same objects as before, so `===`, `memo` and selectors work.
 *
 * With `schema`, a Standard Schema such as zod's, valibot's or arktype's, the last one is what the schema makes of the complete
 * value, or a `SchemaError` is thrown. Earlier values are not validated.
 *
 * @param source - the body of a response, a web stream, or an iterable of strings or bytes, cut anywhere
 * @param options - those of a parser that keeps nothing else; a `Parser` with `snapshots: "live"` updates one value in place
 *
 * @example
 * ```ts
 * import { snapshots } from "jsonspigot";
 * import { z } from "zod";
 *
 * const Trip = z.object({ city: z.string(), days: z.array(z.string()) });
 * for await (const trip of snapshots(await fetch(url), { schema: Trip })) console.log(trip.days?.length); // 1, then 1
 * ```
 *
 * @example From jsonriver, whose value is one object that changes under its reader
 * ```ts
 * import { parse } from "jsonriver";
 * import { snapshots } from "jsonspigot";
 *
 * async function* chunks() {
 *   yield '{"city": "Kö';
 *   yield 'ln"}';
 * }
 * for await (const value of parse(chunks())) console.log(value); // {"city":"Kö"}, then {"city":"Köln"}
 * for await (const value of snapshots(chunks())) console.log(value); // {"city":"Kö"}, then {"city":"Köln"}
 * ```
 */
export function snapshots<T>(
  source: Source,
  options: SnapshotsOptions & { readonly schema: StandardSchema<T> },
): Loop<DeepPartial<T> | T, T>;
export function snapshots<T = Json>(source: Source, options?: SnapshotsOptions): Loop<DeepPartial<T>, T | undefined>;
export function snapshots<T = Json>(
  source: Source,
  options: SnapshotsOptions & { readonly schema?: StandardSchema<T> } = {},
): Loop<DeepPartial<T> | T, T | undefined> {
  const begin = (): Reading<Chunk, DeepPartial<T> | T, T | undefined> => {
    const { schema, ...own } = optionsOf(options);
    if (schema !== undefined) checkSchema(schema);
    const parser = new TextParser(makeText(parserOptions(own)));
    let shown: DeepPartial<T> | undefined;
    let complete: T | undefined;
    const changes = (): readonly DeepPartial<T>[] => {
      const next = parser.snapshot<T>();
      return next === shown ? NOTHING : [(shown = next) as DeepPartial<T>];
    };
    return {
      read(chunk) {
        parser.feed(chunk);
        return changes();
      },
      finish() {
        parser.finish();
        if (schema === undefined) return changes();
        complete = validated(schema, parser.snapshot());
        return [complete];
      },
      value: () => (schema === undefined ? (shown as T | undefined) : complete),
      before: changes,
    };
  };
  return new SourceLoop(() => chunksOfJson(source), begin, options?.signal);
}

/**
 * A stage of a pipe: chunks in, events out. It takes no more chunks than its reader asks for.
 *
 * @example
 * ```ts
 * import { EventStream, type Event } from "jsonspigot";
 *
 * const { body } = await fetch(url);
 * const show = new WritableStream<Event>({
 *   write(event) {
 *     if (event.kind === "end") console.log(event.value); // "Köln"
 *   },
 * });
 * await body!.pipeThrough(new EventStream("title")).pipeTo(show);
 * ```
 */
export class EventStream extends Stage<Chunk, Event> {
  constructor(patterns: string | readonly string[], options: ParserOptions = {}) {
    const parser = new TextParser(selectingText(options, patterns));
    super(
      (chunk) => parser.feed(chunk),
      () => parser.finish(),
      eventsBefore,
    );
  }
}
