// A JSON value on the page, growing in place: objects and arrays as lists, each value marked partial or complete.

import { el, setState, setText } from "./dom.js";
import { shown } from "./result.js";

/** Marks what is still open: `undefined` where nobody knows, so nothing is marked; null once all that shows is complete. */
function stateOf(pointer, open) {
  if (open === undefined) return undefined;
  return open !== null && (open === pointer || open.startsWith(`${pointer}/`)) ? "partial" : "complete";
}

const kindOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
const isContainer = (kind) => kind === "object" || kind === "array";
const step = (name) => String(name).replaceAll("~", "~0").replaceAll("/", "~1");

/** What the marks say to who can't see them. */
const MARKS = { partial: ["…", "still filling"], complete: ["✓", "complete"] };

/** A value with its name; `update` brings it up to date and touches only what has changed. */
class Field {
  constructor(name, isElement) {
    this.name = name;
    this.kind = undefined;
    this.children = [];
    // Who reads counts from one.
    const label = isElement ? `${Number(name) + 1}.` : `${name.replaceAll("_", " ")}:`;
    this.label = el("span", { class: "key" }, label);
    this.mark = el("span", { class: "mark" });
    this.element = el("li", { class: "field", "data-field": name }, this.label);
  }

  update(value, pointer, open) {
    const kind = kindOf(value);
    if (kind !== this.kind) this.#become(kind);
    if (isContainer(kind)) updateAll(this, value, pointer, open);
    else setText(this.value, stateOf(pointer, open) === "partial" ? String(value) : shown(value));
    this.#show(stateOf(pointer, open));
  }

  #become(kind) {
    this.kind = kind;
    this.children = [];
    this.value?.remove();
    this.value = el(isContainer(kind) ? "ul" : "span", {
      class: isContainer(kind) ? "tree" : "value",
      dir: kind === "string" ? "auto" : undefined,
      "data-kind": kind,
    });
    this.element.replaceChildren(
      this.label,
      ...(isContainer(kind) ? [this.mark, this.value] : [this.value, this.mark]),
    );
  }

  #show(state) {
    if (this.state === state) return;
    this.state = state;
    setState(this.element, "state", state);
    const [sign, words] = MARKS[state] ?? ["", ""];
    this.mark.replaceChildren(el("span", { "aria-hidden": "true" }, sign), el("span", { class: "unseen" }, words));
  }
}

function updateAll(parent, value, pointer, open) {
  const names = Object.keys(value);
  names.forEach((name, place) => {
    if (parent.children[place]?.name !== name) {
      const field = new Field(name, Array.isArray(value));
      parent.children[place]?.element.remove();
      parent.value.insertBefore(field.element, parent.value.children[place] ?? null);
      parent.children[place] = field;
    }
    parent.children[place].update(value[name], `${pointer}/${step(name)}`, open);
  });
  for (const gone of parent.children.splice(names.length)) gone.element.remove();
}

/** A whole value: its members or elements, or the one atom that it is. */
export class Tree {
  constructor() {
    this.element = el("div", { class: "tree-root" });
    this.root = undefined;
  }

  /** Shows a value; nothing for null. `open` is the pointer of the innermost value that is partial, if it is known. */
  update(value, open) {
    const isShown = value !== undefined && value !== null;
    const kind = isShown ? kindOf(value) : undefined;
    if (kind !== this.kind) {
      this.kind = kind;
      this.root = {
        value: isContainer(kind) ? el("ul", { class: "tree" }) : el("span", { class: "value" }),
        children: [],
      };
      this.element.replaceChildren(...(isShown ? [this.root.value] : []));
    }
    if (isContainer(kind)) updateAll(this.root, value, "", open);
    else if (isShown) setText(this.root.value, shown(value));
  }
}
