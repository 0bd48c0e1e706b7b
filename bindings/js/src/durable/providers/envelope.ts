// The envelope that can be saved and restored.

import type { Instance } from "../../module.js";
import { Envelope as AnyEnvelope, type EnvelopeOptions } from "../../providers/envelope.js";
import { taking } from "../state.js";
import { isBeginning } from "./framing.js";
import { loader, type DurableProviderExports } from "./module.js";
import { possible, taken, together } from "./state.js";

const KINDS = ["incomplete", "invalid-utf8"] as const;

/** An envelope that outlives its process: the same as that of `jsonspigot/providers`, and can be saved. */
export class Envelope extends AnyEnvelope {
  protected static override instance(): Instance<DurableProviderExports> {
    return loader.instance();
  }

  /**
   * The envelope's state as bytes, between two chunks: with what is held back, and the text of the open payload. See
   * `ProviderStream.save`.
   */
  save(): Uint8Array {
    this.call((exports) => ((exports as DurableProviderExports).save(this.slot), 0));
    const [half, cut, bytes, lines, column, error] = this.state;
    if (half === "" && cut.length === 0 && bytes === 0 && !error) return together(this.module.bytes());
    return together(this.module.bytes(), (out) => {
      for (const count of [bytes, lines, column]) out.number(count);
      out.number(error ? 1 + KINDS.indexOf(error.kind as (typeof KINDS)[number]) : 0);
      // After an error nothing waits for more.
      out.text(error ? "" : half);
      out.bytes(error ? new Uint8Array(0) : cut);
    });
  }

  /** The envelope that was saved, with the marks, patterns and options that it had: see `ProviderStream.restore`. */
  static restore(
    marks: string | readonly string[],
    patterns: string | readonly string[],
    state: Uint8Array,
    options: EnvelopeOptions = {},
  ): Envelope {
    return taking(new Envelope(marks, patterns, options), (envelope) => {
      const saved = taken(state);
      const length = envelope.module.writeAll([...envelope.choices, saved.state]);
      saved.check(envelope.call((exports) => (exports as DurableProviderExports).restore(envelope.slot, length)), (count) =>
        envelope.readEvents(count),
      );
      saved.read((added) => {
        const [bytes, lines, column, kind] = [added.number(), added.number(), added.number(), added.number()];
        const [half, cut] = [added.text(), added.bytes()];
        possible(lines + column <= bytes && (lines > 0 || column === bytes) && kind <= KINDS.length);
        // The first half of a pair; and only one of the three can be.
        possible(/^[\ud800-\udbff]?$/.test(half) && isBeginning(cut));
        possible(Number(half !== "") + Number(cut.length > 0) + Number(kind > 0) <= 1);
        envelope.state = [half, cut, bytes, lines, column, undefined];
        if (kind > 0) envelope.fail(KINDS[kind - 1]!, []);
      });
    });
  }
}
