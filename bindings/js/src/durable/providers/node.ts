// Provider streams and envelopes that outlive their process, where the package is on the disk already: Node, Bun, Deno.
// Their module is inlined as it is, not packed, so that the first use has nothing to unpack.

import { loader } from "./module.js";
import { plain } from "./plain.js";

loader.loadBytesWith(plain);

export * from "./core.js";
