// The module as JavaScript. The build writes it here, by binaryen's `wasm2js`; nothing calls this before.

import type { Exports } from "./module.js";

export function translated(_grown: () => void): Exports {
  throw new Error("the package was not built: run `npm run build`");
}
