// JSON in text: the entry `jsonspigot/envelope`.

export { JsonSpigotError } from "../error.js";
export { Envelope, type EnvelopeOptions } from "./envelope.js";
export type {
  EnvelopeEvent,
  FragmentEvent,
  PayloadEvent,
  PayloadMatchEvent,
  PayloadStartEvent,
  VisibleTextEvent,
} from "./event.js";
export type { InputStatus, Payload } from "../payload/payload.js";
