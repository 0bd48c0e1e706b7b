// Replays a vector through the package, and prints what it says as the command does. It runs in any engine: what the
// package is, is an argument.

/** Returns the vectors of a file, each with its header and its lines. */
export function readVectors(text) {
  const vectors = [];
  // Split at line feeds only: U+2028 stands in strings as it is.
  for (const line of text.split("\n")) {
    if (line.startsWith('{"vector":')) vectors.push({ header: JSON.parse(line), lines: [] });
    else if (line !== "") vectors.at(-1).lines.push(line);
  }
  return vectors;
}

/** Returns true if the entry has what the vector needs. */
export function isReplayed({ header }) {
  const { options = {} } = header;
  // A stream of documents shows no partial documents here.
  const looks = options.documents !== undefined && (options.snapshots || options.patches || options.provisional);
  // The states are those of the Rust library, which only the providers' module reads.
  return header.state === undefined && options.provider === undefined && options.envelope === undefined && !looks;
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));

/** Returns the chunks: bytes, or strings if the header has these. */
const chunksOf = ({ chunks, strings }) => strings ?? chunks.map(bytesOf);

/** How many bytes of the text a chunk is. Each half of a surrogate pair is two. */
const lengthOf = (chunk) => (typeof chunk === "string" ? [...chunk].reduce((sum, { length, 0: unit }) => sum + (length > 1 ? 4 : unit < "\x80" ? 1 : unit < "\u0800" || /[\ud800-\udfff]/.test(unit) ? 2 : 3), 0) : chunk.length);

/** Returns the header's options under the package's names, with the limits in an object of their own. */
export function optionsOf({ options = {} }) {
  const { maxDepth, maxKey, maxString, maxNumber, maxBlank, maxTotal, checkpoint: _, ...rest } = options;
  const limits = {};
  for (const [name, limit] of Object.entries({ depth: maxDepth, key: maxKey, string: maxString, number: maxNumber, blank: maxBlank, total: maxTotal })) {
    if (limit !== undefined) limits[name] = limit;
  }
  return { ...rest, limits, spelling: true };
}

/**
 * Joins each match's deltas, since the command reports some texts in several pieces a chunk, and moves deviations to the end of
 * their text, where a stream of documents has them.
 */
export function joined(lines) {
  const open = new Map();
  const all = [];
  const deviations = [];
  for (const line of lines) {
    if (line.startsWith('{"event":"deviation"')) {
      deviations.push(line);
      continue;
    }
    if (/^\{"event":"(?:document|error|done)"/.test(line)) all.push(...deviations.splice(0));
    if (!/^\{"event":"(?:begin|delta|raw|end)"/.test(line)) {
      all.push(line);
      continue;
    }
    const { event, document, pattern, path, text } = JSON.parse(line);
    const match = JSON.stringify([document, pattern, path]);
    if (event !== "delta" && event !== "raw") {
      open.delete(match);
      all.push(line);
    } else if (open.has(match)) {
      open.get(match).text += text;
    } else {
      const delta = { line, text };
      open.set(match, delta);
      all.push(delta);
    }
  }
  return all.map((line) => (typeof line === "string" ? line : line.line.replace(/"text":.*/s, () => `"text":${JSON.stringify(line.text)}}`)));
}

/** Returns a function that calls another at every n-th call. */
const afterEvery = (every, run) => {
  let count = 0;
  return () => {
    count += 1;
    if (count % every === 0) run();
  };
};

/** Renames the deltas of raw patterns as the command names them. */
export function namingRaw(lines, { patterns = [] }) {
  const name = (line, start, pattern) => (patterns[pattern].startsWith("raw:") ? `{"event":"raw"${start}"pattern":${pattern}` : line);
  return lines.map((line) => line?.replace(/^\{"event":"delta"(.*?)"pattern":(\d+)/, name));
}

/** Returns the lines that the command prints. After every `every` chunks the state is saved and restored. */
export function replay({ header }, entry, every = header.options?.checkpoint) {
  return namingRaw(replayText(header, entry, every), header);
}

function replayText(header, entry, every) {
  const { Parser, lenient, restoreParser, saveParser } = entry;
  // A byte order mark is an error there, as RFC 8259 has it.
  const { value, documents, patches, snapshots, ...rest } = { ...optionsOf(header), strictByteOrderMark: true };
  if (rest.lenient) rest.lenient = lenient(rest.lenient);
  const patterns = header.patterns ?? [];
  const state = header.state === undefined ? undefined : bytesOf(header.state);
  const options = snapshots === true || patches === true ? { ...rest, snapshots: true } : rest;
  let parser;
  try {
    if (documents !== undefined) return replayDocuments(header, options, state, documents, value, entry, every);
    parser = state === undefined ? new Parser(patterns, options) : restoreParser(patterns, state, options);
  } catch (error) {
    if (state === undefined || error.kind === undefined) throw error;
    return [errorLine(error)];
  }
  const checkpoint = afterEvery(every, () => {
    const before = parser;
    parser = restoreParser(patterns, saveParser(before), options);
    before.dispose();
  });
  const lines = [];
  let shown;
  let told = 0;
  let { bytes } = parser.status;
  const call = (run) => {
    let events;
    let error;
    try {
      events = run();
    } catch (thrown) {
      events = thrown.events;
      if (events === undefined) throw thrown;
      error = thrown;
    }
    const deviations = options.lenient ? parser.status.deviations.list : [];
    const tellDeviations = (end) => {
      for (; told < deviations.length && deviations[told].offset < end; told++) lines.push(deviationLine(deviations[told]));
    };
    for (const event of events) {
      // An end's offset is that of the byte after it.
      tellDeviations(event.kind === "end" ? event.offset : event.offset + 1);
      lines.push(eventLine(event));
    }
    tellDeviations(Infinity);
    if (snapshots) {
      // A copy of the document is kept by snapshots and by patches.
      parser.snapshot();
      const text = parser.snapshotText();
      if (text !== undefined && text !== shown) lines.push(`{"event":"snapshot","value":${(shown = text)}}`);
    }
    if (patches) {
      const ops = parser.patchText();
      if (ops.length > 0) lines.push(`{"event":"patch","ops":[${ops.join(",")}]}`);
    }
    return error;
  };
  let error;
  for (const chunk of chunksOf(header)) {
    bytes += lengthOf(chunk);
    error = call(() => parser.feed(chunk));
    if (error) break;
    checkpoint();
  }
  if (!error) {
    const { count } = parser.status.deviations;
    if (count > told) lines.push(`{"event":"deviation","more":${count - told}}`);
    error = call(() => parser.finish());
  }
  if (error) lines.push(errorLine(error));
  else lines.push(`{"event":"done","bytes":${bytes}${value ? `,"value":${parser.valueText()}` : ""}}`);
  parser.dispose();
  return lines;
}

function replayDocuments(header, options, state, framing, hasValue, { Documents, restoreDocuments, saveDocuments }, every) {
  const patterns = header.patterns ?? [];
  let documents =
    state === undefined ? new Documents(framing, patterns, options) : restoreDocuments(framing, patterns, state, options);
  const checkpoint = afterEvery(every, () => {
    const before = documents;
    documents = restoreDocuments(framing, patterns, saveDocuments(before), options);
    before.dispose();
  });
  const lines = [];
  let bytes = 0;
  let count = 0;
  const open = [];
  const call = (run) => {
    let events;
    let error;
    try {
      events = run();
    } catch (thrown) {
      events = thrown.events;
      error = thrown;
    }
    for (const event of events) {
      if (event.kind !== "document" && event.kind !== "document-error") {
        open.push(event);
        continue;
      }
      // The package reports a document's deviations with its end, the command at their places.
      const { list, count: all } = event.deviations;
      let told = 0;
      const tellDeviations = (end) => {
        for (; told < list.length && list[told].offset < end; told++) lines.push(deviationLine(list[told], event.document));
      };
      for (const inside of open.splice(0)) {
        tellDeviations(inside.kind === "end" ? inside.offset : inside.offset + 1);
        lines.push(eventLine(inside, event.document));
      }
      tellDeviations(Infinity);
      if (all > told) lines.push(`{"event":"deviation","document":${event.document},"more":${all - told}}`);
      count += 1;
      if (event.kind === "document-error") {
        lines.push(errorLine(event.error, event.document));
      } else {
        const value = hasValue ? `,"value":${event.raw}` : "";
        lines.push(`{"event":"document","document":${event.document},"bytes":${event.bytes}${value}}`);
      }
    }
    return error;
  };
  let error;
  for (const chunk of chunksOf(header)) {
    bytes += lengthOf(chunk);
    error = call(() => documents.feed(chunk));
    if (error) break;
    checkpoint();
  }
  if (!error) error = call(() => documents.finish());
  if (!error) lines.push(`{"event":"done","bytes":${bytes},"documents":${count}}`);
  documents.dispose();
  return lines;
}

const text = JSON.stringify;

export function eventLine(event, document) {
  const start = `{"event":${text(event.kind)},${document === undefined ? "" : `"document":${document},`}"pattern":${event.pattern},"path":${text(event.path)}`;
  switch (event.kind) {
    case "begin":
      return `${start},"kind":${text(event.type === "boolean" ? "bool" : event.type)}}`;
    case "delta":
      return `${start},"text":${text(event.text)}}`;
    case "end":
      return event.raw === undefined ? `${start}}` : `${start},"value":${event.raw}}`;
    default:
      return `${start},"kind":${text(event.error.kind)},"offset":${event.error.offset}}`;
  }
}

function deviationLine({ kind, offset, line, column }, document) {
  const where = document === undefined ? "" : `"document":${document},`;
  return `{"event":"deviation",${where}"kind":${text(kind)},"offset":${offset},"line":${line},"column":${column}}`;
}

export function errorLine({ kind, offset, line, column, path }, document) {
  const where = document === undefined ? "" : `"document":${document},`;
  return `{"event":"error",${where}"kind":${text(kind)},"offset":${offset},"line":${line},"column":${column},"path":${text(path)}}`;
}
