// A provider's stream: its events in, what they mean out.

import { disposable } from "../core/runtime.js";
import { JsonSpigotError } from "../core/error.js";
import { isBytes } from "../core/input.js";
import { invalid } from "../core/options.js";
import { REFUSALS, refusedAs } from "../saved/refusals.js";
import { endsInHalf, joinedAll } from "../core/utf8.js";
import { makeValue, type Json } from "../core/values.js";
import { errorOf, readStreamEvents, type StreamEvent, type StreamReading } from "./events.js";
import { isWellFormed, type Exports, type Instance } from "./instance.js";
import { instance } from "./module.js";
import { compile, encodeOptions, encodeTexts, forgetOldest, type ProviderOptions } from "./options.js";

export type { ProviderOptions } from "./options.js";

/** The provider whose wire format a stream has, in the order of the library's `Provider::ALL`. */
export const PROVIDERS = [
  "anthropic",
  "openai-chat",
  "openai-responses",
  "gemini",
  "bedrock",
  "cohere",
  "ollama",
  "ag-ui",
  "vercel-ui",
  "mcp",
  "claude-code",
  "codex",
  "dashscope",
  "mistral-conversations",
  "cloudflare",
] as const;

/** The provider whose wire format a stream uses. */
export type Provider = (typeof PROVIDERS)[number];

/** The reason why a stream does not count as whole. */
export interface Unfinished {
  readonly kind: "no-event" | "incomplete" | "call" | "payload" | "call-lost" | "mismatch" | "bad-frame" | "provider-error";
  readonly message: string;
}

/** Frees streams that were garbage collected. Without this class, only `dispose` frees memory. */
const abandoned =
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : new FinalizationRegistry<{ module: Instance; slot: number }>(({ module, slot }) => {
        if (!module.failure) module.exports.release(slot);
      });

/**
 * A provider's stream: the calls with the matches in their arguments, text, reasoning, usage and the end, whatever the
 * provider. The patterns apply to the arguments of each call.
 *
 * Nothing that a provider says is dropped: there are `unknown-part`, `media`, `data` and `mismatch` (a repetition that contradicts
 * what was reported). An input that only an application's schema has changed, by defaults or by members left out, is `data` beside
 * the call's own value.
 *
 * @example
 * ```ts
 * import { ProviderStream } from "jsonspigot/providers";
 *
 * const stream = new ProviderStream("anthropic", "city", { message: true });
 * for await (const sdkEvent of client.messages.stream(request)) {
 *   for (const event of stream.push(sdkEvent)) {
 *     if (event.kind === "input" && event.status === "complete") console.log(event.name, event.value); // "plan" {"city":"Köln"}
 *   }
 * }
 * stream.finish();
 * console.log(stream.unfinished === undefined, stream.message<{ role: string }>()?.role); // true "assistant"
 * ```
 */
export class ProviderStream {
  readonly #module: Instance;
  /** Negative once it has been disposed of. */
  #slot: number;
  readonly #reading: StreamReading;
  /** Half a surrogate pair from the end of the last chunk. */
  #half = "";

  /**
   * @param provider - whose stream it is; `auto` detects it from the first event that only one provider sends.
   * @param patterns - what is selected in the arguments of each call; nothing by default.
   * @throws {PatternError} for a pattern that can't be compiled.
   * @throws {JsonSpigotError} of kind `invalid-option`, for an unknown provider too, or of kind `invalid-mark`.
   */
  constructor(provider: Provider | "auto", patterns: string | readonly string[] = [], options: ProviderOptions = {}) {
    if (!PROVIDERS.includes(provider as Provider) && provider !== "auto") {
      throw invalid(`provider: ${JSON.stringify(provider)} is not one of auto, ${PROVIDERS.join(", ")}`);
    }
    this.#module = instance();
    const { settings, encoded } = encodeOptions(options);
    const { envelope = [], closed } = options;
    const marks = typeof envelope === "string" ? [envelope] : envelope.map(String);
    this.#reading = { options: settings, marks, calls: new Map(), payloads: new Map() };
    const tools = Object.entries(options.tools ?? {});
    forgetOldest(this.#module);
    const [set, ...sets] = [patterns, ...tools.map(([, own]) => own)].map((one) => compile(this.#module, one));
    const fields = closed === undefined ? "" : String(compile(this.#module, closed));
    const texts = encodeTexts([fields, String(marks.length), ...marks, ...tools.flatMap(([name], index) => [String(sets[index]), name])]);
    const length = this.#module.writeBytes(joinedAll([encoded, texts]));
    this.#slot = this.#module.exports.create_stream(set!, PROVIDERS.indexOf(provider as Provider) >>> 0, length);
    if (this.#slot < 0) {
      const { reason, numbers } = this.#module.refusal(this.#slot);
      throw new JsonSpigotError("invalid-mark", `invalid mark ${JSON.stringify(marks[numbers[0]!])}: ${reason}`);
    }
    abandoned?.register(this, { module: this.#module, slot: this.#slot }, this);
  }

  /**
   * Takes one event: an object as the provider's SDK gives it, or its JSON text, as it follows `data:`.
   *
   * Errors in an event's JSON are reported as events, not thrown.
   *
   * @throws {TypeError} for what has no JSON text: bytes, a circular object, a `bigint`.
   */
  push(event: object | string): StreamEvent[] {
    if (isBytes(event)) throw new TypeError("an event is an object or its JSON text: `feed` takes the bytes of a response");
    const text = typeof event === "string" ? event : jsonOf(event);
    if (isWellFormed(text)) return this.#readEvents((exports) => exports.push(this.#slot, this.#module.write(text)));
    const shown = text.replace(/\p{Surrogate}/gu, "\ufffd");
    return this.#readEvents((exports) => exports.push_unreadable(this.#slot, this.#module.write(shown)));
  }

  /**
   * Takes a chunk of the response's body, at any cut: server-sent events; or JSON texts, one per line or in an array; or
   * Amazon's event stream, in bytes.
   */
  feed(chunk: string | Uint8Array): StreamEvent[] {
    if (typeof chunk === "string") {
      let text = this.#half + chunk;
      this.#half = endsInHalf(text) ? text.slice(-1) : "";
      if (this.#half !== "") text = text.slice(0, -1);
      return this.#readEvents((exports) => exports.feed(this.#slot, this.#module.write(text)));
    }
    if (!isBytes(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
    const events = this.#endHalf();
    return [...events, ...this.#readEvents((exports) => exports.feed(this.#slot, this.#module.writeBytes(chunk)))];
  }

  /**
   * Ends the stream. Open calls and payloads end, truncated unless they are complete.
   *
   * @param reason - why you have stopped it, such as `cancelled`; without one the input has ended.
   */
  finish(reason = ""): StreamEvent[] {
    return [...this.#endHalf(), ...this.#readEvents((exports) => exports.finish(this.#slot, this.#module.write(reason)))];
  }

  /** Feeds half a pair that nothing completes. */
  #endHalf(): StreamEvent[] {
    const half = this.#half;
    this.#half = "";
    return half === "" ? [] : this.#readEvents((exports) => exports.feed(this.#slot, this.#module.write(half)));
  }

  /**
   * Returns the reason why the stream does not count as whole, or `undefined` if everything that the provider sent was reported
   * and has ended. Ask after {@link finish}.
   */
  get unfinished(): Unfinished | undefined {
    const told = this.#ask((exports) => exports.unfinished(this.#slot));
    if (told === undefined) return undefined;
    const blank = told.indexOf(" ");
    return { kind: told.slice(0, blank) as Unfinished["kind"], message: told.slice(blank + 1) };
  }

  /** Returns the provider, once it is known. */
  get provider(): Provider | undefined {
    return this.#ask((exports) => exports.provider(this.#slot)) as Provider | undefined;
  }

  /**
   * Returns the assistant's message in the provider's own shape, ready to be appended to the next request: with signatures,
   * encrypted reasoning and calls. It is there once the answer has stopped, with the option `message`; `undefined` if
   * something of it is missing, and for providers whose server keeps the conversation.
   */
  message<T = Json>(): T | undefined {
    return this.#valueOf<T>(this.messageText());
  }

  /** Returns the message as JSON text, in which each value has its original spelling. */
  messageText(): string | undefined {
    return this.#ask((exports) => exports.message(this.#slot, 1));
  }

  /**
   * Returns the message without its calls and their results, to continue with if a call is not whole: servers refuse a message
   * with such a call, now and in every later request.
   */
  messageWithoutCalls<T = Json>(): T | undefined {
    return this.#valueOf<T>(this.#ask((exports) => exports.message(this.#slot, 0)));
  }

  #valueOf<T>(text: string | undefined): T | undefined {
    return text === undefined ? undefined : (makeValue(text, this.#reading.options) as T);
  }

  /**
   * Returns the stream's state as bytes, between two chunks or events, cut anywhere: the events since the message began, and half an
   * event that waits for the rest. {@link ProviderStream.restore} makes a stream of them that continues as if nothing had
   * happened, in another process or on another machine.
   *
   * @throws {JsonSpigotError} of kind `not-retained` without the option `saveable`, and as long as the events of the message
   * are longer than its limit.
   */
  save(): Uint8Array {
    const length = this.#call((exports) => exports.save(this.#slot));
    if (length < 0) throw errorOf(JSON.parse(this.#module.text(length)));
    const state = this.#module.bytes(length);
    if (this.#half === "") return state;
    // No state of the library begins with a byte of a surrogate. The complement detects damage.
    const [high, low] = [this.#half.charCodeAt(0) >> 8, this.#half.charCodeAt(0) & 255];
    return joinedAll([Uint8Array.of(high, low, ~high, ~low), state]);
  }

  /**
   * Restores a stream from a state, with the provider (`auto`, if it was made with that), patterns and options that it was
   * saved with, which are not in the state. Only `numbers`, `prototypeKeys`, `spelling` and `saveable` may differ, which
   * is true here unless you say otherwise.
   *
   * The bytes are not trusted: any bytes give a stream or an error. But anyone who can write them can forge the stream's
   * input, so protect them like the text.
   *
   * @throws {JsonSpigotError} of kind `not-saved-state`, `other-version`, `cut`, `changed`, `other-kind` (that of an
   * parser, say), `other-patterns`, `other-choices`, or `impossible` for forged bytes.
   */
  static restore(
    provider: Provider | "auto",
    patterns: string | readonly string[],
    state: Uint8Array,
    options: ProviderOptions = {},
  ): ProviderStream {
    const stream = new ProviderStream(provider, patterns, { saveable: true, ...options });
    try {
      stream.#restore(state);
      return stream;
    } catch (thrown) {
      stream.dispose();
      throw thrown;
    }
  }

  #restore(bytes: Uint8Array): void {
    if (!isBytes(bytes)) throw new TypeError("a saved state is a Uint8Array");
    let state = bytes;
    const [high, low, notHigh, notLow] = bytes as unknown as readonly [number, number, number, number];
    if (high >> 2 === 0xd8 >> 2) {
      if (bytes.length < 4) throw refusedAs("cut");
      if ((high ^ notHigh) !== 255 || (low ^ notLow) !== 255) throw refusedAs("changed");
      this.#half = String.fromCharCode((high << 8) | low);
      state = bytes.subarray(4);
    }
    const length = this.#call((exports) => exports.restore(this.#slot, this.#module.writeBytes(state)));
    if (length < 0) throw refusedAs(Object.keys(REFUSALS)[-length - 1] as keyof typeof REFUSALS);
    this.#readEvents(() => length);
  }

  /** Frees its memory. Calling it again does nothing; every other call then throws. */
  dispose(): void {
    if (this.#slot < 0) return;
    abandoned?.unregister(this);
    if (!this.#module.failure) this.#module.exports.release(this.#slot);
    this.#slot = -1;
  }

  declare [Symbol.dispose]: () => void;

  /** Runs a call of the module. After a trap, and after `dispose`, it is an error. */
  #call(run: (exports: Exports) => number): number {
    if (this.#slot < 0) throw new JsonSpigotError("disposed", "the stream has been disposed of");
    if (this.#module.failure) throw this.#module.failure;
    try {
      return run(this.#module.exports);
    } catch (thrown) {
      throw this.#module.trapped(thrown);
    }
  }

  /** Returns the one text that a call writes, if it writes any. */
  #ask(run: (exports: Exports) => number): string | undefined {
    return this.#module.text(this.#call(run)) || undefined;
  }

  #readEvents(run: (exports: Exports) => number): StreamEvent[] {
    const length = this.#call(run);
    return length === 0 ? [] : readStreamEvents(this.#module.text(length), this.#reading);
  }
}

disposable(ProviderStream.prototype);

/** Returns an SDK's object as the JSON that it was made from. */
function jsonOf(event: object): string {
  const refuse = (): never => {
    throw new TypeError("an event is an object or its JSON text");
  };
  if (typeof event !== "object" || event === null) return refuse();
  // Amazon's SDK decodes the base64 of another model's events.
  const bytes = (event as { chunk?: { bytes?: unknown } }).chunk?.bytes;
  const made = isBytes(bytes) ? { chunk: { bytes: base64(bytes) } } : event;
  return (JSON.stringify(made) as string | undefined) ?? refuse();
}

function base64(bytes: Uint8Array): string {
  let units = "";
  for (const byte of bytes) units += String.fromCharCode(byte);
  return btoa(units);
}
