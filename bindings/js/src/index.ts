// The package with the module inlined: nothing to set up, compiled at the first use.

import { packed, unpacker } from "./inlined.js";
import { loadBytesWith } from "./module.js";
import { unpack } from "./unpack.js";

loadBytesWith(() => unpack(unpacker, packed));

export * from "./core.js";
