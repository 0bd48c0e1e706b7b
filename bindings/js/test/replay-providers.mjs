// Replays a vector of a provider stream through `jsonspigot/providers`, or of an envelope through `jsonspigot/envelope`, and
// prints what it says as the command does. It runs in any engine: what the package is, is an argument.

import { errorLine, eventLine, namingRaw, optionsOf } from "./replay.mjs";

const bytesOf = (base64) => Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
const text = JSON.stringify;

/** Returns true if the vector is one of a provider or an envelope. */
export function isReplayedHere({ header: { options = {} } }) {
  return options.provider !== undefined || options.envelope !== undefined;
}

/** Returns the lines that the command prints. After every so many chunks the state of a stream is saved and restored. */
export function replayProviders({ header }, { ProviderStream, Envelope, lenient }, chunksBetweenSaves = 0) {
  const { provider, envelope, structured, providerEvents, duplicateKeys = "last-wins", ...rest } = optionsOf(header);
  const every = provider === undefined ? 0 : chunksBetweenSaves;
  const options = { ...rest, duplicateKeys, ...(every > 0 && { saveable: true }) };
  // The module takes the names of deviations.
  if (provider === undefined && options.lenient) options.lenient = lenient(options.lenient);
  const lines = [];
  let bytes = 0;
  const names = new Map();
  const [Reader, kind, chosen] =
    provider === undefined ? [Envelope, envelope, options] : [ProviderStream, provider, { ...options, structured, providerEvents, ...(envelope && { envelope }) }];
  const patterns = header.patterns ?? [];
  let reader = new Reader(kind, patterns, chosen);
  const line = provider === undefined ? envelopeLine : (event) => streamLine(event, names);
  const call = (run) => {
    try {
      for (const event of run()) lines.push(line(event));
    } catch (error) {
      for (const event of error.events ?? []) lines.push(line(event));
      return error;
    }
  };
  let error;
  for (const [place, chunk] of header.chunks.map(bytesOf).entries()) {
    bytes += chunk.length;
    error = call(() => reader.feed(chunk));
    if (error) break;
    if (every === 0 || (place + 1) % every !== 0) continue;
    const before = reader;
    reader = Reader.restore(kind, patterns, before.save(), chosen);
    before.dispose();
  }
  error ??= call(() => reader.finish());
  if (error && error.offset === undefined) throw error;
  lines.push(error ? errorLine(error) : `{"event":"done","bytes":${bytes}}`);
  reader.dispose?.();
  return namingRaw(lines.filter((line) => line !== undefined), header);
}

/** JSON text without the white space between its tokens. */
const onOneLine = (raw) => raw.match(/[[\]{}:,]|"(?:[^"\\]|\\.)*"|[^\s[\]{}:,"]+/g)?.join("") ?? "";

/** Splits a text into the texts of its values, which are objects and arrays. */
function splitValues(raw) {
  const values = [];
  let [depth, start] = [0, 0];
  const line = onOneLine(raw);
  for (const { 0: token, index } of line.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else continue;
    if (depth > 0) continue;
    values.push(line.slice(start, index + 1));
    start = index + 1;
  }
  return values;
}

const member = (name, value) => (value === undefined ? "" : `,${text(name)}:${text(value)}`);
const choiceOf = ({ choice }) => (choice > 0 ? member("choice", choice) : "");
const valueOf = ({ raw }) => `,"value":${onOneLine(raw)}`;

const markOf = (event) => member("mark", event.mark) + member("block", event.block) + choiceOf(event);

function matchLine(event, owner) {
  return eventLine(event).replace(/^(\{"event":"[a-z-]+")/, `$1${owner}`);
}

function verdict({ status, reason, value, raw, error, strict, deviations, more, values, repeated }, tellsReason) {
  let line = `,"status":${text(status)}`;
  if (value !== undefined) line += `,"value":${status === "empty" ? "{}" : onOneLine(strict ?? raw)}`;
  else if (status !== "empty") line += `,"raw":${text(raw)}`;
  if (deviations) line += member("deviations", deviations.map(({ kind, offset }) => ({ kind, offset }))) + member("more", more);
  const why = tellsReason ? member("reason", reason) : "";
  if (error) {
    const { kind, offset, line: row, column, path } = error;
    line += `,"error":{"kind":${text(kind)},"offset":${offset},"line":${row},"column":${column},"path":${text(path)}${why}}`;
  } else if (why !== "") {
    line += `,"error":{"kind":"incomplete"${why}}`;
  }
  if (values !== undefined) line += `,"values":[${splitValues(raw).join(",")}],"repeated":${repeated}`;
  return line;
}

function streamLine(event, names) {
  const start = `{"event":${text(event.kind)}`;
  const of = (...parts) => `${start}${parts.join("")}}`;
  switch (event.kind) {
    case "call": {
      const { call, id, name, executed } = event;
      names.set(call, event);
      const choice = name === undefined ? member("choice", event.choice) : choiceOf(event);
      const who = id === undefined && name === undefined ? "" : member("executed", executed);
      return of(member("call", call), `,"id":${text(id ?? null)},"name":${text(name ?? null)}`, choice, who);
    }
    case "begin":
    case "delta":
    case "end":
    case "inner-error":
      return matchLine(event, event.mark === undefined ? member("call", event.call) : markOf(event));
    case "input": {
      const known = names.get(event.call);
      const id = known.id === undefined ? member("id", event.id) : "";
      const name = known.name === undefined ? member("name", event.name) : "";
      const wasTold = known.id !== undefined || known.name !== undefined || (event.id === undefined && event.name === undefined);
      const who = wasTold && known.executed === event.executed ? "" : member("executed", event.executed);
      return of(member("call", event.call), id, name, verdict(event, true), who);
    }
    case "call-error":
      return of(member("call", event.call), member("kind", event.type));
    case "call-closed":
    case "fields-closed":
      return of(member("call", event.call));
    case "warning":
      return of(member("kind", event.type), member("call", event.call));
    case "approval-request":
      return of(member("id", event.id), member("call", event.call), valueOf(event));
    case "call-cancelled":
      return of(member("call", event.call), member("id", event.id), valueOf(event));
    case "message-start":
      return of(member("id", event.id), member("model", event.model));
    case "block-start":
      return of(member("block", event.block), member("kind", event.type), member("id", event.id), member("phase", event.phase), choiceOf(event));
    case "block-end":
      return of(member("block", event.block), member("kind", event.type), choiceOf(event));
    case "text":
    case "reasoning":
      return of(member("text", event.text), choiceOf(event), member("block", event.block));
    case "refusal":
      return of(member("text", event.text), choiceOf(event));
    case "opaque":
      return of(member("kind", event.type), member("block", event.block), member("call", event.call), valueOf(event), choiceOf(event));
    case "tool-result":
      return of(member("call", event.call), member("id", event.id), event.isError ? ',"is_error":true' : "", valueOf(event));
    case "source": {
      const { url, title, quote, span, block } = event;
      return of(member("url", url), member("title", title), member("quote", quote), member("span", span), member("block", block), valueOf(event), choiceOf(event));
    }
    case "content-filter":
      return of(valueOf(event), choiceOf(event));
    case "usage": {
      const { input, output, cached, reasoning } = event;
      return of(valueOf(event), member("input", input), member("output", output), member("cached", cached), member("reasoning", reasoning));
    }
    case "stop":
      return of(member("reason", event.reason), member("native_reason", event.nativeReason), choiceOf(event), member("kind", event.type), member("stop_sequence", event.stopSequence));
    case "incomplete":
      return of(member("reason", event.reason));
    case "provider-error":
      return of(member("message", event.message), member("type", event.type), member("code", event.code), member("retry", event.retry), member("retry_after_ms", event.retryAfterMs), event.raw === undefined ? "" : valueOf(event));
    case "media":
      return of(member("media_type", event.mediaType), member("data", event.data), member("url", event.url), member("block", event.block), choiceOf(event));
    case "mismatch":
      return of(member("kind", event.type), member("block", event.block), member("call", event.call), member("text", event.text), choiceOf(event));
    case "data":
    case "unknown-part":
      return of(member("kind", event.type), valueOf(event));
    case "agent":
      return streamLine(event.event, names)?.replace(/^(\{"event":"[a-z-]+")/, `$1${member("agent", event.agent)}`);
    case "provider-event":
      return of(valueOf(event));
    case "unknown-event":
    case "bad-frame":
      return of(member("text", event.text));
    case "fragment":
      return of(markOf(event), member("text", event.text));
    case "payload":
      return of(markOf(event), verdict(event, false));
    case "payload-start":
    case "stream-end":
      return undefined;
    default:
      throw new Error(`no line for ${text(event)}`);
  }
}

function envelopeLine(event) {
  const mark = member("mark", event.mark);
  switch (event.kind) {
    case "text":
    case "fragment":
      return `{"event":"${event.kind}"${mark}${member("text", event.text)}}`;
    case "payload-start":
      return undefined;
    case "payload":
      return `{"event":"payload"${mark}${verdict(event, false)}}`;
    default:
      return matchLine(event, mark);
  }
}
