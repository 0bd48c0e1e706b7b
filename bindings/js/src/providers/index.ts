// Provider streams with their module inlined: nothing to set up, compiled at the first use.

import { digits } from "./inlined.js";
import { loadBytesWith } from "./module.js";

/** Returns the module's bytes. Hexadecimal gzips to a tenth more than the bytes themselves, Base64 to a quarter. */
function bytes(): Uint8Array {
  const found = new Uint8Array(digits.length / 2);
  const digit = (at: number): number => {
    const unit = digits.charCodeAt(at);
    return unit < 0x3a ? unit - 0x30 : unit - 0x57;
  };
  for (let at = 0; at < found.length; at++) found[at] = (digit(2 * at) << 4) | digit(2 * at + 1);
  return found;
}

loadBytesWith(bytes);

export * from "./slim.js";
