// The provider stream that can be saved and restored.

import type { Instance } from "../../module.js";
import { PROVIDERS, ProviderStream as AnyProviderStream, type Provider, type ProviderOptions } from "../../providers/stream.js";
import { taking } from "../state.js";
import { isNew, readFraming, writeFraming } from "./framing.js";
import { loader, type DurableProviderExports } from "./module.js";
import { possible, taken, together } from "./state.js";

/**
 * A provider's stream that outlives its process: the same as that of `jsonspigot/providers`, and can be saved.
 *
 * ```ts
 * const stream = state ? ProviderStream.restore("anthropic", "city", state) : new ProviderStream("anthropic", "city");
 * for (const event of stream.feed(chunk)) handle(event);
 * state = stream.save();
 * ```
 */
export class ProviderStream extends AnyProviderStream {
  protected static override instance(provider: string): [Instance<DurableProviderExports>, place: number] {
    return [loader.instance(), PROVIDERS.indexOf(provider as Provider)];
  }

  /**
   * The stream's state as bytes, between two chunks or events, cut anywhere: with half an event that waits for the rest, the
   * open calls, and with the option `message` the message so far. {@link ProviderStream.restore} makes a stream of them that
   * goes on as if nothing had happened, in another process or on another machine.
   */
  save(): Uint8Array {
    this.call((exports) => ((exports as DurableProviderExports).save(this.slot), 0));
    const { framing } = this;
    return together(this.module.bytes(), framing && !isNew(framing) ? (out) => writeFraming(out, framing) : undefined);
  }

  /**
   * A stream that goes on from a state, with the provider (`auto`, if it was made with that), patterns and options that it
   * was saved with: these are not in the state. Only `numbers`, `prototypeKeys` and `spelling` may differ.
   *
   * The bytes are read as hostile, and any bytes give a stream or an error. But whoever can write them can make up what has
   * been read, so protect them as you would the text.
   *
   * @throws {JsonSpigotError} of kind `not-saved-state`, `other-version`, `cut`, `changed`, `other-kind` (that of an
   * envelope, say), `other-patterns`, `other-choices`, or `impossible` for bytes that were made up.
   */
  static restore(
    provider: Provider | "auto",
    patterns: string | readonly string[],
    state: Uint8Array,
    options: ProviderOptions = {},
  ): ProviderStream {
    return taking(new ProviderStream(provider, patterns, options), (stream) => {
      const saved = taken(state);
      const length = stream.module.writeAll([saved.state]);
      saved.check(stream.call((exports) => (exports as DurableProviderExports).restore(stream.slot, length)), (count) =>
        stream.readEvents(() => count),
      );
      saved.read((added) => {
        readFraming(added, stream.beginFraming());
        // Half an event tells nothing.
        possible(stream.feed("").length === 0);
      });
    });
  }
}
