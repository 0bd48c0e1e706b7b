// The playground: the library over any JSON in chunks, one step after the other. The server runs the library.

import { playground } from "./api.js";
import { el, setText } from "./dom.js";

const SAMPLE = `{"reply": "Gr\\u00fc\\u00df dich! \\ud83d\\udc4b", "ask_slots": [
  {"message": "Which size?", "options": ["S", "M"]},
  {"message": "Which \\"colour\\"?", "options": []}
], "count": 12.50}`;
const PATTERNS = "ask_slots[*].message\n$..options\ncount";

export class Playground {
  #run = new AbortController();
  #steps = [];
  #leftOut = undefined; // why the last step is not told as a whole, and none behind it
  #bytes = new Uint8Array();

  constructor(root) {
    const find = (id) => root.querySelector(`#pg-${id}`);
    this.form = root.querySelector("form");
    const parts = [
      "json",
      "patterns",
      "chunk",
      "error",
      "result",
      "left-out",
      "step",
      "position",
      "fed",
      "events",
      "snapshot",
      "patch",
    ];
    for (const part of parts) this[part] = find(part);
    this.json.value = SAMPLE;
    this.patterns.value = PATTERNS;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.run();
    });
    this.step.addEventListener("input", () => this.#show());
    find("back").addEventListener("click", () => this.#go(-1));
    find("forward").addEventListener("click", () => this.#go(1));
  }

  /** Has the library read what is in the fields; a run that is still going is given up. */
  async run() {
    this.#run.abort();
    this.#run = new AbortController();
    const { signal } = this.#run;
    const patterns = this.patterns.value.split("\n").filter((line) => line.trim() !== "");
    try {
      const json = this.json.value;
      const { steps, left_out: leftOut } = await playground(
        { json, patterns, chunk: this.chunk.valueAsNumber },
        signal,
      );
      this.#steps = steps;
      this.#leftOut = leftOut;
      this.#bytes = new TextEncoder().encode(json);
      this.step.max = steps.length - 1;
      this.step.value = 0;
      this.error.hidden = true;
      this["left-out"].hidden = leftOut === undefined;
      setText(this["left-out"], leftOut ?? "");
      this.result.hidden = false;
      this.#show();
    } catch (error) {
      if (signal.aborted) return;
      this.result.hidden = true;
      this.error.hidden = false;
      setText(this.error, error.message);
    }
  }

  #go(by) {
    this.step.valueAsNumber += by;
    this.#show();
  }

  #show() {
    const { from, to, events, snapshot, patch, error } = this.#steps[this.step.valueAsNumber];
    const isLast = from === to;
    setText(
      this.position,
      `${this.step.valueAsNumber + 1} of ${this.#steps.length}${isLast ? ": the end of input" : ""}`,
    );
    const text = (start, end) => new TextDecoder().decode(this.#bytes.slice(start, end));
    this.fed.replaceChildren(
      el("span", { class: "pg-past" }, text(0, from)),
      el("mark", {}, text(from, to)),
      el("span", { class: "pg-future" }, text(to)),
    );
    const failed = error ? [el("li", { class: "error" }, error)] : [];
    // Of the step at which the answer was full, more has come than is shown.
    const isCut = this.#leftOut !== undefined && this.step.valueAsNumber === this.#steps.length - 1;
    const rest = isCut ? [el("li", { class: "error" }, "The rest is left out.")] : [];
    this.events.replaceChildren(...events.map(eventLine), ...failed, ...rest);
    if (this.events.childElementCount === 0) this.events.append(none("No events: no pattern matches anything in this chunk."));
    setText(this.snapshot, snapshot ?? "");
    this.patch.replaceChildren(...patch.map((op) => el("li", {}, el("code", {}, op))));
    if (patch.length === 0) this.patch.append(none(isCut ? "The rest is left out." : "Nothing new."));
  }
}

const none = (words) => el("li", { class: "hint" }, words);

function eventLine({ event, pattern, path, text, kind, value }) {
  const what = { begin: kind, delta: JSON.stringify(text), end: value ?? "" }[event];
  return el(
    "li",
    { title: `pattern ${pattern}` },
    el("span", { class: "row-event" }, event),
    el("span", { class: "row-path" }, path),
    el("code", {}, what),
  );
}
