// All of `jsonspigot/durable/providers` but its module, which `index.ts`, `slim.ts` and `workerd.ts` each get in their own
// way.

export type { ModuleSource } from "../../module.js";
export type {
  EnvelopeEvent,
  EnvelopeOptions,
  FragmentEvent,
  PayloadEvent,
  PayloadMatchEvent,
  PayloadStartEvent,
  VisibleTextEvent,
} from "../../providers/envelope.js";
export * from "../../providers/names.js";
export { Envelope } from "./envelope.js";
export { init, initSync } from "./module.js";
export { ProviderStream } from "./stream.js";
