// Provider streams and envelopes that outlive their process, with their module inlined: nothing to set up, compiled at the
// first use.

import { inlined } from "./inlined.js";
import { loader } from "./module.js";

loader.loadBytesWith(inlined);

export * from "./core.js";
