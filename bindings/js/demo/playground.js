// Any text, cut into chunks: what each of them reports.

import { Parser } from "jsonspigot";

const find = (id) => document.getElementById(id);

const JSON_TEXT = `{
  "city": "Köln",
  "days": [
    {"plan": "Climb the tower 🗼, then lunch", "cost": 64.5},
    {"plan": "Boat to Bacharach", "booked": true}
  ]
}`;
const PATTERNS = "city\ndays[*].plan\ndays[*].cost";

/** By characters, not by UTF-16 units: whole emoji are easier to read. */
function cut(text, size) {
  const characters = [...text];
  const chunks = [];
  for (let at = 0; at < characters.length; at += size) chunks.push(characters.slice(at, at + size).join(""));
  return chunks;
}

function eventLine(event) {
  const place = `${event.kind.padEnd(6)} ${event.path}`;
  switch (event.kind) {
    case "begin":
      return `${place}  (${event.type})`;
    case "delta":
      return `${place}  ${JSON.stringify(event.text)}`;
    case "end":
      return `${place}  = ${JSON.stringify(event.value)}`;
    default:
      return `${place}  ${event.error.message}`;
  }
}

/** Feeds the chunks up to here, and one more call at the end of the text. */
function run(chunks, steps, patterns, options) {
  const parser = new Parser(patterns, { ...options, snapshots: true });
  const told = { events: [], patch: [], snapshot: undefined, status: undefined, error: undefined };
  try {
    for (let at = 0; at < steps; at++) {
      parser.patch();
      told.events = parser.feed(chunks[at]);
    }
    if (steps === chunks.length) told.events = [...told.events, ...parser.finish()];
  } catch (error) {
    told.error = error;
    told.events = [...told.events, ...(error.events ?? [])];
  }
  if (steps > 0) told.patch = parser.patch();
  told.snapshot = parser.snapshot();
  told.status = parser.status;
  parser.dispose();
  return told;
}

export function playground() {
  const json = find("json");
  const patterns = find("patterns");
  const size = find("size");
  const step = find("step");
  json.value = JSON_TEXT;
  patterns.value = PATTERNS;

  const show = () => {
    const chunks = cut(json.value, Math.max(1, Math.floor(Number(size.value)) || 1));
    step.max = String(chunks.length);
    const steps = Number(step.value);
    find("step-label").textContent = `${steps} of ${chunks.length}`;
    const fed = find("fed");
    fed.replaceChildren();
    chunks.slice(0, steps).forEach((chunk, at) => {
      if (at > 0) {
        const mark = fed.appendChild(document.createElement("span"));
        mark.className = "cut";
        mark.textContent = "│";
      }
      fed.appendChild(document.createElement(at === steps - 1 ? "b" : "span")).textContent = chunk;
    });
    const options = { provisional: find("provisional").checked, ...(find("lenient").checked ? { lenient: "model-output" } : {}) };
    const verdict = find("verdict");
    let told;
    try {
      const list = patterns.value.split("\n").map((line) => line.trim()).filter((line) => line !== "");
      told = run(chunks, steps, list, options);
    } catch (error) {
      verdict.textContent = error.message;
      verdict.classList.add("bad");
      return;
    }
    const { error, status } = told;
    find("snapshot").textContent = JSON.stringify(told.snapshot, undefined, 2) ?? "";
    find("events").textContent = told.events.map(eventLine).join("\n");
    find("patch").textContent = told.patch.map((op) => JSON.stringify(op)).join("\n");
    verdict.classList.toggle("bad", error !== undefined);
    verdict.textContent = error
      ? error.message
      : `${status.bytes} bytes, ${status.isComplete ? "complete and strict" : "still open"}` +
        (status.deviations.count > 0 ? `, deviations: ${status.deviations.list.map(({ kind }) => kind).join(", ")}` : "");
  };

  for (const input of [json, patterns, size, find("provisional"), find("lenient"), step]) input.addEventListener("input", show);
  step.max = "1000";
  step.value = "13";
  show();
}
