// The events of provider streams, and how the module's records are read into it.

import type { JsonSpigotError } from "../error.js";
import type { CallErrorEvent, CallMatchEvent, CallStartEvent, InputEvent } from "../calls/event.js";
import { readError, type EventReader } from "./event-reader.js";
import type { Exports, Instance, Output } from "./instance.js";
import { makeValue, type Json, type Making } from "../values.js";
import type { FragmentEvent, PayloadEvent, PayloadMatchEvent, PayloadStartEvent } from "../envelope/event.js";

/** The meaning of the end of an answer, whatever the provider's word for it. */
export type StopType =
  | "finished"
  | "tool-use"
  | "stop-sequence"
  | "length"
  | "refusal"
  | "content-filter"
  | "pause"
  | "cancelled"
  | "error"
  | "other";

/** The provider's own JSON: as a value, and as it was spelt. */
interface WithJson {
  readonly value: Json;
  readonly raw: string;
}

/** A call waits for somebody's approval. */
export interface ApprovalRequestEvent extends WithJson {
  readonly kind: "approval-request";
  readonly id: string;
  readonly call?: number;
}

/** A call that was begun is not to be executed any more. */
export interface CallCancelledEvent extends WithJson {
  readonly kind: "call-cancelled";
  readonly call?: number;
  readonly id?: string;
}

export interface MessageStartEvent {
  readonly kind: "message-start";
  readonly id?: string;
  readonly model?: string;
}

/** A part of the answer begins: what text or reasoning follows names its number. */
export interface BlockStartEvent {
  readonly kind: "block-start";
  readonly block: number;
  readonly choice: number;
  readonly type: "text" | "reasoning";
  readonly id?: string;
  readonly phase?: string;
}

export interface BlockEndEvent {
  readonly kind: "block-end";
  readonly block: number;
  readonly choice: number;
  readonly type: "text" | "reasoning";
}

/** A piece of the answer's text, or of the reasoning before it. */
export interface TextEvent {
  readonly kind: "text" | "reasoning";
  readonly choice: number;
  readonly block: number;
  readonly text: string;
}

/** A piece of the words in which the model refuses. */
export interface RefusalEvent {
  readonly kind: "refusal";
  readonly choice: number;
  readonly text: string;
}

/** Parts that have to be sent back as they came: signatures, encrypted reasoning. */
export interface OpaqueEvent extends WithJson {
  readonly kind: "opaque";
  readonly type: "signature" | "encrypted" | "container" | "compaction";
  readonly choice: number;
  readonly block?: number;
  readonly call?: number;
}

/** The result of a tool that the provider has executed. */
export interface ToolResultEvent extends WithJson {
  readonly kind: "tool-result";
  readonly call?: number;
  /** The provider's id of the call. */
  readonly id?: string;
  readonly isError: boolean;
}

/** A source that the answer cites. */
export interface SourceEvent extends WithJson {
  readonly kind: "source";
  readonly choice: number;
  readonly block?: number;
  readonly url?: string;
  readonly title?: string;
  readonly quote?: string;
  /** The part that it applies to, as the provider counts. */
  readonly span?: readonly [start: number, end: number];
}

export interface ContentFilterEvent extends WithJson {
  readonly kind: "content-filter";
  readonly choice: number;
}

/** Token counts, as far as the provider has reported them. */
export interface UsageEvent extends WithJson {
  readonly kind: "usage";
  readonly input?: number;
  readonly output?: number;
  readonly cached?: number;
  readonly reasoning?: number;
}

/** An answer is over. */
export interface StopEvent {
  readonly kind: "stop";
  readonly choice: number;
  /** The provider's word. */
  readonly reason: string;
  /** The meaning of the reason. */
  readonly type: StopType;
  /** The word of the provider behind a gateway. */
  readonly nativeReason?: string;
  /** The stop sequence of yours that ended the answer. */
  readonly stopSequence?: string;
}

/** The stream has ended before the provider ended the answer. */
export interface IncompleteEvent {
  readonly kind: "incomplete";
  readonly reason: string;
}

/** The provider reports an error. */
export interface ProviderErrorEvent {
  readonly kind: "provider-error";
  readonly message: string;
  /** Its type and its code, as the provider spells them. */
  readonly type?: string;
  readonly code?: string;
  /** True if the same request may succeed later. */
  readonly retry?: "never" | "later";
  readonly retryAfterMs?: number;
  /** The error's own object, if it has one: as a value, and as it was spelt. */
  readonly value?: Json;
  readonly raw?: string;
}

/** An event of an unknown type, or something that is not an event (`bad-frame`). The stream goes on. */
export interface UnknownEvent {
  readonly kind: "unknown-event" | "bad-frame";
  readonly text: string;
}

/** An image, sound, video or document, or a piece of one: its bytes in base64, or where it is. */
export interface MediaEvent {
  readonly kind: "media";
  readonly choice: number;
  readonly block?: number;
  readonly mediaType?: string;
  readonly data?: string;
  readonly url?: string;
}

/** The provider repeats something as a whole, and contradicts what was reported of it. */
export interface MismatchEvent {
  readonly kind: "mismatch";
  readonly type: "text" | "reasoning" | "refusal" | "arguments";
  readonly choice: number;
  readonly block?: number;
  readonly call?: number;
  /** The whole, as the provider repeats it. */
  readonly text: string;
}

/** An application's own data on a known wire (`data`), or an event or a part of one of a kind that is not known. */
export interface PartEvent extends WithJson {
  readonly kind: "data" | "unknown-part";
  /** The provider's name for it. */
  readonly type: string;
}

/** An event as it came, with the option `providerEvents`. */
export interface ProviderEventEvent extends WithJson {
  readonly kind: "provider-event";
}

/**
 * Something that another agent than the main one said or did, where several speak in one stream (`claude-code`). Its calls
 * and blocks are numbered with all others.
 */
export interface AgentEvent {
  readonly kind: "agent";
  /** The id of the call that started it; of another session's main agent, the session's id. */
  readonly agent: string;
  readonly event: Exclude<StreamEvent, AgentEvent>;
}

/** The provider has said that nothing more will come. */
export interface StreamEndEvent {
  readonly kind: "stream-end";
}

/** Something happened to a payload in the assistant's text, with the option `envelope`. */
export type StreamPayloadEvent = (PayloadStartEvent | PayloadMatchEvent | FragmentEvent | PayloadEvent) & {
  readonly choice: number;
  readonly block: number;
};

/** The events of a provider's stream. */
export type StreamEvent =
  | CallStartEvent
  | CallMatchEvent
  | InputEvent
  | CallErrorEvent
  | ApprovalRequestEvent
  | CallCancelledEvent
  | MessageStartEvent
  | BlockStartEvent
  | BlockEndEvent
  | TextEvent
  | RefusalEvent
  | OpaqueEvent
  | ToolResultEvent
  | SourceEvent
  | ContentFilterEvent
  | UsageEvent
  | StopEvent
  | IncompleteEvent
  | ProviderErrorEvent
  | UnknownEvent
  | MediaEvent
  | MismatchEvent
  | PartEvent
  | ProviderEventEvent
  | AgentEvent
  | StreamPayloadEvent
  | StreamEndEvent;

// The records of `../../wasm/src/providers.rs` by tag: the event's kind, then its fields. `#` is a number, `$` a text, `?` a
// flag (`_`: of no use here), `{` the provider's JSON.
const RECORDS = [
  "call #call $id $name #choice $executed",
  "match #call",
  "input #call $id $name $executed $status $reason ?hasValue $raw $values ?repeated $strict $deviations #more",
  "call-error #call $type",
  "approval-request $id #call {raw",
  "message-start $id $model",
  "block-start #block #choice $type $id $phase",
  "block-end #block #choice $type",
  "text #choice #block $text",
  "reasoning #choice #block $text",
  "refusal #choice $text",
  "opaque $type #choice #block #call {raw",
  "tool-result #call $id ?isError {raw",
  "call-cancelled #call $id {raw",
  "source #choice #block $url $title $quote #start #end {raw",
  "content-filter #choice {raw",
  "usage #input #output #cached #reasoning {raw",
  "stop #choice $reason $type $nativeReason $stopSequence",
  "incomplete $reason",
  "provider-error $message $type $code $retry #retryAfterMs {raw",
  "unknown-event $text",
  "bad-frame $text",
  "payload-start #mark $open #offset #choice #block",
  "match #mark #choice #block",
  "fragment #mark $text #choice #block",
  "payload #mark $close #length ?_ $status $reason ?hasValue $raw $values ?repeated $strict $deviations #more #choice #block",
  "text $text",
  "stream-end",
  "media #choice #block $mediaType $data $url",
  "mismatch $type #choice #block #call $text",
  "data $type {raw",
  "unknown-part $type {raw",
  "provider-event {raw",
  "agent $agent",
].map((line) => {
  const [kind, ...fields] = line.split(" ");
  return { kind: kind!, fields: fields.map((field) => ({ sort: field[0]!, name: field.slice(1) })) };
});

/** A record as it is read, before it is an event. */
export interface Fields {
  kind: string;
  [field: string]: unknown;
}

/** Reads one record; what is not there is not a property of it. */
export function readRecord(output: Output, making: Making): Fields {
  const first = output.word();
  const { kind, fields } = RECORDS[first & 0xff]!;
  const record: Fields = { kind };
  for (let place = 0; place < fields.length; place++) {
    const isThere = ((first >>> (8 + place)) & 1) !== 0;
    const { sort, name } = fields[place]!;
    if (sort === "?" && name !== "_") record[name] = isThere;
    if (sort === "?" || !isThere) continue;
    if (sort === "#") record[name] = output.long();
    else if (sort === "$") record[name] = output.string();
    else {
      const raw = output.string();
      record["value"] = providerValue(raw, making);
      record["raw"] = raw;
    }
  }
  if (first >>> 31 !== 0) record["error"] = readError(output, []);
  return record;
}

/** The value of a provider's JSON: its text, if that is only nearly JSON. */
function providerValue(raw: string, making: Making): Json {
  try {
    return makeValue(raw, making);
  } catch {
    return raw;
  }
}

/** Puts the value of a complete input or payload in its place. */
export function settle(record: Fields, making: Making): void {
  const hasValue = record["hasValue"] as boolean;
  delete record["hasValue"];
  if ("values" in record) record["values"] = makeValue(record["values"] as string, making);
  else delete record["repeated"];
  if ("deviations" in record) record["deviations"] = JSON.parse(record["deviations"] as string);
  if (hasValue) record["value"] = record["status"] === "empty" ? {} : makeValue((record["strict"] ?? record["raw"]) as string, making);
}

/**
 * Reads the events of a call of a stream. Matches are read by a reader for each open call, which `calls` has, and for each
 * open payload, which `payloads` has by its block; `marks` are those of payloads.
 */
export function readStreamEvents(
  instance: Instance<Exports>,
  output: Output,
  making: Making,
  calls: Map<number, EventReader>,
  newReader: () => EventReader,
  marks: readonly string[],
  payloads: Map<number, EventReader>,
): StreamEvent[] {
  const events: StreamEvent[] = [];
  /** The agent that the next event is of. */
  let agent: string | undefined;
  const push = (event: unknown): void => {
    events.push((agent === undefined ? event : { kind: "agent", agent, event }) as StreamEvent);
    agent = undefined;
  };
  while (output.at < output.end) {
    const record = readRecord(output, making);
    const call = record["call"] as number;
    const block = record["block"] as number;
    if ("mark" in record) record["mark"] = marks[record["mark"] as number];
    switch (record.kind) {
      case "match": {
        const { mark, choice } = record;
        const [readers, number] = "mark" in record ? [payloads, block] : [calls, call];
        let reader = readers.get(number);
        if (!reader) readers.set(number, (reader = newReader()));
        const owner = "mark" in record ? { mark, choice, block } : { call };
        push(Object.assign(reader.readOne(output, instance), owner));
        continue;
      }
      case "agent":
        agent = record["agent"] as string;
        continue;
      case "payload":
        payloads.delete(block);
        settle(record, making);
        break;
      case "input":
        calls.delete(call);
        settle(record, making);
        break;
      case "source":
        if ("start" in record) {
          record["span"] = [record["start"], record["end"]];
          delete record["start"];
          delete record["end"];
        }
        break;
    }
    push(record);
  }
  return events;
}
