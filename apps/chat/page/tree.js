// A JSON value on the page, growing in place: objects and arrays as lists.

import { el, setText } from "./dom.js";
import { shown } from "./result.js";

const kindOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
const isContainer = (kind) => kind === "object" || kind === "array";

/** A value with its name; `update` brings it up to date and touches only what has changed. */
class Field {
  constructor(name, isElement) {
    this.name = name;
    this.kind = undefined;
    this.children = [];
    // Who reads counts from one.
    const label = isElement ? `${Number(name) + 1}.` : `${name.replaceAll("_", " ")}:`;
    this.label = el("span", { class: "key" }, label);
    this.element = el("li", { class: "field", "data-field": name }, this.label);
  }

  update(value) {
    const kind = kindOf(value);
    if (kind !== this.kind) this.#become(kind);
    if (isContainer(kind)) updateAll(this, value);
    else setText(this.value, shown(value));
  }

  #become(kind) {
    this.kind = kind;
    this.children = [];
    this.value?.remove();
    this.value = el(isContainer(kind) ? "ul" : "span", {
      class: isContainer(kind) ? "tree" : "value",
      dir: kind === "string" ? "auto" : undefined,
    });
    this.element.replaceChildren(this.label, this.value);
  }
}

function updateAll(parent, value) {
  const names = Object.keys(value);
  names.forEach((name, place) => {
    if (parent.children[place]?.name !== name) {
      const field = new Field(name, Array.isArray(value));
      parent.children[place]?.element.remove();
      parent.value.insertBefore(field.element, parent.value.children[place] ?? null);
      parent.children[place] = field;
    }
    parent.children[place].update(value[name]);
  });
  for (const gone of parent.children.splice(names.length)) gone.element.remove();
}

/** A whole value: its members or elements, or the one atom that it is. */
export class Tree {
  constructor() {
    this.element = el("div", { class: "tree-root" });
    this.root = undefined;
  }

  /** Shows a value; nothing for null. */
  update(value) {
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
    if (isContainer(kind)) updateAll(this.root, value);
    else if (isShown) setText(this.root.value, shown(value));
  }
}
