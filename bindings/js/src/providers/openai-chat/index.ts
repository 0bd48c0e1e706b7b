// Provider streams of OpenAI's Chat Completions, and of all who speak it, with a module that has no other wire format, inlined.

import { loadFormatWith } from "../module.js";
import { packed, unpacker } from "./inlined.js";
import { unpack } from "../../unpack.js";

/** Compiles the module in the background, to keep that out of the first use; a no-op once it is compiled. */
export const init: () => Promise<void> = loadFormatWith("openai-chat", () => unpack(unpacker, packed));

export * from "../common.js";
