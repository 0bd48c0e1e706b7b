// A JSON value on the page, growing in place: objects and arrays as lists.

import { el, setText } from "./dom.js";
import { shown } from "./locale.js";

const kindOf = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
const isContainer = (kind) => kind === "object" || kind === "array";

/** A value, with its name if it is in another one; `update` brings it up to date and touches only what has changed. */
export class Tree {
  #kind = undefined;
  #children = [];
  #value = undefined;

  constructor(name, isElement) {
    this.name = name;
    // Who reads counts from one.
    const label = isElement ? `${Number(name) + 1}.` : `${name?.replaceAll("_", " ")}:`;
    this.element =
      name === undefined
        ? el("div", { class: "tree-root" })
        : el("li", { class: "field", "data-field": name }, el("span", { class: "key" }, label));
  }

  /** Shows a value; nothing for null that is in no other one. */
  update(value) {
    const kind = this.name === undefined && value === null ? "undefined" : kindOf(value);
    if (kind !== this.#kind) this.#become(kind);
    if (isContainer(kind)) this.#members(value);
    else if (kind !== "undefined") setText(this.#value, shown(value));
  }

  #become(kind) {
    this.#kind = kind;
    this.#children = [];
    this.#value?.remove();
    const attributes = { class: isContainer(kind) ? "tree" : "value", dir: kind === "string" ? "auto" : undefined };
    this.#value = el(isContainer(kind) ? "ul" : "span", attributes);
    if (kind !== "undefined") this.element.append(this.#value);
  }

  #members(value) {
    const names = Object.keys(value);
    names.forEach((name, place) => {
      const known = this.#children[place];
      if (known?.name !== name) {
        this.#children[place] = new Tree(name, Array.isArray(value));
        known?.element.remove();
        this.#value.insertBefore(this.#children[place].element, this.#value.children[place] ?? null);
      }
      this.#children[place].update(value[name]);
    });
    for (const gone of this.#children.splice(names.length)) gone.element.remove();
  }
}
