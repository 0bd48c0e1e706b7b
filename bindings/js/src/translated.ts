// The module as JavaScript. The build writes it here, by binaryen's `wasm2js`; nothing calls this before.

import type { ParserExports } from "./module.js";

export function translated(_grown: () => void): ParserExports {
  throw new Error("the package was not built: run `npm run build`");
}
