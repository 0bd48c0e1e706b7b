// The package where it is on the disk already: Node, Bun, Deno. The module is inlined as it is, not packed, so that the first
// use has nothing to unpack.

import { loadBytesWith } from "./module.js";
import { plain } from "./plain.js";

loadBytesWith(plain);

export * from "./core.js";
