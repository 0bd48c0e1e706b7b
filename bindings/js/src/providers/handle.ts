// What provider streams and envelopes share: something in the module, by number, that is freed in the end.

import { disposable } from "../disposing.js";
import { JsonSpigotError } from "../error.js";
import { readError } from "./event-reader.js";
import { encode, type Instance, type Output } from "./instance.js";
import { limitOf } from "../options.js";
import type { ProviderExports } from "./module.js";

/** An option that counts something, as 64 bits. */
export function encodeLimits(limits: readonly (readonly [name: string, value: number | undefined, fallback: number])[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(8 * limits.length));
  limits.forEach(([name, value, fallback], place) => {
    const limit = limitOf(name, value, fallback);
    bytes.setBigUint64(8 * place, limit === Infinity ? 0xffff_ffff_ffff_ffffn : BigInt(limit), true);
  });
  return new Uint8Array(bytes.buffer);
}

/** The limit of bytes that a choice stands for; 0 if nothing is to be buffered. */
export function saveLimit(saveable: boolean | number = false): number {
  return saveable === true ? 1 << 20 : saveable === false ? 0 : saveable;
}

/** A text with its length before it. */
export function encodeText(text: string): Uint8Array[] {
  const bytes = encode(text);
  return [new Uint8Array(new Uint32Array([bytes.length]).buffer), bytes];
}

/** Handles whose owner is gone. Where there is no such class, memory is freed by `dispose` alone. */
const abandoned =
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : new FinalizationRegistry<{ module: Instance<ProviderExports>; slot: number }>(({ module, slot }) => {
        if (!module.failure) module.exports.release(slot);
      });

export abstract class Handle {
  protected readonly module: Instance<ProviderExports>;
  /** Negative before it is made, and once it has been disposed of. */
  protected slot = -1;

  protected constructor(module: Instance<ProviderExports>) {
    this.module = module;
  }

  protected own(slot: number): void {
    this.slot = slot;
    abandoned?.register(this, { module: this.module, slot }, this);
  }

  /** Runs a call into the module; after a trap, and after `dispose`, it is an error. */
  protected call(run: (exports: ProviderExports) => number): number {
    if (this.slot < 0) throw new JsonSpigotError("disposed", "the stream has been disposed of");
    if (this.module.failure) throw this.module.failure;
    try {
      return run(this.module.exports);
    } catch (thrown) {
      throw this.module.trapped(thrown);
    }
  }

  /** The one text that a call gives, if it gives any. */
  protected ask(run: (exports: ProviderExports) => number): string | undefined {
    const count = this.call(run);
    return count === 0 ? undefined : this.read(count).string();
  }

  protected read(count: number): Output {
    return this.module.read(count);
  }

  /** The library's state. */
  protected saved(): Uint8Array {
    const count = this.call((exports) => exports.save(this.slot));
    if (count < 0) throw readError(this.read(-count), []);
    return this.module.bytes();
  }

  /** Frees its memory. Calling it again is a no-op; every other call then throws. */
  dispose(): void {
    if (this.slot < 0) return;
    abandoned?.unregister(this);
    if (!this.module.failure) this.module.exports.release(this.slot);
    this.slot = -1;
  }
}

// Where the symbol is missing, nothing is put in its place.
export interface Handle {
  [Symbol.dispose](): void;
}
disposable(Handle.prototype);
