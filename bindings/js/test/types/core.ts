// Assertions about the types: compiled under `strict`, never run.

import {
  applyPatch, deltas, events, EventStream, FieldReader, JsonSpigotError, lenient, Parser, partial, pathOf, PatternError, rawDeltas, snapshots,
  type DeepPartial, type Event, type Json, type ParserOptions, type PatchOp, type StandardSchema, type ValueState,
} from "jsonspigot";
import { ToolCalls, type CallEvent } from "jsonspigot/calls";
import { Documents, type DocumentEvent } from "jsonspigot/documents";
import { Envelope, type EnvelopeEvent } from "jsonspigot/envelope";
import { restoreDocuments, restoreParser, saveParser } from "jsonspigot/saved";
import { fieldState, PartialJsonParser, type PartialJson } from "jsonspigot/compat";
import { RewriteError, Rewriter, RewriteStream, Rule, type RewriterOptions } from "jsonspigot/rewrite";
import { AiSdkStream, aiSdkEvents } from "jsonspigot/ai-sdk";
import { AnthropicStream, anthropicEvents } from "jsonspigot/anthropic";
import { GeminiStream, geminiEvents } from "jsonspigot/gemini";
import { ChatStream, chatEvents, ResponsesStream, responsesEvents, type WireEvent } from "jsonspigot/openai";
import * as providers from "jsonspigot/providers";
import * as providersSlim from "jsonspigot/providers/slim";
import { useJsonStream } from "jsonspigot/react";

/** Compiles if the two types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => undefined;

interface Trip {
  city: string;
  days: { plan: string; costs?: number | null }[];
}

const parser = new Parser(["city"], { snapshots: true, limits: { depth: 10 }, lenient: lenient(["comments"]) });
same<ReturnType<typeof parser.feed>, Event[]>(true);
same<ReturnType<typeof parser.stateOf>, ValueState>(true);

const shown = parser.snapshot<Trip>();
same<typeof shown, DeepPartial<Trip> | undefined>(true);
same<NonNullable<typeof shown>["city"], string | undefined>(true);
same<DeepPartial<Trip>["days"], DeepPartial<{ plan: string; costs?: number | null }>[] | undefined>(true);
// @ts-expect-error: it may not be there yet
shown.city;
// @ts-expect-error: nor may this
shown?.days.length;
const whole = parser.value<Trip>();
same<typeof whole.days[0]["plan"], string>(true);

for (const event of parser.feed(new Uint8Array())) {
  switch (event.kind) {
    case "begin":
      same<typeof event.type, "null" | "boolean" | "number" | "string" | "array" | "object">(true);
      // @ts-expect-error: a begin has no text
      event.text;
      break;
    case "delta":
      same<typeof event.text, string>(true);
      break;
    case "end":
      same<typeof event.value, Json | undefined>(true);
      break;
    case "inner-error":
      same<typeof event.error, JsonSpigotError>(true);
      break;
    default:
      same<typeof event, never>(true);
  }
}

const calls = new ToolCalls("city", { tools: { plan: ["days[*]"] }, callLimits: { openCalls: 8 }, snapshots: true });
same<ReturnType<typeof calls.delta>, CallEvent[]>(true);
calls.start([1, 0], { name: null, id: undefined });
// @ts-expect-error: a slot is no object
calls.start({}, {});
for (const event of calls.finish("stop")) {
  if (event.kind === "input") {
    same<typeof event.value, Json | undefined>(true);
    // Each status has its own members.
    switch (event.status) {
      case "complete":
      case "empty":
        same<typeof event.value, Json>(true);
        break;
      case "accepted":
        same<typeof event.value, Json>(true);
        same<typeof event.strict, string>(true);
        break;
      case "truncated":
        same<typeof event.reason, string>(true);
        same<typeof event.value, undefined>(true);
        break;
      case "trailing":
        same<typeof event.values, readonly Json[] | undefined>(true);
        break;
      case "malformed":
      case "raw":
        // @ts-expect-error: it was not cut
        event.reason;
        break;
      default:
        same<typeof event, never>(true);
    }
  }
  // A provider's events have the same records.
  const said: providers.StreamEvent = event;
  void said;
}
for (const event of new providers.ProviderStream("auto").finish()) {
  if (event.kind === "delta") same<typeof event.call, number | undefined>(true);
  if (event.kind === "delta" && event.mark === undefined) same<typeof event.call, number>(true);
  if (event.kind === "input" && event.status === "complete") same<typeof event.value, Json>(true);
}
same<ReturnType<Envelope["feed"]>, EnvelopeEvent[]>(true);
for (const event of new Envelope("tag:think").feed("x")) {
  if (event.kind === "payload" && event.status === "complete") same<typeof event.value, Json>(true);
  if (event.kind === "payload" && event.status === "empty") same<typeof event.value, undefined>(true);
  if (event.kind === "payload" && event.status === "truncated") same<typeof event.reason, string>(true);
}
new Envelope("tag:think", [], { startsInside: true, retain: "all", holdLimit: 64, payloadLimit: Infinity });
// @ts-expect-error: it is a boolean
new Envelope("tag:think", [], { startsInside: "tag:think" });
for (const event of new Envelope(["tag:think"]).feed("x")) if (event.kind === "fragment") same<typeof event.text, string>(true);

for (const event of new Documents("lines", "city").finish()) {
  same<typeof event, DocumentEvent>(true);
  same<typeof event.document, number>(true);
  if (event.kind === "document") same<typeof event.value, Json | undefined>(true);
}

const ops: PatchOp[] = parser.patch();
const copy: Json | undefined = applyPatch(undefined, ops);

// @ts-expect-error: no such option
const options: ParserOptions = { snapshot: true };
// @ts-expect-error: no such framing
new Documents("csv");
// @ts-expect-error: a chunk is text or bytes
parser.feed(1);
// @ts-expect-error: a stream of documents shows none that is open
new Documents("lines", [], { snapshots: true });
// @ts-expect-error: the status is read-only
parser.status.bytes = 1;

async function streams(response: Response, stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const text of deltas(response, "city")) same<typeof text, string>(true);
  for await (const text of rawDeltas(response, "city", { limits: { total: 9 } })) same<typeof text, string>(true);
  // @ts-expect-error: this is for `events`
  deltas(response, "city", { lenient: lenient("model-output") });
  for await (const event of events(stream, ["city"], { signal: AbortSignal.timeout(1) })) same<typeof event, Event>(true);
  for await (const trip of snapshots<Trip>(["{", "}"])) same<typeof trip, DeepPartial<Trip>>(true);
  const schema = {} as StandardSchema<Trip>;
  for await (const trip of snapshots(["{", "}"], { schema })) same<typeof trip, DeepPartial<Trip> | Trip>(true);
  // A caller may pass on a signal that is undefined, also with exactOptionalPropertyTypes.
  const maybe: { signal: AbortSignal | undefined; key: string | undefined } = { signal: undefined, key: undefined };
  deltas(response, "city", { signal: maybe.signal });
  events(response, "city", { signal: maybe.signal });
  await new FieldReader(response, { signal: maybe.signal }).get("city", { signal: maybe.signal });
  // @ts-expect-error: a reader shows no open numbers
  new FieldReader(response, { provisional: true });
  providers.providerEvents(response, "auto", "city", { signal: maybe.signal });
  useJsonStream(null, { key: maybe.key });
  same<EventStream["readable"], ReadableStream<Event>>(true);
  await providers.init(fetch("providers.wasm"));
  providers.initSync(new Uint8Array());
}

function Component(): string {
  const { value, status, error } = useJsonStream<Trip>((signal) => fetch("/", { signal }), { key: 1, provisional: true });
  same<typeof error, unknown>(true);
  same<typeof status, "idle" | "streaming" | "complete" | "error">(true);
  useJsonStream(null);
  // @ts-expect-error: the hook decides this
  useJsonStream(null, { retain: "all" });
  return value?.days?.[0]?.plan ?? "";
}

same<PatternError extends JsonSpigotError ? true : false, true>(true);

export { Component, copy, options, streams };

const restored = restoreParser(["city"], saveParser(parser), { retain: "nothing" });
same<typeof restored, Parser>(true);
same<ReturnType<typeof restored.clone>, Parser>(true);
same<ReturnType<typeof restoreDocuments>, Documents>(true);
// @ts-expect-error: a state is an object
restoreParser("city", "state");

const rewriter = new Rewriter([Rule.remove("a"), Rule.map("b", (json) => json), Rule.mapText("c", (piece) => piece ?? "")], { heldLimit: 9 });
same<ReturnType<typeof rewriter.write>, string>(true);
same<RewriteStream["readable"], ReadableStream<string>>(true);
same<RewriteError extends JsonSpigotError ? true : false, true>(true);
// @ts-expect-error: only strict JSON can be rewritten
const tolerant: RewriterOptions = { lenient: lenient("model-output") };
// @ts-expect-error: rules are made by the methods of `Rule`
new Rewriter({ remove: "a" });
// @ts-expect-error: what comes out is text
Rule.mapText("a", (piece) => piece);
void tolerant;

interface Plan {
  city: string;
  days: { plan: string; costs?: number | null }[];
  owner?: { name: string; boss: Plan["owner"] };
  choice: { kind: "train"; line: number } | { kind: "car" };
  extra: Json;
  prices: Record<string, number>;
}

async function fields(reader: FieldReader<Plan>, signal: AbortSignal, day: number, path: string[]): Promise<void> {
  same<Awaited<ReturnType<typeof reader.get<["city"]>>>, string | undefined>(true);
  const costs = await reader.get("days", day, "costs", { signal });
  same<typeof costs, number | null | undefined>(true);
  const whole = await reader.get({ signal });
  same<typeof whole, Plan | undefined>(true);
  const boss = await reader.get("owner", "boss", "boss", "name");
  same<typeof boss, string | undefined>(true);
  const line = await reader.get("choice", "line");
  same<typeof line, number | undefined>(true);
  const extra = await reader.get("extra", "any", 0, ...path);
  same<typeof extra, Json | undefined>(true);
  const price = await reader.get("prices", "train");
  same<typeof price, number | undefined>(true);
  for await (const text of reader.streamText("days", 0, "plan", { signal })) same<typeof text, string>(true);
  for await (const days of reader.streamValues("days")) same<typeof days, DeepPartial<Plan["days"]>>(true);
  for await (const one of reader.forEach("days")) same<typeof one, Plan["days"][0]>(true);
  // @ts-expect-error: there is no such member
  reader.get("town");
  // @ts-expect-error: nor this
  reader.get("days", 0, "plans");
  // @ts-expect-error: an array has indices
  reader.get("days", "0");
  // @ts-expect-error: a string has no members
  reader.get("city", "length");
  // @ts-expect-error: there is no such option
  reader.get("city", { sinal: signal });
  // @ts-expect-error: where this leads is not known
  reader.get(...path);
  // @ts-expect-error: it is no string
  reader.streamText("days");
  // @ts-expect-error: it is no array
  reader.forEach("city");
  // @ts-expect-error: there is no such member
  reader.streamValues("town");
  // @ts-expect-error: the type is the reader's
  reader.get<string>("city");
}

async function untypedFields(reader: FieldReader, anything: FieldReader<any>, unknown: FieldReader<unknown>, path: string[]): Promise<void> {
  const note = await reader.get("days", 0, ...path);
  same<typeof note, Json | undefined>(true);
  for await (const row of reader.forEach("rows")) same<typeof row, Json>(true);
  for await (const text of reader.streamText(...path)) same<typeof text, string>(true);
  (await anything.get("a", 0))?.b.c;
  const found = await unknown.get("a", 0);
  same<typeof found, unknown>(true);
}
void untypedFields;
void fields;

const segments: readonly (string | number | null)[] = parser.feed("")[0]!.segments;
const pointer: string = pathOf(parser.feed("")[0]!, "pointer");
void pointer;

const restoredStream = providers.ProviderStream.restore("auto", "city", new Uint8Array(), { message: true });
same<typeof restoredStream, providers.ProviderStream>(true);
same<ReturnType<typeof restoredStream.push>, providers.StreamEvent[]>(true);
same<typeof providers.ProviderStream, typeof providersSlim.ProviderStream>(true);
// @ts-expect-error: there is no such provider
providers.ProviderStream.restore("nobody", [], new Uint8Array());
// @ts-expect-error: a state is bytes
providers.ProviderStream.restore("auto", [], "state");

const growing = partial<Trip>({ provisional: true });
same<ReturnType<typeof growing.push>, DeepPartial<Trip> | undefined>(true);
same<ReturnType<typeof growing.value>, Trip>(true);
// @ts-expect-error: the names are for `lenient`
new Parser("a", { lenient: "model-output" });
same<ReturnType<PartialJsonParser["push"]>, PartialJson>(true);
same<ReturnType<typeof fieldState>, "partial" | "complete">(true);
/** A chunk as an SDK has it. */
interface Chunk {
  readonly choices: readonly { readonly index: number }[];
}

async function adapters(chunks: AsyncIterable<Chunk>, texts: ReadableStream<string> & AsyncIterable<string>): Promise<void> {
  for await (const event of chatEvents(chunks, "city", { tools: { plan: "days[*]" } })) {
    same<typeof event, WireEvent<Chunk>>(true);
    if (event.kind === "provider-event") same<typeof event.event, Chunk>(true);
    if (event.kind === "input" && event.status === "complete") same<typeof event.value, Json>(true);
    if (event.kind === "text" || event.kind === "stop") same<typeof event.choice, number>(true);
  }
  for await (const event of responsesEvents(texts)) if (event.kind === "provider-event") same<typeof event.event, string>(true);
  for await (const event of anthropicEvents([{ type: "ping" }])) same<typeof event, WireEvent<{ type: string }>>(true);
  geminiEvents(chunks);
  aiSdkEvents(texts, ["city"]);
  // @ts-expect-error: an event is an object or a text
  chatEvents([1]);
  // @ts-expect-error: there is no such option
  chatEvents(chunks, "city", { structured: true });
}
void adapters;

for (const stream of [new ChatStream(), new ResponsesStream(), new AnthropicStream(), new GeminiStream(), new AiSdkStream("city", { snapshots: true })]) {
  same<ReturnType<typeof stream.push>, WireEvent<object | string>[]>(true);
  same<typeof stream.calls, ToolCalls>(true);
}
const chat = new ChatStream<Chunk>();
// @ts-expect-error: these are the chunks
chat.push({});
