// A form that the model fills: labelled fields that only the model writes to, each marked partial or complete, with what is
// wrong with it beside it.

import { el, setState, setText } from "./dom.js";
import { shown } from "./locale.js";

const FORM_STATES = { filling: "filling", failed: "failed", complete: "valid", given_up: "given up", ended: "ended" };

/** What the marks say to who can't see them. */
const MARKS = { partial: ["…", "still filling"], complete: ["", "complete"], valid: ["✓", "valid"] };

let count = 0;

/** A name for an element that labels and errors refer to. */
const newId = () => `field-${(count += 1)}`;

const isContainer = (value) => typeof value === "object" && value !== null;
const step = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");
const title = (name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll("_", " ");

/** Members with their fields: of the form as a whole, or of a group in it. */
class Members {
  #children = new Map();

  constructor(element, label) {
    this.element = element;
    this.label = label;
  }

  /** `open` is the pointer of the innermost open value, or null; `true` once the schema has been checked. */
  update(value, pointer, open) {
    const isList = Array.isArray(value);
    for (const [name, member] of Object.entries(value)) {
      const label = isList ? `${this.label.replace(/s$/, "")} ${Number(name) + 1}` : title(name);
      this.#child(name, label, isContainer(member)).update(member, `${pointer}/${step(name)}`, open);
    }
    for (const [name, child] of this.#children) {
      if (Object.hasOwn(value, name)) continue;
      child.element.remove();
      this.#children.delete(name);
    }
  }

  #child(name, label, isGroup) {
    const known = this.#children.get(name);
    if (known && Boolean(known.members) === isGroup) return known;
    const child = new Field(name, label, isGroup);
    if (known) known.element.replaceWith(child.element);
    else this.element.append(child.element);
    this.#children.set(name, child);
    return child;
  }

  /** The field that a pointer leads to from here, if it is shown. */
  at(pointer) {
    let members = this;
    let field;
    for (const name of pointer.split("/").slice(1)) {
      field = members?.#children.get(name.replaceAll("~1", "/").replaceAll("~0", "~"));
      members = field?.members;
    }
    return field;
  }
}

/** One value with its label: a field of the form, or a group of them. */
class Field {
  #state = undefined;
  #errors = [];

  constructor(name, label, isGroup) {
    const id = newId();
    const sign = el("span", { "aria-hidden": "true" });
    const words = el("span", { class: "unseen", id: `${id}-state` });
    const mark = el("span", { class: "mark" }, sign, words);
    this.id = id;
    this.mark = { sign, words };
    if (isGroup) {
      this.control = el("fieldset", {}, el("legend", {}, label, mark));
      this.members = new Members(this.control, label);
    } else {
      const described = { id, "aria-describedby": `${id}-state` };
      this.control = el("textarea", { class: "value", rows: 1, readonly: true, dir: "auto", ...described });
    }
    const head = isGroup ? undefined : el("span", { class: "field-head" }, el("label", { for: id }, label), mark);
    this.element = el("div", { class: "field", "data-field": name }, head, this.control);
  }

  update(value, pointer, open) {
    if (this.members) this.members.update(value, pointer, open);
    const isOpen = typeof open === "string" && (open === pointer || open.startsWith(`${pointer}/`));
    if (!this.members) this.#write(isOpen ? String(value) : shown(value));
    this.#show(isOpen ? "partial" : open === true ? "valid" : "complete");
  }

  #write(text) {
    if (this.control.value !== text) this.control.value = text;
  }

  #show(state) {
    if (this.#state === state) return;
    this.#state = state;
    setState(this.element, "state", state);
    const [sign, words] = MARKS[state];
    setText(this.mark.sign, sign);
    setText(this.mark.words, words);
  }

  /** Says what is wrong with it, at its place. */
  blame(message) {
    if (this.#errors.length === 0) {
      this.error = el("p", { class: "error field-error", id: `${this.id}-error`, dir: "auto" });
      this.element.append(this.error);
      // A group is no control: it is described by its error, but can't be invalid.
      if (!this.members) this.control.setAttribute("aria-invalid", "true");
      this.control.setAttribute("aria-describedby", `${this.id}-state ${this.id}-error`);
    }
    this.#errors.push(message);
    setText(this.error, this.#errors.join("; "));
  }
}

export class FormPart {
  /** `suggestions` is the part that shows what the person may say next. */
  constructor(suggestions, actions, code) {
    this.reply = el("p", { class: "said", dir: "auto", hidden: true });
    this.suggestions = suggestions;
    this.title = el("strong", { class: "tool-name" });
    this.status = el("span", { class: "status" });
    const fields = el("div", { class: "form-fields" });
    this.members = new Members(fields, "");
    this.fields = el("details", { class: "fields", open: true }, el("summary", {}, "Fields"), fields);
    this.errors = el("ul", { class: "errors", hidden: true });
    const copy = () => actions.copy(JSON.stringify(this.form, null, 2));
    this.use = el("button", { type: "button", class: "use", disabled: true, click: copy }, "Copy this trip as JSON");
    this.again = el("button", { type: "button", class: "retry", hidden: true, click: () => actions.retry() }, "Try again");
    this.card = el(
      "div",
      { class: "card form", role: "group", "aria-label": "Form" },
      el("header", {}, el("span", { class: "card-kind" }, "Form"), this.title, this.status, code),
      this.fields,
      this.errors,
      el("div", { class: "chips" }, this.use, this.again),
    );
    this.element = el("div", {}, this.reply, this.suggestions.element, this.card);
  }

  update(props) {
    const { attempt, value, open, errors } = props ?? {};
    const status = this.isOver && props?.status === "filling" ? "ended" : props?.status;
    const isValid = status === "complete";
    this.props = props;
    setText(this.title, `Attempt ${attempt ?? 1}`);
    setText(this.status, FORM_STATES[status] ?? "");
    setState(this.card, "status", status);
    // A model that can't fill the form says so instead.
    const { reply, suggestions, ...form } = isContainer(value) ? value : {};
    this.reply.hidden = this.suggestions.element.hidden = reply === undefined;
    this.card.hidden = reply !== undefined;
    setText(this.reply, reply ?? "");
    this.suggestions.update(Array.isArray(suggestions) ? suggestions : []);
    this.form = form;
    this.members.update(form, "", isValid || (status === "filling" ? (open ?? null) : null));
    this.use.disabled = !isValid;
    this.again.hidden = status !== "given_up";
    this.#blame(Array.isArray(errors) ? errors : []);
    this.hasFailed = status === "failed";
  }

  /** The turn is over, and the next one has begun: what has failed makes room, its errors stay in sight. */
  freeze() {
    this.suggestions.freeze();
    if (this.hasFailed) this.fields.open = false;
  }

  end() {
    this.isOver = true;
    this.update(this.props);
    this.suggestions.end();
  }

  #blame(errors) {
    const words = errors.map(({ pointer, message }) => (pointer ? `${pointer}: ${message}` : message));
    if (this.told === words.join("\n")) return;
    this.told = words.join("\n");
    this.errors.hidden = words.length === 0;
    this.errors.replaceChildren(...words.map((line) => el("li", { class: "error", dir: "auto" }, line)));
    for (const { pointer, message } of errors) this.members.at(pointer ?? "")?.blame(message);
  }
}
