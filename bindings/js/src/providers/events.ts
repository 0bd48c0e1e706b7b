// The events of provider streams, and how the module's records are read into it.

import type { CallErrorEvent, CallMatchEvent, CallStartEvent, CallWarningEvent, InputEvent } from "../calls/event.js";
import { DECLARED, type DeclaredEvent, type StopEvent } from "./declared-events.js";
import { EventReader, readError } from "./event-reader.js";
import type { Output } from "./instance.js";
import type { Settings } from "../core/options.js";
import { makeValue, type Json, type Making } from "../core/values.js";
import type { FragmentEvent, PayloadEvent, PayloadMatchEvent, PayloadStartEvent } from "../envelope/event.js";

export type * from "./declared-events.js";

/** The meaning of the end of an answer, whatever the provider's word for it. */
export type StopType = StopEvent["type"];

/**
 * Something that another agent than the main one said or did, where several speak in one stream (`claude-code`, `ag-ui`). Its
 * calls and blocks are numbered with all others.
 */
export interface AgentEvent {
  readonly kind: "agent";
  /** The id of the call that started it, or at AG-UI of its own run; of another session's main agent, the session's id. */
  readonly agent: string;
  readonly event: Exclude<StreamEvent, AgentEvent>;
}

/**
 * With the option `closed`: a call's value has closed, so that it can't change any more, or each of the option's patterns has
 * selected a value of the call that has. Only `input` has the verdict.
 */
export interface ClosedEvent {
  readonly kind: "call-closed" | "fields-closed";
  readonly call: number;
}

/** The provider has said that nothing more will come. */
export interface StreamEndEvent {
  readonly kind: "stream-end";
}

/** Something happened to a payload in the assistant's text, with the option `envelope`. */
export type StreamPayloadEvent = (PayloadStartEvent | PayloadMatchEvent | FragmentEvent | PayloadEvent) & {
  readonly choice: number;
  readonly block: number;
  // So that `event.call` exists on all matches, and distinguishes the two sorts.
  readonly call?: undefined;
};

/** The events of a provider's stream. */
export type StreamEvent =
  | CallStartEvent
  | (CallMatchEvent & { readonly mark?: undefined })
  | InputEvent
  | CallErrorEvent
  | CallWarningEvent
  | ClosedEvent
  | DeclaredEvent
  | AgentEvent
  | StreamPayloadEvent
  | StreamEndEvent;

// The records of `../../wasm/src/record.rs` by tag: the event's kind, then its fields. `#` is a number, `$` a text, `?` a
// flag (`_`: of no use here), `{` the provider's JSON.
const RECORDS = [
  "call #call $id $name #choice $executed",
  "match #call",
  "input #call $id $name $executed $status $reason ?hasValue $raw $values ?repeated $strict $deviations #more",
  "call-error #call $type",
  "agent $agent",
  "stream-end",
  "payload-start #mark $open #offset #choice #block",
  "match #mark #choice #block",
  "fragment #mark $text #choice #block",
  "payload #mark $close #length ?_ $status $reason ?hasValue $raw $values ?repeated $strict $deviations #more #choice #block",
  "warning #call $type",
  "call-closed #call",
  "fields-closed #call",
  ...DECLARED,
].map((line) => {
  const [kind, ...fields] = line.split(" ");
  return { kind: kind!, fields: fields.map((field) => ({ sort: field[0]!, name: field.slice(1) })) };
});

/** A record as it is read, before it is an event. */
interface Fields {
  kind: string;
  [field: string]: unknown;
}

/** Reads one record. Missing fields are no properties of it. */
function readRecord(output: Output, making: Making): Fields {
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
      record.value = providerValue(raw, making);
      record.raw = raw;
    }
  }
  if (first >>> 31 !== 0) record.error = readError(output);
  return record;
}

/** Returns the value of a provider's JSON: its text, if that is only nearly JSON. */
function providerValue(raw: string, making: Making): Json {
  try {
    return makeValue(raw, making);
  } catch {
    return raw;
  }
}

/** Puts the value of a complete input or payload in its place. */
function settle(record: Fields, making: Making): void {
  const hasValue = record.hasValue as boolean;
  delete record.hasValue;
  if ("values" in record) record.values = makeValue(record.values as string, making);
  else delete record.repeated;
  if ("deviations" in record) record.deviations = JSON.parse(record.deviations as string);
  if (hasValue) record.value = record.status === "empty" ? {} : makeValue((record.strict ?? record.raw) as string, making);
}

/** The state with which the events of a stream are read. */
export interface StreamReading {
  readonly options: Settings;
  /** The marks of payloads, which the module knows by their places. */
  readonly marks: readonly string[];
  /** A reader for each open call, by its number, and for each open payload, by its block. */
  readonly calls: Map<number, EventReader>;
  readonly payloads: Map<number, EventReader>;
}

/** Reads the events of a call of a stream. */
export function readStreamEvents(output: Output, { options, marks, calls, payloads }: StreamReading): StreamEvent[] {
  const events: StreamEvent[] = [];
  /** The agent that the next event is of. */
  let agent: string | undefined;
  const push = (event: unknown): void => {
    events.push((agent === undefined ? event : { kind: "agent", agent, event }) as StreamEvent);
    agent = undefined;
  };
  while (output.at < output.end) {
    const record = readRecord(output, options);
    const { call, block, choice } = record as unknown as { call: number; block: number; choice: number };
    if ("mark" in record) record.mark = marks[record.mark as number];
    switch (record.kind) {
      case "match": {
        const [readers, number] = "mark" in record ? [payloads, block] : [calls, call];
        let reader = readers.get(number);
        if (!reader) readers.set(number, (reader = new EventReader(options)));
        push(Object.assign(reader.read(output), "mark" in record ? { mark: record.mark, choice, block } : { call }));
        continue;
      }
      case "agent":
        agent = record.agent as string;
        continue;
      case "payload":
        payloads.delete(block);
        settle(record, options);
        break;
      case "input":
        calls.delete(call);
        settle(record, options);
        break;
      case "source":
        if ("start" in record) {
          record.span = [record.start, record.end];
          delete record.start;
          delete record.end;
        }
        break;
    }
    push(record);
  }
  return events;
}
