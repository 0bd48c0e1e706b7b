// A provider's stream: its events in, what they mean out.

import { JsonSpigotError } from "../error.js";
import { isBytes } from "../input.js";
import { checkOptions, invalid, makingOf } from "../options.js";
import { makeValue, type Json, type Making } from "../values.js";
import { EventReader } from "./event-reader.js";
import { wireEvents } from "./frameworks.js";
import { readStreamEvents, type StreamEvent } from "./events.js";
import { Framing, LONE_SURROGATES, type FrameKind } from "./framing.js";
import { isNew, readFraming, writeFraming } from "./framing-state.js";
import { encodeLimits, encodeText, Handle, saveLimit } from "./handle.js";
import { isWellFormed } from "./instance.js";
import { loader } from "./module.js";
import { encodeOptions, type ModuleParsingOptions } from "./options.js";
import { compile } from "./patterns.js";
import { possible, taken, taking, together } from "./state.js";

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

export interface ProviderOptions extends ModuleParsingOptions {
  /** Patterns for the tools of these names, instead of those for all others. */
  readonly tools?: { readonly [name: string]: string | readonly string[] };
  /** The assistant's text is itself JSON: each answer is reported as a call without an id or a name. */
  readonly structured?: boolean;
  /** Keeps the assistant's message for {@link ProviderStream.message}. */
  readonly message?: boolean;
  /**
   * Buffers the events since the message began, so that {@link ProviderStream.save} works: up to 1 MiB, or this many bytes.
   */
  readonly saveable?: boolean | number;
  /** Reports each event as it came, before what it means. */
  readonly providerEvents?: boolean;
  /**
   * Looks for payloads between these marks in the assistant's text, as {@link Envelope} does; the patterns apply to them
   * too.
   */
  readonly envelope?: string | readonly string[];
  /** Each fragment of a call's arguments repeats those before it, as some servers do. */
  readonly cumulative?: boolean;
  /**
   * The meaning of a repeated key in arguments: an error at the second one unless set otherwise, as nobody can say which one
   * the model meant.
   */
  readonly duplicateKeys?: "last-wins" | "reject";
  /** How much a stream may make this process keep: 256 calls, 16 MiB, 16 KiB and 32 MiB unless set otherwise. */
  readonly callLimits?: {
    readonly openCalls?: number;
    /** Bytes of one call's input. */
    readonly inputBytes?: number;
    /** Bytes of an id or a name. */
    readonly nameBytes?: number;
    /** Bytes of one event. */
    readonly eventBytes?: number;
  };
}

const PARSING = ["limits", "duplicateKeys", "lenient", "accept", "numbers", "spelling"] as const;
const KNOWN = [...PARSING, "prototypeKeys", "tools", "structured", "message", "saveable", "providerEvents", "envelope", "cumulative", "callLimits"];
const EVENT_BYTES = 32 << 20;

/** The options that the parsers are made from. */
export function parsingOptions(options: ModuleParsingOptions, known: readonly string[]): ModuleParsingOptions {
  checkOptions(options, known);
  const picked: { [name: string]: unknown } = {};
  for (const name of PARSING) if (options[name] !== undefined) picked[name] = options[name];
  return picked as ModuleParsingOptions;
}

/** A reader of one text's events. */
export function eventReader(making: Making, spelling: boolean, keepsText: boolean): EventReader {
  return new EventReader({ ...making, spelling, keepsText });
}

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
export class ProviderStream extends Handle {
  readonly #making: Making;
  readonly #newReader: () => EventReader;
  readonly #calls = new Map<number, EventReader>();
  readonly #marks: readonly string[];
  readonly #payloads = new Map<number, EventReader>();
  readonly #eventBytes: number;
  #framing: Framing | undefined;
  /** What the frames of a chunk reported. */
  #told: StreamEvent[] = [];

  /**
   * @param provider - whose stream it is; `auto` detects it from the first event that only one provider sends.
   * @throws {PatternError} for a pattern that can't be compiled.
   * @throws {JsonSpigotError} of kind `invalid-option`, for an unknown provider too.
   */
  constructor(provider: Provider | "auto", patterns: string | readonly string[] = [], options: ProviderOptions = {}) {
    if (!PROVIDERS.includes(provider as Provider) && provider !== "auto") {
      throw invalid(`provider: ${JSON.stringify(provider)} is not one of auto, ${PROVIDERS.join(", ")}`);
    }
    super(loader.instance());
    const place = PROVIDERS.indexOf(provider as Provider);
    const parsing = parsingOptions(options, KNOWN);
    this.#making = makingOf(options);
    this.#newReader = () => eventReader(this.#making, options.spelling ?? false, true);
    const { openCalls, inputBytes, nameBytes, eventBytes = EVENT_BYTES } = options.callLimits ?? {};
    this.#eventBytes = eventBytes;
    let flags = options.structured ? 1 : 0;
    if (options.message) flags |= 2;
    if (options.cumulative) flags |= 4;
    if (options.duplicateKeys === "last-wins") flags |= 8;
    if (options.providerEvents) flags |= 16;
    const { envelope = [] } = options;
    this.#marks = typeof envelope === "string" ? [envelope] : [...envelope];
    if (this.#marks.length > 0) {
      flags |= 32;
      this.#checkMarks(this.#marks);
    }
    const parts = [
      new Uint8Array(new Uint32Array([flags]).buffer),
      encodeLimits([
        ["callLimits.openCalls", openCalls, 256],
        ["callLimits.inputBytes", inputBytes, 16 << 20],
        ["callLimits.nameBytes", nameBytes, 16 << 10],
        ["callLimits.eventBytes", eventBytes, EVENT_BYTES],
        ["saveable", saveLimit(options.saveable), 0],
      ]),
      encodeOptions(parsing),
    ];
    if (this.#marks.length > 0) {
      for (const text of [String(this.#marks.length), ...this.#marks]) parts.push(...encodeText(text));
    }
    const tools = Object.entries(options.tools ?? {});
    const [set, ...sets] = this.#compileAll([patterns, ...tools.map(([, own]) => own)]);
    tools.forEach(([name], index) => parts.push(...encodeText(String(sets[index])), ...encodeText(name)));
    const length = this.module.writeAll(parts);
    this.own(this.module.exports.create_stream(set!, place >>> 0, length));
  }

  /** Refuses marks that are none. An envelope says why; here it is made for that alone. */
  #checkMarks(marks: readonly string[]): void {
    const { create_envelope, release } = this.module.exports;
    const choices = [encodeLimits([["holdLimit", 0, 0], ["payloadLimit", 0, 0], ["saveable", 0, 0]]), encodeOptions({})];
    const set = compile(this.module, []);
    const slot = create_envelope(set, this.module.writeAll([...choices, ...marks.flatMap((mark) => encodeText(String(mark)))]));
    if (slot >= 0) return void release(slot);
    const output = this.module.read(0);
    const mark = marks[output.word()];
    throw new JsonSpigotError("invalid-mark", `invalid mark ${JSON.stringify(mark)}: ${output.string()}`);
  }

  /** The numbers of several sets, all of which the instance still has in the end. */
  #compileAll(all: readonly (string | readonly string[])[]): number[] {
    const compileEach = (): number[] => all.map((one) => compile(this.module, typeof one === "string" ? [one] : one));
    let sets = compileEach();
    // Compiling one may have made the instance forget another.
    for (let tries = 0; ; tries++) {
      const again = compileEach();
      if (again.every((set, index) => set === sets[index])) return again;
      if (tries === 4) throw invalid("tools: too many tools have patterns of their own");
      sets = again;
    }
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
    return isWellFormed(text) ? this.#push(text) : this.#unreadable(text.replace(LONE_SURROGATES, "\ufffd"));
  }

  /**
   * Takes a chunk of the response's body, at any cut: server-sent events; or JSON texts, one per line or in an array; or
   * Amazon's event stream, in bytes.
   */
  feed(chunk: string | Uint8Array): StreamEvent[] {
    if (typeof chunk !== "string" && !isBytes(chunk)) throw new TypeError("a chunk is a string or a Uint8Array");
    this.call(() => 0);
    this.#beginFraming().feed(chunk);
    return this.#take();
  }

  #beginFraming(): Framing {
    return (this.#framing ??= new Framing(this.#eventBytes, (kind, text) => this.#frame(kind, text)));
  }

  /**
   * Nothing more will arrive: what is still open ends, truncated unless it is complete.
   *
   * @param reason - why you have stopped it, such as `cancelled`; without one the input has ended.
   */
  finish(reason = ""): StreamEvent[] {
    this.#framing?.finish();
    this.#framing = undefined;
    this.#told.push(...this.#readEvents((exports) => exports.finish(this.slot, this.module.write(reason))));
    return this.#take();
  }

  /**
   * The reason why the stream does not count as whole, or `undefined` if everything that the provider said was reported and has come to
   * its end. Ask after {@link finish}.
   */
  get unfinished(): Unfinished | undefined {
    const told = this.ask((exports) => exports.unfinished(this.slot));
    if (told === undefined) return undefined;
    const blank = told.indexOf(" ");
    return { kind: told.slice(0, blank) as Unfinished["kind"], message: told.slice(blank + 1) };
  }

  /** The provider, once it is known. */
  get provider(): Provider | undefined {
    return this.ask((exports) => exports.provider(this.slot)) as Provider | undefined;
  }

  /**
   * The assistant's message in the provider's own shape, ready to be appended to the next request: with signatures,
   * encrypted reasoning and calls. It is there once the answer has stopped, with the option `message`; `undefined` if
   * something of it is missing, and for providers whose server keeps the conversation.
   */
  message<T = Json>(): T | undefined {
    const text = this.messageText();
    return text === undefined ? undefined : (makeValue(text, this.#making) as T);
  }

  /** The same as JSON text, in which each value is spelt as it came. */
  messageText(): string | undefined {
    return this.ask((exports) => exports.message(this.slot, 1));
  }

  /**
   * The message without its calls and what came of them: what an app continues with if a call is not whole, as servers refuse
   * a message with such a call, now and in every later request.
   */
  messageWithoutCalls<T = Json>(): T | undefined {
    const text = this.ask((exports) => exports.message(this.slot, 0));
    return text === undefined ? undefined : (makeValue(text, this.#making) as T);
  }

  /**
   * The stream's state as bytes, between two chunks or events, cut anywhere: the events since the message began, and half an
   * event that waits for the rest. {@link ProviderStream.restore} makes a stream of them that goes on as if nothing had
   * happened, in another process or on another machine.
   *
   * @throws {JsonSpigotError} of kind `not-retained` without the option `saveable`, and as long as the events of the message
   * are longer than its limit.
   */
  save(): Uint8Array {
    const framing = this.#framing;
    return together(this.saved(), framing && !isNew(framing) ? (out) => writeFraming(out, framing) : undefined);
  }

  /**
   * A stream that goes on from a state, with the provider (`auto`, if it was made with that), patterns and options that it
   * was saved with: these are not in the state. Only `numbers`, `prototypeKeys`, `spelling` and `saveable` may differ, which
   * is true here unless you say otherwise.
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
    return taking(new ProviderStream(provider, patterns, { saveable: true, ...options }), (stream) => {
      const saved = taken(state);
      const length = stream.module.writeAll([saved.state]);
      saved.check(stream.call((exports) => exports.restore(stream.slot, length)), (count) =>
        stream.#readEvents(() => count),
      );
      saved.read((added) => {
        readFraming(added, stream.#beginFraming());
        // Half an event reports nothing.
        possible(stream.feed("").length === 0);
      });
    });
  }

  #frame(kind: FrameKind, text: string): void {
    if (kind === "text") return this.#tell(this.#push(text));
    if (kind === "unreadable") return this.#tell(this.#unreadable(text));
    if (kind === "too-long") return this.#tell(this.#readEvents((exports) => exports.feed_oversized(this.slot)));
    const told = this.#push(text);
    this.#tell(told);
    // Its name is not known, but it is an error all the same.
    if (!told.some((event) => event.kind === "provider-error")) this.#tell(this.#unreadable(text));
  }

  #push(text: string): StreamEvent[] {
    return this.#readEvents((exports) => exports.feed(this.slot, this.module.write(text)));
  }

  #unreadable(text: string): StreamEvent[] {
    return this.#readEvents((exports) => exports.feed_unreadable(this.slot, this.module.write(text)));
  }

  #readEvents(run: (exports: Handle["module"]["exports"]) => number): StreamEvent[] {
    const count = this.call(run);
    if (count === 0) return [];
    const output = this.read(count);
    return readStreamEvents(this.module, output, this.#making, this.#calls, this.#newReader, this.#marks, this.#payloads);
  }

  #tell(events: readonly StreamEvent[]): void {
    for (const event of events) this.#told.push(event);
  }

  #take(): StreamEvent[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }
}

/** An SDK's object as the JSON that it was made from, a framework's as that of the wire format that says the same. */
function jsonOf(event: object): string {
  const refuse = (): never => {
    throw new TypeError("an event is an object or its JSON text");
  };
  if (typeof event !== "object" || event === null) return refuse();
  // Amazon's SDK decodes the base64 of another model's events.
  const bytes = (event as { chunk?: { bytes?: unknown } }).chunk?.bytes;
  const events = isBytes(bytes) ? [{ chunk: { bytes: base64(bytes) } }] : wireEvents(event);
  if (events.length === 0) return "";
  return (JSON.stringify(events.length === 1 ? events[0] : events) as string | undefined) ?? refuse();
}

function base64(bytes: Uint8Array): string {
  let units = "";
  for (const byte of bytes) units += String.fromCharCode(byte);
  return btoa(units);
}
