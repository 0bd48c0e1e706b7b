// What the tests of the hook run in the page: `window.cases`, by name.

import { createElement, memo, StrictMode, useEffect } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { useJsonStream } from "jsonspigot/react";

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Mounts a component under strict mode. */
function mount(component, props) {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const render = (next) => root.render(createElement(StrictMode, null, createElement(component, next)));
  render(props);
  return { render, unmount: () => root.unmount() };
}

/** Shows a stream, and keeps all that it was given. */
function Probe({ open, options, seen }) {
  const stream = useJsonStream(open, options);
  useEffect(() => {
    if (seen.at(-1) !== stream) seen.push(stream);
  });
  return null;
}

async function until(isDone) {
  for (let left = 2000; !isDone(); left--) {
    if (left === 0) throw new Error("it did not come to an end");
    await pause(5);
  }
}

const ended = (seen) => until(() => ["complete", "error"].includes(seen.at(-1)?.status));

window.cases = {
  /** 5,000 deltas of 200 rows. */
  async list() {
    const rows = Array.from({ length: 200 }, (_, id) => ({ id, text: `row ${id}: ${"lorem ipsum ".repeat(9)}` }));
    const text = JSON.stringify({ rows });
    const size = text.length / 5000;
    const deltas = Array.from({ length: 5000 }, (_, at) => text.slice(Math.round(at * size), Math.round((at + 1) * size)));
    let opened = 0;
    let wasAborted = false;
    async function* open(signal) {
      opened += 1;
      for (let at = 0; at < deltas.length; at++) {
        if (at % 20 === 0) await pause(1);
        yield deltas[at];
      }
      wasAborted = signal.aborted;
    }
    /** For each commit: how many rows there are, and which were rendered. */
    const commits = [];
    let rendered = new Set();
    const Row = memo(function Row({ row }) {
      // Strict mode calls it twice.
      rendered.add(row.id ?? -1);
      return createElement("li", null, row.text);
    });
    const seen = [];
    let frames = 0;
    const tick = () => {
      frames += 1;
      if (seen.at(-1)?.status !== "complete") requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    function List() {
      const stream = useJsonStream(open);
      const list = stream.value?.rows ?? [];
      useEffect(() => {
        if (seen.at(-1) === stream) return;
        seen.push(stream);
        commits.push({ count: list.length, rendered: [...rendered] });
        rendered = new Set();
      });
      return createElement("ul", null, list.map((row, at) => createElement(Row, { key: at, row })));
    }
    mount(List);
    await ended(seen);
    const { value, status } = seen.at(-1);
    const shown = [...document.querySelectorAll("li")].map((item) => item.textContent);
    return {
      opened, wasAborted, status, frames, commits,
      isWhole: JSON.stringify(value) === text,
      isShown: JSON.stringify(shown) === JSON.stringify(rows.map((row) => row.text)),
    };
  },

  /** A response that was there before the component. */
  async response() {
    const response = new Response('{"city": "Köln"}');
    const seen = [];
    mount(Probe, { open: () => response, seen });
    await ended(seen);
    return seen.at(-1);
  },

  /** A key that the options refuse, and options that are refused. */
  async refusals() {
    async function* open() {
      yield '{"a": 1, ';
      await pause(100);
      yield '"__proto__": {}';
      await pause(100);
      yield ', "b": 2}';
    }
    const outcomes = [];
    for (const options of [{ prototypeKeys: "reject" }, { limits: { depth: -1 } }]) {
      const seen = [];
      mount(Probe, { open, options, seen });
      await ended(seen);
      const { value, status, error } = seen.at(-1);
      outcomes.push({ value, status, kind: error?.kind });
    }
    return outcomes;
  },

  /** A key that is not equal to itself. */
  async notANumber() {
    const seen = [];
    mount(Probe, { open: () => ["{}"], options: { key: NaN }, seen });
    await ended(seen);
    return seen.at(-1).status;
  },

  /** No frame comes in a hidden tab. */
  async hidden() {
    window.requestAnimationFrame = () => 0;
    const seen = [];
    let go;
    async function* open() {
      yield '{"a": "1';
      await new Promise((done) => (go = done));
      yield "2";
      await new Promise((done) => (go = done));
      yield '3"}';
    }
    mount(Probe, { open, seen });
    await until(() => go);
    await pause(50);
    const before = seen.at(-1).value;
    const hide = () => {
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    };
    hide();
    await until(() => seen.at(-1).value !== undefined);
    const onHiding = seen.at(-1).value;
    go();
    await until(() => seen.at(-1).value.a === "12");
    const whileHidden = seen.at(-1).value;
    Object.defineProperty(document, "visibilityState", { value: "visible", configurable: true });
    go();
    await ended(seen);
    return { before, onHiding, whileHidden, atTheEnd: seen.at(-1) };
  },

  async error() {
    const seen = [];
    mount(Probe, { open: () => ['{"a": [1, 2', ", x"], seen });
    await ended(seen);
    const { value, status, error } = seen.at(-1);
    return { value, status, name: error.name, kind: error.kind, offset: error.offset };
  },

  async sourceError() {
    const seen = [];
    mount(Probe, { open: async () => Promise.reject(new Error("no such trip")), seen });
    await ended(seen);
    return { status: seen.at(-1).status, message: seen.at(-1).error.message };
  },

  async unmount() {
    const seen = [];
    const told = [];
    async function* open(signal) {
      signal.addEventListener("abort", () => told.push("aborted"));
      try {
        for (;;) {
          yield told.length === 0 ? "[" : "";
          told.push("chunk");
          await pause(5);
        }
      } finally {
        told.push("closed");
      }
    }
    const { unmount } = mount(Probe, { open, seen });
    await until(() => told.length > 2);
    unmount();
    await until(() => told.includes("closed"));
    const count = seen.length;
    await pause(30);
    return { told: told.filter((what) => what !== "chunk"), isQuiet: seen.length === count };
  },

  /** Another key is another stream; nothing of the old one is shown afterwards. */
  async key() {
    const seen = [];
    const aborted = [];
    const open = (name) =>
      async function* (signal) {
        signal.addEventListener("abort", () => aborted.push(name));
        yield `["${name}`;
        await pause(name === "first" ? 60 : 5);
        yield '"]';
      };
    const { render } = mount(Probe, { open: null, seen });
    await until(() => seen.length > 0);
    render({ open: open("first"), options: { key: 1 }, seen });
    await until(() => seen.at(-1).value?.[0] === "first");
    // The same key with another function: the same stream.
    render({ open: open("never"), options: { key: 1 }, seen });
    await pause(10);
    flushSync(() => render({ open: open("second"), options: { key: 2 }, seen }));
    await ended(seen);
    await pause(80);
    return { shown: seen.map(({ status, value }) => `${status} ${JSON.stringify(value)}`), aborted };
  },
};
