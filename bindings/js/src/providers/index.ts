// Provider streams and envelopes with their module inlined: nothing to set up, compiled at the first use.

import { packed, unpacker } from "./inlined.js";
import { loader } from "./module.js";
import { unpack } from "./unpack.js";

loader.loadBytesWith(() => unpack(unpacker, packed));

export * from "./core.js";
