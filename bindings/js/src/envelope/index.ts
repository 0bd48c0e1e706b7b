// JSON in text: the entry `jsonspigot/envelope`.

export { JsonSpigotError } from "../core/error.js";
export { Envelope, type EnvelopeOptions } from "./envelope.js";
export type * from "./event.js";
export type {
  AcceptedPayload,
  CompletePayload,
  EmptyPayload,
  InputStatus,
  MalformedPayload,
  Payload,
  RawPayload,
  TrailingPayload,
  TruncatedPayload,
} from "../calls/payload/payload.js";
