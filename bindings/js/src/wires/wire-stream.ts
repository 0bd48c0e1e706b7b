// A provider's stream as its SDK gives it: its events in, what they mean out.

import type { ToolCallsOptions } from "../calls/options.js";
import { ToolCalls } from "../calls/tool-calls.js";
import { Emitter } from "./emitter.js";
import type { WireEvent } from "./event.js";
import { membersOf, Unreadable, unreadable, type Members } from "./members.js";

/** The events of an SDK, or their JSON texts. */
export type WireSource<E> = AsyncIterable<E> | Iterable<E>;

/** A provider's stream, of which the adapters have one each. */
export abstract class WireStream<E extends object | string> {
  /** The calls, with the arguments so far of those that are open (with the option `snapshots`). */
  readonly calls: ToolCalls;
  /** @internal */
  protected readonly emit: Emitter;

  /**
   * @param patterns - those for every tool that has none of its own in the option `tools`.
   * @throws {PatternError} for a pattern that can't be compiled.
   * @throws {JsonSpigotError} of kind `invalid-option`.
   */
  constructor(patterns: string | readonly string[] = [], options: ToolCallsOptions = {}) {
    this.calls = new ToolCalls(patterns, options);
    this.emit = new Emitter(this.calls);
  }

  /** @internal Reads an event of the wire format. */
  protected abstract read(event: Members): void;

  /** @internal An event could not be read. */
  protected lose(): void {}

  /** @internal Ends what the stream itself holds back, before the calls end. */
  protected end(): void {}

  /**
   * Takes one event: an object as the SDK gives it, or its JSON text as it follows `data:`. Returns the event itself and
   * then what it means.
   *
   * An event that can't be read is not an error: it is returned unchanged, and no call that is open then can be complete.
   */
  push(event: E): WireEvent<E>[] {
    const { emit } = this;
    emit.events = [];
    try {
      if (event !== "[DONE]") this.#read(membersOf((typeof event === "string" ? JSON.parse(event) : event) ?? unreadable()));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      emit.leaveOut();
      // A text that is no JSON may be anything. A known event is lost.
      if (error instanceof Unreadable) {
        emit.tell(emit.calls.unplaced());
        this.lose();
      }
    }
    return [{ kind: "provider-event", event }, ...emit.events];
  }

  #read(event: Members): void {
    const { emit } = this;
    const before = emit.failure;
    if (event.type === "error" || (event.type == null && event.error)) emit.failure = "error";
    this.read(event);
    // An event after an error is no part of the message.
    if (before && emit.failure) emit.leaveOut();
  }

  /**
   * Ends the input. Calls that are still open end, truncated unless they are complete.
   *
   * @param reason - why you have stopped it, such as `cancelled`.
   */
  finish(reason = "end-of-input"): WireEvent<E>[] {
    const { emit } = this;
    emit.events = [];
    this.end();
    emit.cut(reason);
    return emit.events;
  }
}

/**
 * Yields the events of a provider's stream: those of `ToolCalls`, `text` and `stop`. Before these, each event of the provider is
 * yielded unchanged, as `provider-event`: it has the reasoning, the usage and the errors. On a stream that departs from the
 * provider's own protocol, a call is `truncated`, with the reason `unknown-part` or `unplaced`, and never wrongly `complete`: for
 * other servers there is `jsonspigot/providers`. To stop the loop, stop the SDK's stream.
 *
 * @param source - the SDK's stream, or the JSON texts that follow `data:`
 * @param patterns - those for the arguments of every tool that has none of its own in the option `tools`
 */
export type WireEvents = <E extends object | string>(
  source: WireSource<E>,
  patterns?: string | readonly string[],
  options?: ToolCallsOptions,
) => AsyncGenerator<WireEvent<E>, void, undefined>;

/** Returns the events of a source. If the source fails, the open calls end before the error is thrown. */
export async function* eventsOf<E extends object | string>(
  source: WireSource<E>,
  stream: WireStream<E>,
): AsyncGenerator<WireEvent<E>, void, undefined> {
  try {
    for await (const event of source) yield* stream.push(event);
  } catch (error) {
    yield* stream.finish("error");
    throw error;
  }
  yield* stream.finish();
}
