// All of `jsonspigot/providers` but its module, which `index.ts`, `slim.ts` and `workerd.ts` each get in their own way.

export type { ModuleSource } from "./instance.js";
export * from "./common.js";
export { Envelope } from "./envelope.js";
export type {
  EnvelopeEvent,
  EnvelopeOptions,
  FragmentEvent,
  PayloadEvent,
  PayloadMatchEvent,
  PayloadStartEvent,
  VisibleTextEvent,
} from "./envelope.js";
export { init, initSync } from "./module.js";
