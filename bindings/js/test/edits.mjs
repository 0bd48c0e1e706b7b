// Bytes that were changed in a few places.

import fc from "fast-check";

export const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(3)), { minLength: 1, maxLength: 4 });

/** Applies edits to bytes: each replaces, removes or inserts a byte, or cuts off the rest. */
export function edited(bytes, list) {
  const changed = [...bytes];
  for (const [at, byte, how] of list) {
    const place = at % (changed.length + 1);
    if (how === 0) changed.splice(place, 1, byte);
    else if (how === 1) changed.splice(place, 1);
    else if (how === 2) changed.splice(place, 0, byte);
    else changed.length = place;
  }
  return Uint8Array.from(changed);
}
