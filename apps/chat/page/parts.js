// How each type of message looks: a part has an `element` and an `update(props, isLive)`.

import { el, setState, setText } from "./dom.js";
import { Tree } from "./tree.js";

class TextPart {
  constructor(className) {
    this.element = el("p", { class: `said ${className}` });
  }

  update(props, isLive) {
    setText(this.element, props?.content ?? "");
    setState(this.element, "live", isLive || undefined);
  }
}

class ThinkingPart {
  constructor() {
    this.text = el("p", { class: "said" });
    this.summary = el("summary", {}, "Thinking");
    this.element = el("details", { class: "thinking" }, this.summary, this.text);
  }

  update(props, isLive) {
    setText(this.text, props?.content ?? "");
    setText(this.summary, isLive ? "Thinking…" : "Thoughts");
  }
}

class LoadingPart {
  constructor() {
    this.text = el("span", {});
    this.element = el("p", { class: "loading" }, el("span", { class: "dots", "aria-hidden": "true" }), this.text);
  }

  update(props) {
    setText(this.text, props?.message ?? "One moment…");
  }
}

const TOOL_STATES = { input: "writing the input", running: "running", done: "done", failed: "failed" };

class ToolPart {
  constructor() {
    this.name = el("strong", { class: "tool-name" });
    this.status = el("span", { class: "status" });
    this.input = new Tree();
    this.error = el("p", { class: "error", hidden: true });
    this.result = new Tree();
    this.output = el("details", { class: "tool-output", hidden: true }, el("summary", {}, "Result"), this.result.element);
    this.element = el(
      "section",
      { class: "card tool", "aria-label": "Tool" },
      el("header", {}, el("span", { class: "card-kind" }, "Tool"), this.name, this.status),
      el("div", { class: "tool-input" }, this.input.element),
      this.error,
      this.output,
    );
  }

  update(props) {
    const { name, status, input, result, error } = props ?? {};
    setText(this.name, name ?? "…");
    setText(this.status, TOOL_STATES[status] ?? status ?? "");
    setState(this.element, "status", status);
    this.input.update(input);
    this.error.hidden = !error;
    setText(this.error, wordsOf(error));
    this.output.hidden = result === undefined || result === null;
    this.result.update(result);
  }
}

class AskPart {
  constructor(actions) {
    this.actions = actions;
    this.answer = el("p", { class: "said", hidden: true });
    this.slots = el("div", { class: "slots" });
    this.reasoning = el("p", { class: "said" });
    this.reasons = el("details", { class: "thinking", hidden: true }, el("summary", {}, "Reasons"), this.reasoning);
    this.element = el("section", { class: "ask" }, this.reasons, this.answer, this.slots);
  }

  update(props, isLive) {
    const { ask_slots: slots, simple_response: simple, reasoning } = props ?? {};
    this.answer.hidden = !simple?.message;
    setText(this.answer, simple?.message ?? "");
    setState(this.answer, "live", (isLive && !slots?.length) || undefined);
    this.reasons.hidden = !reasoning;
    setText(this.reasoning, reasoning ?? "");
    const list = Array.isArray(slots) ? slots : [];
    list.forEach((slot, place) => this.#slot(place, slot, isLive && place === list.length - 1));
    while (this.slots.children.length > list.length) this.slots.lastChild.remove();
  }

  #slot(place, slot, isLive) {
    let element = this.slots.children[place];
    if (!element) {
      element = el("div", { class: "slot", "data-slot": place }, el("p", { class: "said question" }));
      this.slots.append(element);
    }
    setText(element.firstChild, slot?.message ?? "");
    setState(element.firstChild, "live", isLive || undefined);
    const options = Array.isArray(slot?.options) ? slot.options : [];
    // Options come all at once, when their array has closed.
    if (options.length > 0 && !element.querySelector(".chips")) element.append(this.#chips(options));
  }

  #chips(options) {
    const chip = (option) => {
      const words = wordsOf(option);
      return el("li", {}, el("button", { type: "button", class: "chip", click: () => this.actions.answer(words) }, words));
    };
    return el("ul", { class: "chips", "aria-label": "Options" }, ...options.map(chip));
  }
}

class ProductsPart {
  constructor() {
    this.list = el("ul", { class: "products" });
    this.none = el("p", { class: "hint", hidden: true }, "Nothing in the catalogue fits.");
    this.element = el("section", { class: "card", "aria-label": "Products" }, this.list, this.none);
  }

  update(props) {
    const items = Array.isArray(props?.items) ? props.items : [];
    this.none.hidden = items.length > 0;
    this.list.replaceChildren(
      ...items.map(({ name, price, ...rest }) => {
        const more = Object.values(rest).filter((value) => typeof value === "string").join(" · ");
        const priced = price === undefined ? undefined : el("span", { class: "price" }, wordsOf(price));
        return el("li", {}, el("strong", {}, wordsOf(name)), priced, more ? el("span", { class: "hint" }, more) : undefined);
      }),
    );
  }
}

const FORM_STATES = { filling: "filling", failed: "failed", complete: "complete", given_up: "given up" };

class FormPart {
  constructor() {
    this.title = el("strong", { class: "tool-name" });
    this.status = el("span", { class: "status" });
    this.tree = new Tree();
    this.errors = el("ul", { class: "errors", hidden: true });
    this.raw = el("pre", { class: "raw", tabindex: "0", "aria-label": "What the model wrote" });
    this.element = el(
      "section",
      { class: "card form", "aria-label": "Form" },
      el("header", {}, el("span", { class: "card-kind" }, "Form"), this.title, this.status),
      this.tree.element,
      this.errors,
      el("details", {}, el("summary", {}, "As the model writes it"), this.raw),
    );
  }

  update(props) {
    const { attempt, status, value, open, raw, errors } = props ?? {};
    setText(this.title, `Attempt ${attempt ?? 1}`);
    setText(this.status, FORM_STATES[status] ?? "");
    setState(this.element, "status", status);
    this.tree.update(value, open ?? null);
    setText(this.raw, raw ?? "");
    const list = Array.isArray(errors) ? errors : [];
    this.errors.hidden = list.length === 0;
    const words = list.map(({ pointer, message }) => (pointer ? `${pointer}: ${message}` : message));
    if (this.told !== words.join("\n")) {
      this.told = words.join("\n");
      this.errors.replaceChildren(...words.map((line) => el("li", { class: "error" }, line)));
    }
  }
}

class ErrorPart {
  constructor() {
    this.element = el("p", { class: "error turn-error" });
  }

  update(props) {
    setText(this.element, props?.message ?? "Something went wrong.");
    setState(this.element, "kind", props?.kind);
  }
}

/** How an answer that did not end by itself ended. */
const ENDS = {
  max_tokens: "The answer was cut: the model's limit was reached.",
  refusal: "The model declined to go on.",
  too_many_rounds: "The assistant stopped after too many tool calls.",
};

class DonePart {
  constructor() {
    this.element = el("p", { class: "hint ended", hidden: true });
  }

  update(props) {
    const words = ENDS[props?.stop_reason];
    this.element.hidden = !words;
    setText(this.element, words ?? "");
  }
}

/** A value in a person's words, if it is not text already. */
export function wordsOf(value) {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? wordsOf(value.label ?? value.message ?? value.name) || JSON.stringify(value) : String(value);
}

const PARTS = {
  user: () => new TextPart("user"),
  text: () => new TextPart("text"),
  thinking: () => new ThinkingPart(),
  loading: () => new LoadingPart(),
  tool_call: () => new ToolPart(),
  ask: (actions) => new AskPart(actions),
  products: () => new ProductsPart(),
  form: () => new FormPart(),
  error: () => new ErrorPart(),
  done: () => new DonePart(),
};

/** The part for a type of message; nothing for those that stand elsewhere, as the context does. */
export function partFor(type, actions) {
  return PARTS[type]?.(actions);
}
