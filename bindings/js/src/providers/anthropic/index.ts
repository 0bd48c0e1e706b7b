// Provider streams of Anthropic's Messages API, with a module that has no other wire format, inlined.

import { loadFormatWith } from "../module.js";
import { packed, unpacker } from "./inlined.js";
import { unpack } from "../../unpack.js";

/** Compiles the module in the background, to keep that out of the first use; a no-op once it is compiled. */
export const init: () => Promise<void> = loadFormatWith("anthropic", () => unpack(unpacker, packed));

export * from "../common.js";
