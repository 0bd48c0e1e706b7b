// The JSON of a turn as the model writes it: keys in clear, shown and kept values in their colours, hidden values as blocks.

import { el, setText } from "./dom.js";

export class RawPanel {
  #texts = new Map(); // message to the element with its text

  constructor(element) {
    this.element = element;
  }

  clear() {
    this.#texts.clear();
    this.element.replaceChildren();
  }

  /** Brings a message's text up to date: a list of runs, or one string of which all is shown. */
  show({ chunk_id: key, type, props }) {
    const raw = props?.raw;
    const runs = Array.isArray(raw) ? raw : raw ? [{ text: raw, goes: "shown" }] : [];
    if (runs.length === 0) return;
    if (!this.#texts.has(key)) {
      const text = el("pre", {});
      this.#texts.set(key, text);
      const name = { ask: "Questions", form: "Form", context: "Note in the text" }[type] ?? `Tool ${props.name ?? ""}`;
      this.element.append(el("h3", {}, name), text);
    }
    const text = this.#texts.get(key);
    runs.forEach((run, place) => {
      const known = text.children[place] ?? text.appendChild(el("span", { class: run?.goes, "data-path": run?.path }));
      setText(known, run?.text ?? "");
    });
  }
}

/** Lights up everything on the page that belongs to the path under the pointer. */
export function linkPaths() {
  let lit;
  const light = ({ target }) => {
    const path = target.closest?.("[data-path]")?.dataset.path;
    if (path === lit) return;
    lit = path;
    for (const element of document.querySelectorAll(".lit")) element.classList.remove("lit");
    if (!path) return;
    for (const element of document.querySelectorAll(`[data-path="${CSS.escape(path)}"]`)) element.classList.add("lit");
  };
  document.addEventListener("pointerover", light);
}
