// Provider streams of Anthropic's Messages API, with a module that has no other wire format, inlined.

import { loadFormatWith } from "../module.js";
import { inlined } from "./inlined.js";

/** Compiles the module in the background, for those who want no work at the first use; harmless afterwards. */
export const init: () => Promise<void> = loadFormatWith("anthropic", inlined);

export * from "../common.js";
