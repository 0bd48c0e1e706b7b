// The events of an envelope.

import type { Event } from "../core/events.js";
import type { Payload } from "../calls/payload/payload.js";

/** A piece of the visible text. */
export interface VisibleTextEvent {
  readonly kind: "text";
  readonly text: string;
}

/** A mark has opened. */
export interface PayloadStartEvent {
  readonly kind: "payload-start";
  /** The mark as it was given. */
  readonly mark: string;
  /** The text of the opening mark, up to the payload; empty for a bare payload, and for one that the text starts inside. */
  readonly open: string;
  /** Its first byte in the text. */
  readonly offset: number;
}

/** A begin, delta, end or inner error of a pattern's match in a JSON payload. Offsets count from the payload's start. */
export type PayloadMatchEvent = Event & { readonly mark: string };

/** A piece of a payload that is plain text. */
export interface FragmentEvent {
  readonly kind: "fragment";
  readonly mark: string;
  readonly text: string;
}

/**
 * A payload has ended, with a result that depends on its `status`. It is truncated where the text ended (`end-of-input`), or at
 * its limit (`limit`).
 */
export type PayloadEvent = Payload & {
  readonly kind: "payload";
  readonly mark: string;
  /** The text of the closing mark. */
  readonly close: string;
  /** Bytes between the marks. */
  readonly length: number;
};

/** The events of an envelope. */
export type EnvelopeEvent = VisibleTextEvent | PayloadStartEvent | PayloadMatchEvent | FragmentEvent | PayloadEvent;
