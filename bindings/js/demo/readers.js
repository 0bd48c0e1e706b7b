// The ways in which the playground reads a text. Each of them makes a reader: the library's object as `source`, `note` for its
// events, `known` for what they amount to as text, and `verdict`, which is `{ text, isBad }`.

import { Parser } from "jsonspigot";
import { Documents } from "jsonspigot/documents";
import { Envelope } from "jsonspigot/envelope";
import { ProviderStream } from "jsonspigot/providers";

/** Indents JSON text, complete or not. Tokens keep their spelling. */
function indent(json) {
  let depth = 0;
  const line = (step) => `\n${"  ".repeat((depth = Math.max(0, depth + step)))}`;
  return json.replace(/"(?:\\.|[^"\\])*"?|\[\s*\]|\{\s*\}|[[{}\],:]|\s+/gs, (token) => {
    if (token === "[" || token === "{") return token + line(1);
    if (token === "]" || token === "}") return line(-1) + token;
    if (token === ",") return token + line(0);
    if (token === ":") return ": ";
    return token[0] === '"' ? token : token.replace(/\s+/g, "");
  });
}

function readText(patterns, options) {
  const source = new Parser(patterns, { ...options, snapshots: true });
  const verdict = () => {
    const { bytes, isComplete, deviations: { count, list } } = source.status;
    const tolerated = list.map(({ kind, offset }) => `${kind} at byte ${offset}`);
    if (count > list.length) tolerated.push(`and ${count - list.length} more`);
    const state = !isComplete ? "still open" : count === 0 ? "complete and strict" : "complete";
    return { text: `${bytes} bytes, ${state}${count === 0 ? "" : `; tolerated: ${tolerated.join(", ")}`}` };
  };
  return { source, known: () => indent(source.snapshotText() ?? ""), patch: () => source.patchText(), verdict };
}

function readLines(patterns, { provisional: _, ...options }) {
  const [texts, offsets] = [[], []];
  const note = ({ kind, raw, start, error }) => {
    if (kind.startsWith("document")) texts.push(raw ?? "null");
    if (error && kind === "document-error") offsets.push(start + error.offset);
  };
  const verdict = () => {
    const state = offsets.length === 0 ? "all of them whole" : `${offsets.length} of them not JSON; the others are not affected`;
    return { text: `${texts.length} lines, ${state}`, isBad: offsets.length > 0 };
  };
  return { source: new Documents("lines", patterns, options), note, known: () => indent(`[${texts}]`), verdict, offsets };
}

/** Collects a source's texts, and the JSON of its calls or payloads as it arrives: the last pattern, `raw:$`, selects it. */
function collect(patterns) {
  const parts = [];
  const note = ({ kind, path, pattern, text, raw, name, mark, call, status }) => {
    const open = parts.findLast((part) => part.status && part.call === call);
    if (kind === "call" || kind === "payload-start") parts.push({ title: name ?? mark ?? "answer", call, text: "", status: "still open" });
    else if (kind === "input" || kind === "payload") Object.assign(open, { text: raw, status });
    else if (kind === "delta" && pattern === patterns.length) open.text += text;
    else if (text === undefined || path !== undefined) return;
    else if (parts.at(-1)?.title === kind) parts.at(-1).text += text;
    else parts.push({ title: kind, text });
  };
  const show = ({ title, text, status }) => (status ? `${title}, ${status}\n${indent(text)}` : `${title}\n${text.trim()}`);
  const statuses = () => parts.flatMap(({ status }) => status ?? []);
  return { note, statuses, known: () => parts.map(show).join("\n\n"), isOwn: ({ pattern }) => pattern === patterns.length };
}

function readStream(patterns, { provisional: _, lenient, ...options }) {
  // The module takes the names of deviations.
  const tolerated = lenient === undefined ? {} : { lenient: "model-output" };
  const source = new ProviderStream("auto", [...patterns, "raw:$"], { ...options, ...tolerated });
  const verdict = (isOver) => {
    const { provider = "an unknown provider", unfinished } = source;
    const state = !isOver ? "still open" : unfinished ? unfinished.message : "whole";
    return { text: `Stream of ${provider}: ${state}`, isBad: isOver && unfinished !== undefined };
  };
  return { source, ...collect(patterns), verdict };
}

function readFences(patterns, { provisional: _, ...options }) {
  const collected = collect(patterns);
  const verdict = () => {
    const statuses = collected.statuses();
    const isBad = statuses.some((status) => !["complete", "accepted", "still open"].includes(status));
    return { text: `Fences of JSON: ${statuses.join(", ") || "none"}`, isBad };
  };
  return { source: new Envelope("fence:*", [...patterns, "raw:$"], options), ...collected, verdict };
}

export const READERS = { text: readText, lines: readLines, stream: readStream, fences: readFences };

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Recognizes the format of a text by its beginning. */
export function recognize(text) {
  if (/^\s*(?:data|event|id|retry|):/.test(text)) return "stream";
  if (text.includes("```") && !/^\s*[[{"]/.test(text)) return "fences";
  const [, first, rest] = /^\s*([^\n]*)(.*)/s.exec(text);
  return rest.trim() !== "" && isJson(first) ? "lines" : "text";
}
