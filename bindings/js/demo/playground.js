// Any text, cut into chunks: the events of each chunk, and the document so far, also after an error.

import { lenient } from "jsonspigot";

import { copy } from "./copy.js";
import { EXAMPLES } from "./examples.js";
import { READERS, recognize } from "./readers.js";

/** The number of characters to draw on each side of a panel's place: more than the panel has room for. */
const AROUND = 800;

/** The number of draws in which a long text is played. */
const STEPS = 250;

const find = (id) => document.getElementById(id);

/** Returns the starts of the chunks, and the end of the last one. Counts characters, not UTF-16 units, so emoji stay whole. */
function boundariesOf(text, size) {
  const boundaries = [0];
  for (let at = 0, count = 1; at < text.length; count++) {
    at += text.codePointAt(at) > 0xffff ? 2 : 1;
    if (count % size === 0 || at === text.length) boundaries.push(at);
  }
  return boundaries;
}

/** Turns ascending offsets in UTF-8 into indices. */
function indicesOf(text, offsets) {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let [from, index] = [0, 0];
  return offsets.map((offset) => {
    index += decoder.decode(bytes.subarray(from, offset)).length;
    from = offset;
    return index;
  });
}

function eventLine({ kind, path, document, ...event }) {
  const { type, text, value, raw, error, deviations, ...others } = event;
  const place = `${kind.padEnd(6)} ${path}`;
  if (kind === "begin") return `${place}  (${type})`;
  if (kind === "delta") return `${place}  ${JSON.stringify(text)}`;
  if (kind === "end") return `${place}  = ${raw}`;
  if (path !== undefined) return `${place}  ${error.message}`;
  return [kind, document, JSON.stringify({ type, text, ...others }), error?.message ?? raw].filter((part) => part !== undefined && part !== "{}").join("  ");
}

/** Returns the beginning and the end of a long text, or all of a short one. */
function clip(text) {
  const left = text.length - 8 * AROUND;
  return left <= 0 ? text : `${text.slice(0, 4 * AROUND)}\n⋯ ${left} characters ⋯\n${text.slice(-4 * AROUND)}`;
}

/** Reads a text in two chunks, as the result does not depend on the cut. The events and the patch are those of the second. */
function read({ source, note = () => {}, isOwn = () => false, known, patch = () => [], verdict, offsets = [] }, [before, chunk], isOver) {
  const result = { events: [], patch: [], offsets };
  let isInChunk = false;
  const take = (events) => {
    events.forEach(note);
    if (isInChunk) result.events.push(...events.filter((event) => !isOwn(event)));
  };
  try {
    take(source.feed(before));
    patch();
    isInChunk = true;
    take(source.feed(chunk));
    if (isOver) take(source.finish());
    result.verdict = verdict(isOver);
  } catch (error) {
    take(error.events ?? []);
    result.verdict = { text: error.message, isBad: true };
    offsets.push(error.offset);
  }
  if (isInChunk) result.patch = patch();
  result.known = known();
  source.dispose?.();
  return result;
}

/** Returns the result if no reader can be made, for example since a pattern is invalid. */
const refused = ({ message }) => ({ events: [], patch: [], known: "", offsets: [], verdict: { text: message, isBad: true } });

/** Draws the chunks so far around the first bad byte or the newest chunk. */
function drawChunks(text, boundaries, steps, bad) {
  const end = boundaries[steps];
  const about = bad[0] ?? end;
  const first = Math.max(0, boundaries.findIndex((boundary) => boundary > about - AROUND) - 1);
  const last = boundaries.findLastIndex((boundary) => boundary < about + AROUND);
  const near = bad.filter((at) => at >= boundaries[first] && at < end && at < boundaries[last] + AROUND);
  const make = (name, textContent, title = "") => Object.assign(document.createElement(name), { textContent, title });
  const nodes = first > 0 ? [make("i", `⋯ ${boundaries[first]} characters ⋯`)] : [];
  for (let number = first; number <= last && number < steps; number++) {
    const node = make(number === steps - 1 ? "b" : "span", "");
    let from = boundaries[number];
    const to = boundaries[number + 1];
    for (const at of near.filter((at) => at >= from && at < to)) {
      const character = String.fromCodePoint(text.codePointAt(at));
      node.append(text.slice(from, at), make("mark", character === "\n" ? "⏎\n" : character));
      from = at + character.length;
    }
    node.append(text.slice(from, to));
    nodes.push(node);
  }
  if (bad.includes(end)) nodes.push(make("mark", "⌁", "more was expected here"));
  const fed = find("fed");
  fed.replaceChildren(...nodes);
  const newest = fed.querySelector("mark") ?? fed.lastElementChild;
  if (newest) fed.scrollTop = newest.offsetTop - fed.offsetTop - fed.clientHeight / 2;
}

const toText = (state) => {
  const bytes = Array.from(new TextEncoder().encode(JSON.stringify(state)), (byte) => String.fromCharCode(byte));
  return btoa(bytes.join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const fromText = (text) => {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
};

export function playground() {
  const [text, patterns, size, kind, step, play] = ["text", "patterns", "size", "kind", "step", "play"].map(find);
  const boxes = ["provisional", "tolerate"].map(find);
  let timer;

  const show = () => {
    const { value } = text;
    const boundaries = boundariesOf(value, Math.max(1, Math.floor(Number(size.value)) || 1));
    const count = boundaries.length - 1;
    step.max = String(count);
    const steps = Number(step.value);
    find("step-label").textContent = `${steps} of ${count}`;
    const [provisional, tolerate] = boxes.map(({ checked }) => checked);
    const tolerated = tolerate ? { lenient: lenient("model-output"), accept: true } : {};
    const options = { spelling: true, provisional, ...tolerated };
    const list = patterns.value.split("\n").map((line) => line.trim()).filter((line) => line !== "");
    const end = boundaries[steps];
    const start = boundaries[Math.max(0, steps - 1)];
    const chunks = [value.slice(0, start), value.slice(start, end)];
    let panels;
    try {
      panels = read(READERS[kind.value || recognize(value)](list, options), chunks, steps === count);
    } catch (error) {
      panels = refused(error);
    }
    const { verdict } = panels;
    drawChunks(value, boundaries, steps, indicesOf(value, panels.offsets));
    find("known").textContent = clip(panels.known);
    // The newest is at the end.
    find("known").scrollTop = steps < count ? 1e6 : 0;
    find("events").textContent = clip(panels.events.map(eventLine).join("\n"));
    find("patch").textContent = clip(panels.patch.join("\n"));
    find("verdict").textContent = verdict.text;
    find("verdict").className = `verdict ${verdict.isBad ? "bad" : steps === count ? "good" : ""}`;
  };

  /** Shows this many chunks, or all. */
  const showTo = (steps) => {
    step.max = String(text.value.length);
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
      step.value = String(Number(step.value) + Math.ceil(Number(step.max) / STEPS));
      show();
      if (step.value === step.max) stop();
    }, 120);
  });

  const set = (state) => {
    stop();
    text.value = state.text;
    patterns.value = state.patterns;
    size.value = String(state.size ?? 6);
    kind.value = state.kind ?? "";
    for (const box of boxes) box.checked = Boolean(state[box.id]);
    showTo(state.step);
  };

  for (const [name, example] of Object.entries(EXAMPLES)) {
    const button = find("examples").appendChild(document.createElement("button"));
    Object.assign(button, { type: "button", textContent: name });
    button.addEventListener("click", () => set(example));
  }
  find("link").addEventListener("click", () => {
    const state = { text: text.value, patterns: patterns.value, size: Number(size.value), kind: kind.value, step: Number(step.value) };
    for (const box of boxes) state[box.id] = box.checked;
    history.replaceState(null, "", `#${toText(state)}`);
    copy(find("link"), location.href, "In the address bar");
  });
  for (const input of [text, patterns, size, kind, ...boxes]) {
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
      // Another page's fragment.
      return false;
    }
  };
  addEventListener("hashchange", follow);
  if (!follow()) set(EXAMPLES["Tool call"]);
}
