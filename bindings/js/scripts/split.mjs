// Sorts a module's code by kind before it is packed: what instructions do, which locals they name, how far from an address
// they read, and so on, each in a stream of its own. DEFLATE finds a sixth more in these than in the code itself.
//
// `../unpack/src/lib.rs` puts it together again; the two change together.

/** In the order in which they follow one another. */
export const STREAMS = ["head", "tail", "locals", "opcode", "get", "set", "tee", "offset", "const", "long", "call", "branch", "type", "other"];

const CODE_SECTION = 10;

/** How much an instruction of this opcode reads or writes: the alignment that most have. */
const NATURAL = new Map([
  ...[0x28, 0x2a, 0x34, 0x35, 0x36, 0x38, 0x3e].map((opcode) => [opcode, 2]),
  ...[0x29, 0x2b, 0x37, 0x39].map((opcode) => [opcode, 3]),
  ...[0x2c, 0x2d, 0x30, 0x31, 0x3a, 0x3c].map((opcode) => [opcode, 0]),
  ...[0x2e, 0x2f, 0x32, 0x33, 0x3b, 0x3d].map((opcode) => [opcode, 1]),
]);
/** Opcodes that no instruction has, for those whose alignment is another. */
const SPARE = { first: 0xc5, last: 0xfb };

/** How an instruction goes on. */
const ONE = 1; // A number.
const TWO = 2; // Two of them.
const MEMORY = 3; // Alignment and offset.
const TABLE = 4; // A count of numbers, that many, and one more.
const PREFIXED = 5; // A second opcode.
const DOUBLE = 6; // Eight bytes.

/** In which way, and what stream has it. */
const OPERANDS = new Map([
  ...[0x02, 0x03, 0x04].map((opcode) => [opcode, [ONE, "type"]]),
  ...[0x0c, 0x0d].map((opcode) => [opcode, [ONE, "branch"]]),
  [0x0e, [TABLE, "branch"]],
  [0x10, [ONE, "call"]],
  [0x11, [TWO, "type"]],
  [0x20, [ONE, "get"]],
  [0x21, [ONE, "set"]],
  [0x22, [ONE, "tee"]],
  ...[0x23, 0x24, 0x3f, 0x40].map((opcode) => [opcode, [ONE, "other"]]),
  ...[...NATURAL.keys()].map((opcode) => [opcode, [MEMORY, "offset"]]),
  [0x41, [ONE, "const"]],
  [0x42, [ONE, "long"]],
  [0x44, [DOUBLE, "other"]],
  [0xfc, [PREFIXED, "other"]],
]);
/** Of these second opcodes, how many numbers follow: those of memories, of which there is one. */
const PREFIXED_OPERANDS = new Map([...[0, 1, 2, 3, 4, 5, 6, 7].map((kind) => [kind, 0]), [10, 2], [11, 1]]);

/** Whether an instruction of this opcode is no longer than that. */
function isPlain(opcode) {
  return opcode <= 0x01 || opcode === 0x05 || opcode === 0x0b || opcode === 0x0f || opcode === 0x1a || opcode === 0x1b || (opcode >= 0x45 && opcode < SPARE.first);
}

/**
 * The streams of a module, one after another, and what the unpacker has to know: their lengths, and for each opcode that
 * is in a stream the one it stands for, its alignment, and how it goes on.
 */
export function split(module) {
  const streams = Object.fromEntries(STREAMS.map((name) => [name, []]));
  // The exclusive or of the two, which nearly always is 0.
  const opcodes = new Uint8Array(256);
  const alignments = new Uint8Array(256);
  for (const [opcode, alignment] of NATURAL) alignments[opcode] = alignment;
  const operands = new Uint8Array(256);
  for (const [opcode, [way, name]] of OPERANDS) operands[opcode] = (way << 4) | STREAMS.indexOf(name);
  const spares = new Map();
  let at = 0;
  const number = (to) => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = module[at++];
      to?.push(byte);
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  const copy = (to, end) => {
    while (at < end) to.push(module[at++]);
  };

  const fail = (opcode) => {
    throw new Error(`an instruction that the packer does not know: ${opcode}`);
  };
  /** What stands for an opcode with another alignment. */
  const spareFor = (opcode, alignment) => {
    const name = `${opcode} ${alignment}`;
    if (!spares.has(name)) {
      const spare = SPARE.first + spares.size;
      if (spare > SPARE.last) throw new Error("no opcode is left for another alignment");
      opcodes[spare] = opcode ^ spare;
      operands[spare] = operands[opcode];
      alignments[spare] = alignment;
      spares.set(name, spare);
    }
    return spares.get(name);
  };
  const instruction = () => {
    let opcode = module[at++];
    const [way, name] = OPERANDS.get(opcode) ?? [];
    const stream = streams[name];
    if (way === MEMORY) {
      const alignment = number();
      if (alignment !== NATURAL.get(opcode)) opcode = spareFor(opcode, alignment);
    }
    streams.opcode.push(opcode);
    let more = 0;
    if (way === undefined && !isPlain(opcode)) fail(opcode);
    else if (way === ONE || way === MEMORY) more = 1;
    else if (way === TWO) more = 2;
    else if (way === TABLE) more = number(stream) + 1;
    else if (way === DOUBLE) copy(stream, at + 8);
    else if (way === PREFIXED) {
      const kind = number(stream);
      more = PREFIXED_OPERANDS.get(kind) ?? fail(`${opcode} ${kind}`);
    }
    for (; more > 0; more--) number(stream);
    return opcode;
  };

  copy(streams.head, 8);
  while (module[at] !== CODE_SECTION) {
    streams.head.push(module[at++]);
    const length = number(streams.head);
    copy(streams.head, at + length);
  }
  copy(streams.head, at + 1);
  number();
  const count = number(streams.locals);
  for (let done = 0; done < count; done++) {
    number();
    const groups = number(streams.locals);
    for (let group = 0; group < groups; group++) {
      number(streams.locals);
      copy(streams.locals, at + 1);
    }
    for (let depth = 1; depth > 0; ) {
      const opcode = instruction();
      if (opcode >= 0x02 && opcode <= 0x04) depth++;
      if (opcode === 0x0b) depth--;
    }
  }
  copy(streams.tail, module.length);

  const lengths = new Uint32Array(STREAMS.map((name) => streams[name].length));
  return Buffer.concat([new Uint8Array(lengths.buffer), opcodes, alignments, operands, ...STREAMS.map((name) => Buffer.from(streams[name]))]);
}
