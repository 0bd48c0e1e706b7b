// A state: what JavaScript keeps of a parser beside the module, and how a parser goes on from it.
//
// `../../wasm/src/saved.rs` puts a number from here into the state. All else that JavaScript keeps of a parser is made again
// from what the module tells of the restored one: the open matches, the document so far.

import { JsonSpigotError } from "../error.js";
import type { EventReader } from "../events.js";
import { isBytes, type Instance } from "../module.js";
import { encodeOptions, type ParserOptions } from "../options.js";
import { compile } from "../patterns.js";
import type { Mirror } from "../snapshot.js";
import { prototypeKey } from "../values.js";
import type { DurableExports } from "./module.js";

/** What parsers and streams of documents have, behind what they show. */
interface Handle {
  readonly module: Instance<DurableExports>;
  readonly parser: number;
  readonly options: ParserOptions;
  readonly reader: EventReader;
  readonly mirror?: Mirror | undefined;
  half: string;
  call<R>(run: (exports: DurableExports) => R): R;
  dispose(): void;
}

const KEYS = ["__proto__", "prototype"];

/** Two bits for the prototype key that was refused, if one was. */
function bitsOf(refusal: JsonSpigotError | undefined): number {
  return refusal ? 1 + KEYS.findIndex((key) => refusal.message.includes(`"${key}"`)) : 0;
}

function refusalOf(bits: number): JsonSpigotError | undefined {
  return bits === 0 ? undefined : prototypeKey(KEYS[bits - 1]!);
}

export function save(parser: object): Uint8Array {
  const handle = parser as Handle;
  const { half, reader, mirror } = handle;
  const unit = half === "" ? 0 : half.charCodeAt(0);
  const note = unit | (bitsOf(reader.refusal) << 16) | (bitsOf(mirror?.refusal) << 18);
  handle.call((exports) => exports.save(handle.parser, note));
  return handle.module.bytes();
}

/** Makes a new parser go on from a state; one that can't is disposed of. */
export function restore<P extends object>(parser: P, patterns: string | readonly string[], framing: number, state: Uint8Array): P {
  const handle = parser as unknown as Handle;
  const { module, reader, mirror } = handle;
  taking(handle, () => {
    checkBytes(state);
    const set = compile(module, typeof patterns === "string" ? [patterns] : patterns);
    module.writeAll([encodeOptions(handle.options, framing), state]);
    const count = handle.call((exports) => exports.restore(handle.parser, set, state.length));
    if (count < 0) throw refused(-count);
    const output = module.read(count);
    const note = output.word();
    handle.half = note & 0xffff ? String.fromCharCode(note & 0xffff) : "";
    reader.resume(output, module, refusalOf((note >> 16) & 3));
    if (mirror) {
      mirror.isBehind = true;
      mirror.refusal = refusalOf(note >> 18);
    }
  });
  return parser;
}

/** Makes something new go on from a state; if it can't, it is disposed of. */
export function taking<H extends { dispose(): void }>(made: H, restore: (made: H) => void): H {
  try {
    restore(made);
    return made;
  } catch (thrown) {
    made.dispose();
    throw thrown;
  }
}

export function checkBytes(state: Uint8Array): void {
  if (!isBytes(state)) throw new TypeError("a saved state is a Uint8Array");
}

/** In the order of the module's numbers, from 1. */
const REFUSALS = [
  ["not-saved-state", "the bytes do not begin as one does"],
  ["other-version", "the state was saved in another version of the format"],
  ["cut", "the end of the saved state is missing"],
  ["changed", "the bytes are not those that were saved"],
  ["other-kind", "the state is not that of the class it was restored as"],
  ["other-patterns", "the state was saved with different patterns"],
  ["other-choices", "the state was saved with different options"],
  ["impossible", "no text leads to such a state"],
] as const;

/** The error for a state that is refused for this reason. */
export function refused(number: number): JsonSpigotError {
  const [kind, reason] = REFUSALS[number - 1]!;
  return new JsonSpigotError(kind, `${kind.replace(/-/g, " ")}: ${reason}`);
}
