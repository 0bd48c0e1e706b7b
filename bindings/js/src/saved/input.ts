// The part of a state for a parser's input: its bytes, and those that wait for the next chunk.

import type { Input } from "../core/input.js";
import type { ReportingEngine } from "../core/reporting.js";
import type { TextError } from "../core/text-error.js";
import { bytesOf, encode, encodeAt, endsInHalf, joined, joinedAll } from "../core/utf8.js";

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);

/** Returns the first half of a surrogate pair, if the text ends with it. */
export function openHalf({ half, original }: Input<ReportingEngine>): string {
  const last = original?.at(-1);
  // A comment reads one at once.
  return half === "" && last?.wereBytes === false && endsInHalf(last.text) ? last.text.slice(-1) : half;
}

/** Returns the number of bytes that wait and are not part of the text of a state. */
export function waiting(input: Input<ReportingEngine>): number {
  if (openHalf(input) !== "") return 2;
  return input.hasBegun || input.translator?.allows("byte-order-mark") === true ? 0 : input.bytes.length;
}

/** Returns the bytes that were read, up to the bad byte of a text that has failed. All text has to be retained. */
export function savedBytes(input: Input<ReportingEngine>, error: TextError | undefined): Uint8Array {
  const { half, bytes, engine, translator } = input;
  // The first two bytes of half a pair are known, but the next chunk may complete it as text.
  const ofHalf = half === "" || error === undefined ? NO_BYTES : encodeAt(`${half}\udc00`, 0).subarray(0, 2);
  const rest = half !== "" ? ofHalf : waiting(input) > 0 ? NO_BYTES : bytes;
  const all = joined(originalBytes(input), (translator === undefined ? engine.chunk.strayBytes : undefined) ?? rest);
  if (error !== undefined) return all.subarray(0, error.offset + 1);
  const isHeldBack = half === "" && openHalf(input) !== "";
  return isHeldBack ? all.subarray(0, all.length - 2) : all;
}

function originalBytes({ engine, original }: Input<ReportingEngine>): Uint8Array {
  if (original === undefined) return encode(engine.kept!.whole());
  const last = original.length - 1;
  return joinedAll(original.map(({ text, wereBytes }, at) => bytesOf(text, wereBytes, at === last)));
}
