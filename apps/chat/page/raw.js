// The JSON of a turn as the model writes it: keys in clear, shown and kept values in their colours, hidden values as blocks.

import { h } from "./dom.js";

const NAMES = { ask: "Questions", form: "Form", context: "Note in the text" };

/** Shows the text of a message: a list of runs, or one string that is shown whole. */
export function raw({ chunk_id: key, type, props }) {
  const runs = Array.isArray(props.raw) ? props.raw : [{ text: props.raw, goes: "shown" }];
  const run = ({ text, goes, path }) => h("span", { class: goes, "data-path": path }, text ?? "");
  const name = NAMES[type] ?? `Tool ${props.name ?? ""}`;
  return [
    h("h3", { key: `name ${key}` }, name),
    h(
      "pre",
      { key },
      runs.map((it) => run(it ?? {})),
    ),
  ];
}

/** Lights up everything on the page that belongs to the path under the pointer. */
export function linkPaths() {
  let lit;
  document.addEventListener("pointerover", ({ target }) => {
    const path = target.closest?.("[data-path]")?.dataset.path;
    if (path === lit) return;
    lit = path;
    for (const element of document.querySelectorAll(".lit")) element.classList.remove("lit");
    if (!path) return;
    for (const element of document.querySelectorAll(`[data-path="${CSS.escape(path)}"]`)) element.classList.add("lit");
  });
}
