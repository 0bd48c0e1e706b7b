// The events that the library declares (`llm/src/event/declared.rs`), written by `tests/it/declared_events.rs`.

import type { Json } from "../core/values.js";

/** The provider's own JSON: as a value, and as it was spelt. */
interface WithJson {
  readonly value: Json;
  readonly raw: string;
}

interface InAnswer {
  /** The index of the answer; 0 where there is only one. */
  readonly choice: number;
}

/** The provider will execute a call once you have approved it. */
export interface ApprovalRequestEvent extends WithJson {
  readonly kind: "approval-request";
  /** The id with which to approve or refuse it. */
  readonly id: string;
  /** The call's number, if the stream has reported the call. */
  readonly call?: number;
}

/** A message has started. If the provider sends no such event, it is reported as soon as an id or a model is known. */
export interface MessageStartEvent {
  readonly kind: "message-start";
  /** The provider's id of the message or response. */
  readonly id?: string;
  /** The model that answers. */
  readonly model?: string;
}

/** A piece of the assistant's text. */
export interface TextEvent extends InAnswer {
  readonly kind: "text";
  /** The piece. */
  readonly text: string;
  /** The number of the block it belongs to. */
  readonly block: number;
}

/** A piece of the assistant's reasoning. */
export interface ReasoningEvent extends InAnswer {
  readonly kind: "reasoning";
  /** The piece. */
  readonly text: string;
  /** The number of the block it belongs to. */
  readonly block: number;
}

/** A piece of a refusal. */
export interface RefusalEvent extends InAnswer {
  readonly kind: "refusal";
  /** The piece. */
  readonly text: string;
}

/**
 * The provider repeats content as a whole and contradicts what it sent before. Nothing shows which of the two is right.
 * The input of a call may be contradicted after it was reported as complete.
 */
export interface MismatchEvent extends InAnswer {
  readonly kind: "mismatch";
  /** The kind of content that is repeated. */
  readonly type: "text" | "reasoning" | "refusal" | "arguments" | "name" | "id";
  /** The number of the block, if it is still open. */
  readonly block?: number;
  /** The number of the call, for arguments. */
  readonly call?: number;
  /** The whole content, as the provider repeats it. */
  readonly text: string;
}

/** A reported call was cancelled. Do not execute it: its result is not awaited. */
export interface CallCancelledEvent extends WithJson {
  readonly kind: "call-cancelled";
  /** The call's number, if the stream has reported the call. */
  readonly call?: number;
  /** The provider's id of the call. */
  readonly id?: string;
}

/** The result of a filter or guardrail of the provider, whether or not it objects. */
export interface ContentFilterEvent extends WithJson {
  readonly kind: "content-filter";
  /** The index of the answer; 0 where there is only one, or where the result is about the prompt. */
  readonly choice: number;
}

/**
 * Token counts: totals so far, not increments. An event has only the counts that were sent with it, so keep the last of
 * each. It may follow the stop.
 */
export interface UsageEvent extends WithJson {
  readonly kind: "usage";
  readonly input?: number;
  readonly output?: number;
  readonly cached?: number;
  readonly reasoning?: number;
}

/** An answer has ended. `reason` is the provider's own name for the reason. */
export interface StopEvent extends InAnswer {
  readonly kind: "stop";
  /** `tool_use`, `stop`, `max_tokens`, … */
  readonly reason: string;
  /**
   * The original reason, if a gateway translates reasons. OpenRouter's `tool_calls` may stand for `length`; a truncated
   * call is then reported with the latter.
   */
  readonly nativeReason?: string;
  /** The meaning of the reason, independent of the provider. */
  readonly type: "finished" | "tool-use" | "stop-sequence" | "length" | "refusal" | "content-filter" | "pause" | "cancelled" | "error" | "other";
  /** Your stop sequence that ended the answer, if the provider reports it. */
  readonly stopSequence?: string;
}

/**
 * The stream broke off: an answer has begun, but it has neither stopped nor ended, and no error was reported. Reported
 * by `finish`, or earlier if the stream shows that a part is missing.
 */
export interface IncompleteEvent {
  readonly kind: "incomplete";
  /**
   * `end-of-input`, or the reason that was passed to `finish`; `not-started` if a part ended whose start was lost;
   * otherwise the reason why the answer broke off.
   */
  readonly reason: string;
}

/**
 * The provider reported an error: in an event of its own, inside another event, or as the body of an HTTP error that
 * was pushed as the only event.
 */
export interface ProviderErrorEvent {
  readonly kind: "provider-error";
  /** The message, or the error's JSON text if it has none. */
  readonly message: string;
  /** The type as the provider spells it: `overloaded_error`, `INVALID_ARGUMENT`, `throttlingException`. */
  readonly type?: string;
  /** The code as the provider spells it, a string or a number: `model_not_found`, `400`. */
  readonly code?: string;
  /** The chance that the same request succeeds later. */
  readonly retry?: "never" | "later";
  readonly retryAfterMs?: number;
  /** The error as the provider's JSON text, if it is more than a message. */
  readonly value?: Json;
  /** As it was spelt. */
  readonly raw?: string;
}

/**
 * Application data that was sent with the stream: AG-UI's state and custom events, Vercel's `data-…` parts and
 * metadata, MCP's notifications.
 */
export interface DataEvent extends WithJson {
  readonly kind: "data";
  /** The event's type, or the member's name. */
  readonly type: string;
}

/** An event of this provider, or a part of one, of an unknown type. The stream continues. */
export interface UnknownPartEvent extends WithJson {
  readonly kind: "unknown-part";
  /** The event's or part's type, or the member's name. */
  readonly type: string;
}

/** An event as the provider sent it, followed by the events that it means. Only reported if enabled. */
export interface ProviderEventEvent extends WithJson {
  readonly kind: "provider-event";
}

/**
 * A JSON object that is not a known event of any provider. The stream continues. While the provider is still being
 * detected, this is only reported by `finish`.
 */
export interface UnknownEvent {
  readonly kind: "unknown-event";
  /** The object's JSON text. */
  readonly text: string;
}

/** A frame that is not a JSON object. The stream continues. */
export interface BadFrameEvent {
  readonly kind: "bad-frame";
  /** The frame. */
  readonly text: string;
}

/** A block of text or reasoning has started. */
export interface BlockStartEvent extends InAnswer {
  readonly kind: "block-start";
  /** The block's number. */
  readonly block: number;
  /** The kind of its content. */
  readonly type: "text" | "reasoning";
  /** The provider's id. */
  readonly id?: string;
  /** The provider's name for this part of the answer. */
  readonly phase?: string;
}

/** A block of text or reasoning has ended. Nothing more is reported of it. */
export interface BlockEndEvent extends InAnswer {
  readonly kind: "block-end";
  /** The block's number. */
  readonly block: number;
  /** The kind of its content. */
  readonly type: "text" | "reasoning";
}

/** An image, sound or document that is part of the answer. */
export interface MediaEvent extends InAnswer {
  readonly kind: "media";
  /** The type. */
  readonly mediaType?: string;
  /** The bytes in base64. */
  readonly data?: string;
  /** The address to fetch it from. */
  readonly url?: string;
  /** The number of its block. */
  readonly block?: number;
}

/** A value that only the provider can read, and that has to be sent back with the next request. */
export interface OpaqueEvent extends WithJson, InAnswer {
  readonly kind: "opaque";
  /** The kind of content. */
  readonly type: "signature" | "encrypted" | "container" | "compaction";
  /** The number of its block. */
  readonly block?: number;
  /** The number of its call. */
  readonly call?: number;
}

/** A tool's result that was sent with the stream: the provider has executed the call. */
export interface ToolResultEvent extends WithJson {
  readonly kind: "tool-result";
  /** The call's number. */
  readonly call?: number;
  /** The provider's id of the call. */
  readonly id?: string;
  /** True if the tool has failed. */
  readonly isError: boolean;
}

/** A source of the answer, such as a citation. */
export interface SourceEvent extends WithJson, InAnswer {
  readonly kind: "source";
  /** The address. */
  readonly url?: string;
  /** The title. */
  readonly title?: string;
  /** The text that is quoted from it. */
  readonly quote?: string;
  /** The part that it applies to. */
  readonly span?: readonly [start: number, end: number];
  /** The number of its block. */
  readonly block?: number;
}

export type DeclaredEvent =
  | ApprovalRequestEvent
  | MessageStartEvent
  | TextEvent
  | ReasoningEvent
  | RefusalEvent
  | MismatchEvent
  | CallCancelledEvent
  | ContentFilterEvent
  | UsageEvent
  | StopEvent
  | IncompleteEvent
  | ProviderErrorEvent
  | DataEvent
  | UnknownPartEvent
  | ProviderEventEvent
  | UnknownEvent
  | BadFrameEvent
  | BlockStartEvent
  | BlockEndEvent
  | MediaEvent
  | OpaqueEvent
  | ToolResultEvent
  | SourceEvent;

/** The members that a line leaves out. */
export const DEFAULTS: { readonly [kind: string]: object | undefined } = {
  "text": { choice: 0 },
  "reasoning": { choice: 0 },
  "refusal": { choice: 0 },
  "mismatch": { choice: 0 },
  "content-filter": { choice: 0 },
  "stop": { choice: 0 },
  "block-start": { choice: 0 },
  "block-end": { choice: 0 },
  "media": { choice: 0 },
  "opaque": { choice: 0 },
  "tool-result": { isError: false },
  "source": { choice: 0 },
};
