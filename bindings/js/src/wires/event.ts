// The events of the adapters.

import type { CallEvent } from "../calls/event.js";

/** A piece of the assistant's text. */
export interface TextEvent {
  readonly kind: "text";
  readonly text: string;
  /** The index of the answer; 0 where there is only one. */
  readonly choice: number;
}

/** An answer has ended. */
export interface StopEvent {
  readonly kind: "stop";
  /** The provider's own word for the reason: `tool_calls`, `end_turn`, `MAX_TOKENS`, … */
  readonly reason: string;
  /** The index of the answer; 0 where there is only one. */
  readonly choice: number;
}

/**
 * An event as the provider sent it, before the events that it means. Everything that the adapters do not read is in it:
 * reasoning, usage, sources, errors.
 */
export interface ProviderEvent<E> {
  readonly kind: "provider-event";
  readonly event: E;
}

/** The events of an adapter. */
export type WireEvent<E> = CallEvent | TextEvent | StopEvent | ProviderEvent<E>;
