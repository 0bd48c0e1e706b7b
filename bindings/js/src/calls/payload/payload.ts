// The outcomes of a text with an end of its own: a tool call's input, or the payload of an envelope.

import type { JsonSpigotError } from "../../core/error.js";
import type { DeviationReport } from "../../core/events.js";
import type { Json } from "../../core/values.js";

/** The members of every outcome. */
interface AnyPayload {
  /** The raw text. */
  readonly raw: string;
  /** The error in the JSON. */
  readonly error?: JsonSpigotError;
}

interface WithoutValue extends AnyPayload {
  readonly value?: undefined;
}

/** The text is complete JSON. */
export interface CompletePayload extends AnyPayload {
  readonly status: "complete";
  readonly value: Json;
}

/** The text is complete, and JSON except for deviations that you accept. */
export interface AcceptedPayload extends AnyPayload {
  readonly status: "accepted";
  readonly value: Json;
  /** The equivalent strict JSON text. */
  readonly strict: string;
  /** Where it deviates from JSON, the first 100 places. */
  readonly deviations: readonly DeviationReport[];
  /** The number of further places. */
  readonly more?: number;
}

/** There is no text. */
export interface EmptyPayload extends WithoutValue {
  readonly status: "empty";
}

/** A call has no input, which stands for an object without members. */
export interface EmptyInput extends AnyPayload {
  readonly status: "empty";
  /** `{}` */
  readonly value: Json;
}

/** The text was cut, or something of it was lost. */
export interface TruncatedPayload extends WithoutValue {
  readonly status: "truncated";
  /** The provider's word for the end (`max_tokens`), `end-of-input`, … */
  readonly reason: string;
}

/** The text is not JSON. */
export interface MalformedPayload extends WithoutValue {
  readonly status: "malformed";
}

/** Something follows the JSON. */
export interface TrailingPayload extends WithoutValue {
  readonly status: "trailing";
  /** The values, if the text consists of whole values. Only you can know which of them were meant. */
  readonly values?: readonly Json[];
  /** True if these are all equal. */
  readonly repeated?: boolean;
}

/** The text is not JSON by nature, and complete. */
export interface RawPayload extends WithoutValue {
  readonly status: "raw";
}

/** The outcome of a payload in text, by its `status`. */
export type Payload = CompletePayload | AcceptedPayload | EmptyPayload | TruncatedPayload | MalformedPayload | TrailingPayload | RawPayload;

/** The outcome of a call's input, by its `status`. */
export type CallInput = Exclude<Payload, EmptyPayload> | EmptyInput;

/**
 * The status of a call's input or a payload at its end. Only `complete` and `accepted` have a value, and an `empty` input, whose value is
 * `{}`. An `accepted` text is JSON except for deviations that you accept.
 */
export type InputStatus = Payload["status"];
