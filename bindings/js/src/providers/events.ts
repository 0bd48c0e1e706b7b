// The events of provider streams, and how the module's lines are read into them.

import type { CallErrorEvent, CallMatchEvent, CallStartEvent, CallWarningEvent, InputEvent } from "../calls/event.js";
import { JsonSpigotError, type Place } from "../core/error.js";
import type { Event, ValueType } from "../core/events.js";
import { compact } from "../core/json-text.js";
import { carrySegments, matchEvent } from "../core/match-event.js";
import type { Settings } from "../core/options.js";
import { makeValue, type Json, type Making } from "../core/values.js";
import { DEFAULTS, type DeclaredEvent, type StopEvent } from "./declared-events.js";
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

/** An event as the module writes it (`../../wasm/src/events.rs`): the command's members, with values as text. */
interface Line {
  readonly event: string;
  readonly agent?: string;
  readonly [member: string]: unknown;
}

/** The line of a match, without its owner. */
interface MatchLine {
  readonly event: Event["kind"];
  readonly pattern: number;
  readonly path: string;
  readonly match: number;
  readonly offset: number;
  /** The type of the value that begins. */
  readonly kind: ValueType | "bool";
  readonly text: string;
  /** The text of the value, unless it is not retained. */
  readonly value?: string;
  readonly error: ErrorLine;
}

interface ErrorLine extends Place {
  readonly kind: string;
  readonly message: string;
}

/** The begins of the open matches of a text, by their numbers. */
type OpenMatches = Map<number, { readonly path: string; readonly type: ValueType }>;

/** The state with which the events of a stream are read. */
export interface StreamReading {
  readonly options: Settings;
  /** The marks of payloads, which the module knows by their places. */
  readonly marks: readonly string[];
  /** The matches of each open call, by its number, and of each open payload, by its block. */
  readonly calls: Map<number, OpenMatches>;
  readonly payloads: Map<number, OpenMatches>;
}

/** Reads the events of a call of the module. */
export function readStreamEvents(text: string, reading: StreamReading): StreamEvent[] {
  return (JSON.parse(`[${text}]`) as Line[]).map((line) => eventOf(line, reading) as StreamEvent);
}

export const errorOf = ({ kind, message, ...place }: ErrorLine): JsonSpigotError => new JsonSpigotError(kind, message, place);

function eventOf({ event: kind, agent, ...members }: Line, reading: StreamReading): unknown {
  if (agent !== undefined) return { kind: "agent", agent, event: eventOf({ event: kind, ...members }, reading) };
  const { options, marks, calls, payloads } = reading;
  const { call, block, choice } = members as unknown as { call: number; block: number; choice: number };
  const owner = call === undefined ? { mark: marks[members.mark as number], choice, block } : { call };
  if ("pattern" in members) {
    const [texts, number] = call === undefined ? [payloads, block] : [calls, call];
    let open = texts.get(number);
    if (open === undefined) texts.set(number, (open = new Map()));
    return Object.assign(matchOf({ event: kind, ...members } as unknown as MatchLine, open, options), owner);
  }
  const event: { [member: string]: unknown } = { kind, ...DEFAULTS[kind] };
  for (const [name, member] of Object.entries(members)) event[nameOf(name)] = member;
  if ("mark" in members) Object.assign(event, owner);
  if (kind === "input") calls.delete(call);
  if (kind === "payload") payloads.delete(block);
  if (kind === "input" || kind === "payload") return settled(event, options);
  if ("value" in members) {
    event.raw = members.value;
    event.value = providerValue(members.value as string, options);
  }
  return event;
}

/** Returns the name of a member in JavaScript, where `kind` is the event's. */
const nameOf = (name: string): string =>
  name === "kind" ? "type" : name.includes("_") ? name.replace(/_./g, ([, letter]) => letter!.toUpperCase()) : name;

carrySegments();

/** Makes the event of a match. */
function matchOf({ event: kind, pattern, path, match: id, offset, ...line }: MatchLine, open: OpenMatches, options: Settings): object {
  const event = matchEvent(kind, { id, pattern, path }, offset);
  switch (kind) {
    case "begin": {
      // The library's name is Rust's.
      const type = line.kind === "bool" ? "boolean" : line.kind;
      open.set(id, { path, type });
      return Object.assign(event, { type });
    }
    case "delta":
      return Object.assign(event, { text: line.text });
    case "end": {
      const { value: raw } = line;
      const { type } = open.get(id)!;
      open.delete(id);
      const value = raw === undefined ? undefined : makeValue(raw, options);
      // A match that began with the `-` of `-Infinity` was reported as a number.
      return Object.assign(event, {
        type: raw === "null" ? "null" : type,
        value,
        ...(options.spelling && raw !== undefined && { raw: compact(raw) }),
      });
    }
    default:
      // No open match inside is reported any more.
      for (const [id, match] of open) if (match.path.startsWith(`${path} | `)) open.delete(id);
      return Object.assign(event, { error: errorOf(line.error) });
  }
}

/** Returns the value of a provider's JSON: its text, if that is only nearly JSON. */
function providerValue(raw: string, making: Making): Json {
  try {
    return makeValue(raw, making);
  } catch {
    return raw;
  }
}

/** Puts the values of an input or a payload in their places. */
function settled(event: { [member: string]: unknown }, making: Making): object {
  const { kind, status, raw, strict = raw, values, error } = event;
  if (values !== undefined) event.values = makeValue(values as string, making);
  if (error !== undefined) event.error = errorOf(error as ErrorLine);
  if (status === "complete" || status === "accepted") event.value = makeValue(strict as string, making);
  else if (kind === "input" && status === "empty") event.value = {};
  return event;
}
