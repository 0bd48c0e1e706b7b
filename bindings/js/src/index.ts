// The package with the module inlined: nothing to set up, compiled at the first use.

import { inlined } from "./inlined.js";
import { loadBytesWith } from "./module.js";

loadBytesWith(inlined);

export * from "./core.js";
