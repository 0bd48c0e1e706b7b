// JSON in text: the entry `jsonspigot/envelope`.

export { JsonSpigotError } from "../core/error.js";
export { Envelope, type EnvelopeOptions } from "./envelope.js";
export type * from "./event.js";
export type * from "../calls/payload/payload.js";
