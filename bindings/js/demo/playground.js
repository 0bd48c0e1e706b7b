// Any text, cut into chunks: what each of them reports, and what is known when it fails.

import { lenient, Parser } from "jsonspigot";
import { Documents } from "jsonspigot/documents";

import { EXAMPLES } from "./examples.js";

const find = (id) => document.getElementById(id);

/** By characters, not by UTF-16 units: whole emoji are easier to read. */
function cut(text, size) {
  const characters = [...text];
  const chunks = [];
  for (let at = 0; at < characters.length; at += size) chunks.push(characters.slice(at, at + size).join(""));
  return chunks;
}

function eventLine(event) {
  const place = `${event.kind.padEnd(6)} ${event.path ?? event.document}`;
  switch (event.kind) {
    case "begin":
      return `${place}  (${event.type})`;
    case "delta":
      return `${place}  ${JSON.stringify(event.text)}`;
    case "end":
      return `${place}  = ${JSON.stringify(event.value)}`;
    case "document":
      return `document ${event.document} is complete`;
    case "document-error":
      return `document ${event.document} failed: ${event.error.message}`;
    default:
      return `${place}  ${event.error.message}`;
  }
}

const deviationList = ({ count, list }) => {
  const named = list.map(({ kind, offset }) => `${kind} at byte ${offset}`);
  return named.join(", ") + (count > list.length ? `, and ${count - list.length} more` : "");
};

/** Feeds the chunks up to here, and one more call at the end of the text. */
function readText(chunks, steps, patterns, options) {
  const parser = new Parser(patterns, { ...options, snapshots: true });
  const read = { events: [], patch: [], error: undefined };
  try {
    for (let at = 0; at < steps; at++) {
      parser.patch();
      read.events = parser.feed(chunks[at]);
    }
    if (steps === chunks.length) read.events = [...read.events, ...parser.finish()];
  } catch (error) {
    read.error = error;
    read.events = [...read.events, ...(error.events ?? [])];
  }
  if (steps > 0) read.patch = parser.patch();
  read.snapshot = parser.snapshot();
  const { bytes, isComplete, deviations } = parser.status;
  const state = !isComplete ? "still open" : deviations.count === 0 ? "complete and strict" : "complete";
  read.verdict = `${bytes} bytes, ${state}`;
  read.deviations = deviations;
  parser.dispose();
  return read;
}

/** The same of a stream of texts, a line each. */
function readLines(chunks, steps, patterns, options) {
  const { provisional: _, ...own } = options;
  const documents = new Documents("lines", patterns, own);
  const read = { events: [], patch: [], errors: [], snapshot: [] };
  const note = (events) => {
    for (const event of events) {
      if (event.kind === "document") read.snapshot.push(event.value);
      if (event.kind === "document-error") {
        read.snapshot.push(null);
        read.errors.push({ offset: event.start + event.error.offset });
      }
    }
    return events;
  };
  for (const chunk of chunks.slice(0, steps)) read.events = note(documents.feed(chunk));
  if (steps === chunks.length) read.events = [...read.events, ...note(documents.finish())];
  const failed = read.errors.length;
  read.verdict = `${read.snapshot.length} lines, ${failed === 0 ? "all of them whole" : `${failed} of them not JSON; the others are not affected`}`;
  return read;
}

/** The index of the character that has a byte of the text in UTF-8. */
function characterAt(characters, offset) {
  const encoder = new TextEncoder();
  let bytes = 0;
  for (let at = 0; at < characters.length; at++) {
    bytes += encoder.encode(characters[at]).length;
    if (offset < bytes) return at;
  }
  return characters.length;
}

/** The chunks so far, with their cuts, the newest one marked, and the bytes at which it fails. */
function showChunks(chunks, steps, offsets) {
  const characters = [...chunks.join("")];
  const bad = new Set(offsets.map((offset) => characterAt(characters, offset)));
  const fed = find("fed");
  fed.replaceChildren();
  let at = 0;
  chunks.slice(0, steps).forEach((chunk, number) => {
    if (number > 0) Object.assign(fed.appendChild(document.createElement("span")), { className: "cut", textContent: "│" });
    const element = fed.appendChild(document.createElement(number === steps - 1 ? "b" : "span"));
    for (const character of chunk) {
      if (bad.has(at)) Object.assign(element.appendChild(document.createElement("mark")), { textContent: character === "\n" ? "⏎\n" : character });
      else element.append(character);
      at += 1;
    }
  });
  if (bad.has(at)) Object.assign(fed.appendChild(document.createElement("mark")), { textContent: "⌁", title: "more was expected here" });
  // What it is about stays in sight.
  const newest = fed.querySelector("mark") ?? fed.lastElementChild;
  if (newest) fed.scrollTop = newest.offsetTop - fed.offsetTop - fed.clientHeight / 2;
}

const toText = (state) => {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const fromText = (text) => {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
};

export function playground() {
  const [json, patterns, size, step, play] = ["json", "patterns", "size", "step", "play"].map(find);
  const boxes = ["provisional", "tolerate", "lines"].map(find);
  let timer;

  const show = () => {
    const chunks = cut(json.value, Math.max(1, Math.floor(Number(size.value)) || 1));
    step.max = String(chunks.length);
    const steps = Number(step.value);
    find("step-label").textContent = `${steps} of ${chunks.length}`;
    const [provisional, tolerate, lines] = boxes.map(({ checked }) => checked);
    const options = { provisional, ...(tolerate ? { lenient: lenient("model-output"), accept: true } : {}) };
    const verdict = find("verdict");
    let read;
    try {
      const list = patterns.value.split("\n").map((line) => line.trim()).filter((line) => line !== "");
      read = (lines ? readLines : readText)(chunks, steps, list, options);
    } catch (error) {
      verdict.textContent = error.message;
      verdict.className = "verdict bad";
      return;
    }
    const { error, errors = error ? [error] : [], deviations } = read;
    showChunks(chunks, steps, errors.map(({ offset }) => offset));
    find("snapshot").textContent = JSON.stringify(read.snapshot, undefined, 2) ?? "";
    find("events").textContent = read.events.map(eventLine).join("\n");
    find("patch").textContent = read.patch.map((op) => JSON.stringify(op)).join("\n");
    const isOver = steps === chunks.length;
    verdict.className = `verdict ${errors.length > 0 ? "bad" : isOver ? "good" : ""}`;
    const passed = deviations?.count > 0 ? `; tolerated: ${deviationList(deviations)}` : "";
    verdict.textContent = (error ? error.message : read.verdict) + passed;
  };

  /** Shows so many chunks, or all. */
  const showTo = (steps) => {
    step.max = String(json.value.length);
    step.value = String(steps ?? step.max);
    show();
  };

  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = "Play";
  };
  play.addEventListener("click", () => {
    if (timer !== undefined) return stop();
    if (step.value === step.max) step.value = "0";
    play.textContent = "Pause";
    timer = setInterval(() => {
      step.value = String(Number(step.value) + 1);
      show();
      if (step.value === step.max) stop();
    }, 120);
  });

  const set = (state) => {
    stop();
    json.value = state.text;
    patterns.value = state.patterns;
    size.value = String(state.size ?? 6);
    for (const box of boxes) box.checked = Boolean(state[box.id]);
    showTo(state.step);
  };

  for (const [name, example] of Object.entries(EXAMPLES)) {
    const button = find("examples").appendChild(document.createElement("button"));
    Object.assign(button, { type: "button", textContent: name });
    button.addEventListener("click", () => set(example));
  }
  find("link").addEventListener("click", async () => {
    const state = { text: json.value, patterns: patterns.value, size: Number(size.value), step: Number(step.value) };
    for (const box of boxes) state[box.id] = box.checked;
    history.replaceState(null, "", `#${toText(state)}`);
    // Pages from the disk may have no clipboard; the address bar has the link.
    const isCopied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    find("link").textContent = isCopied ? "Link copied" : "In the address bar";
    setTimeout(() => (find("link").textContent = "Link to this"), 2000);
  });
  for (const input of [json, patterns, size, ...boxes]) {
    input.addEventListener("input", () => {
      stop();
      showTo();
    });
  }
  step.addEventListener("input", () => {
    stop();
    show();
  });

  const follow = () => {
    if (location.hash.length < 2) return false;
    try {
      set(fromText(location.hash.slice(1)));
      return true;
    } catch {
      // Somebody else's fragment.
      return false;
    }
  };
  addEventListener("hashchange", follow);
  if (!follow()) set(EXAMPLES["Tool call"]);
}
