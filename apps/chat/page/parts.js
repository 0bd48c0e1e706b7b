// How each type of message looks: a part has an `element` and an `update(props, isLive)`.

import { el, setLines, setState, setText } from "./dom.js";
import { FormPart } from "./form.js";
import { FormattedText } from "./formatted.js";
import { formatter } from "./markdown.js";
import { Tree } from "./tree.js";

class TextPart {
  constructor(className) {
    this.element = el("div", { class: `said ${className}`, dir: "auto" });
  }

  update(props, isLive) {
    setLines(this.element, props?.content ?? "");
    setState(this.element, "live", isLive || undefined);
  }
}

/** What the model says: as it stands, or in the format that it has. */
class AnswerPart extends TextPart {
  update(props, isLive) {
    if (!formatter.isOn) return super.update(props, isLive);
    this.formatted ??= new FormattedText(this.element);
    this.formatted.update(props?.content ?? "", isLive);
    setState(this.element, "live", isLive || undefined);
  }
}

class ThinkingPart {
  constructor() {
    this.text = el("p", { class: "said", dir: "auto" });
    this.summary = el("summary", {});
    this.element = el("details", { class: "thinking" }, this.summary, this.text);
  }

  update(props, isLive) {
    setLines(this.text, props?.content ?? "");
    setText(this.summary, isLive ? "The model is thinking…" : "The model's thinking");
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

const TOOL_STATES = {
  input: "writing the input",
  called: "called",
  running: "running",
  done: "done",
  failed: "failed",
  ended: "ended",
};

/** A card of a tool: its name, and how far it is. Once its turn has ended, nothing goes on. */
class CardPart {
  constructor(kind, className, ...parts) {
    this.name = el("strong", { class: "tool-name" });
    this.status = el("span", { class: "status" });
    this.error = el("p", { class: "error", dir: "auto", hidden: true });
    this.element = el(
      "div",
      { class: `card ${className}`, role: "group", "aria-label": kind },
      el("header", {}, el("span", { class: "card-kind" }, kind), this.name, this.status),
      ...parts,
      this.error,
    );
  }

  update({ name, status, error }) {
    this.state = status;
    setText(this.name, name ?? "…");
    this.error.hidden = !error;
    setText(this.error, wordsOf(error));
    this.#show();
  }

  end() {
    this.isOver = true;
    this.#show();
  }

  #show() {
    const isGoingOn = this.state === "input" || this.state === "running";
    const state = this.isOver && isGoingOn ? "ended" : this.state;
    setText(this.status, TOOL_STATES[state] ?? state ?? "");
    setState(this.element, "status", state);
  }
}

/** A call of the model, while its input is written and after. */
class ToolPart extends CardPart {
  constructor() {
    const input = new Tree();
    super("Tool", "tool", el("div", { class: "tool-input" }, input.element));
    this.input = input;
  }

  update(props) {
    this.input.update(props?.input);
    super.update(props ?? {});
  }
}

/** What has come of a call. */
class ToolResultPart extends CardPart {
  constructor() {
    const result = new Tree();
    const output = el(
      "details",
      { class: "tool-output", hidden: true },
      el("summary", {}, "Result"),
      result.element,
    );
    super("Result", "ran", output);
    this.output = output;
    this.result = result;
  }

  update(props) {
    const result = props?.result;
    this.output.hidden = result === undefined || result === null;
    this.result.update(result);
    super.update(props ?? {});
  }
}

class AskPart {
  constructor(actions) {
    this.actions = actions;
    this.answer = el("p", { class: "said", dir: "auto", hidden: true });
    this.slots = el("div", { class: "slots" });
    this.reasoning = el("p", { class: "said", dir: "auto" });
    this.reasons = el("details", { class: "thinking", hidden: true }, el("summary", {}, "The model's reasoning"), this.reasoning);
    const dots = el("span", { class: "dots", "aria-hidden": "true" });
    this.deciding = el("p", { class: "loading deciding", hidden: true }, dots, "Deciding…");
    this.sending = el(
      "button",
      { type: "button", class: "send-choice", hidden: true, click: () => this.#send() },
      "Send choice",
    );
    this.element = el(
      "div",
      { class: "ask" },
      this.reasons,
      this.answer,
      this.slots,
      this.deciding,
      this.sending,
    );
  }

  update(props, isLive) {
    const { ask_slots: slots, simple_response: simple, reasoning } = props ?? {};
    this.answer.hidden = !simple?.message;
    setText(this.answer, simple?.message ?? "");
    setState(this.answer, "live", (isLive && !slots?.length) || undefined);
    this.deciding.hidden = !isLive;
    this.reasons.hidden = !reasoning;
    // The thoughts are all there is at first: they are open until there is something to act on.
    if (isLive && !simple?.message && !slots?.length) this.reasons.open = true;
    else if (!isLive && !this.hasDecided) this.reasons.open = false;
    this.hasDecided = !isLive;
    setText(this.reasoning, reasoning ?? "");
    const list = Array.isArray(slots) ? slots : [];
    list.forEach((slot, place) => this.#slot(place, slot, isLive && place === list.length - 1));
    while (this.slots.children.length > list.length) this.slots.lastChild.remove();
  }

  #slot(place, slot, isLive) {
    let element = this.slots.children[place];
    if (!element) {
      element = el("div", { class: "slot", "data-slot": place }, el("p", { class: "said question", dir: "auto" }));
      this.slots.append(element);
    }
    setText(element.firstChild, slot?.message ?? "");
    setState(element.firstChild, "live", isLive || undefined);
    // Its name comes with the decision; an answer carries it.
    setState(element, "name", slot?.slot_name);
    const options = Array.isArray(slot?.options) ? slot.options : [];
    // Options come all at once, when their array has closed; what replaces them replaces the chips.
    const words = options.map(wordsOf);
    if (element.shown === words.join("\n")) return;
    element.shown = words.join("\n");
    element.querySelector(".chips")?.remove();
    if (words.length > 0) element.append(this.#chips(words));
  }

  #chips(options) {
    const choose = ({ currentTarget: chip }) => {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      this.sending.hidden = this.#chosen().length === 0;
    };
    const chip = (words) =>
      el(
        "li",
        {},
        el("button", { type: "button", class: "chip", dir: "auto", "aria-pressed": "false", click: choose }, words),
      );
    return el("ul", { class: "chips", "aria-label": "Options" }, ...options.map(chip));
  }

  /** What is chosen of each slot: its name, if it is known, and the words. */
  #chosen() {
    const slots = [...this.slots.children].map((slot) => ({
      name: slot.dataset.name,
      words: [...slot.querySelectorAll("[aria-pressed=true]")].map((chip) => chip.textContent),
    }));
    return slots.filter(({ words }) => words.length > 0);
  }

  /** Sends what is chosen, each in its slot, whatever order it was chosen in. */
  #send() {
    const chosen = this.#chosen();
    const answers = Object.fromEntries(chosen.filter(({ name }) => name).map(({ name, words }) => [name, words]));
    if (!this.actions.answer(chosen.map(({ words }) => words.join(", ")).join("; "), answers)) return;
    for (const chip of this.slots.querySelectorAll("[aria-pressed=true]")) chip.setAttribute("aria-pressed", "false");
    this.sending.hidden = true;
  }
}

class ProductsPart {
  constructor() {
    this.list = el("ul", { class: "products" });
    this.none = el("p", { class: "hint", hidden: true }, "Nothing in the catalogue fits.");
    this.element = el("div", { class: "card", role: "group", "aria-label": "Products" }, this.list, this.none);
  }

  update(props) {
    const items = Array.isArray(props?.items) ? props.items : [];
    this.none.hidden = items.length > 0;
    this.list.replaceChildren(
      ...items.map(({ name, price, ...rest }) => {
        const more = Object.values(rest)
          .filter((value) => typeof value === "string")
          .join(" · ");
        const priced = price === undefined ? undefined : el("span", { class: "price" }, wordsOf(price));
        return el(
          "li",
          {},
          el("strong", {}, wordsOf(name)),
          priced,
          more ? el("span", { class: "hint" }, more) : undefined,
        );
      }),
    );
  }
}

class ErrorPart {
  constructor(actions) {
    this.words = el("p", { class: "error turn-error", dir: "auto" });
    this.element = failure(this.words, actions);
  }

  update(props) {
    setText(this.words, props?.message ?? "Something went wrong.");
    setState(this.words, "kind", props?.kind);
  }
}

/** An error with the way on: the same once more. */
export function failure(words, actions) {
  const again = actions && el("button", { type: "button", class: "retry", click: () => actions.retry() }, "Try again");
  return el("div", { class: "failure" }, words, again);
}

/** How an answer that did not end by itself ended. */
const ENDS = {
  max_tokens: "The answer was cut: the model's limit was reached.",
  content_filter: "The answer was cut by the provider's filter.",
  empty: "The model returned an empty answer.",
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
  return typeof value === "object"
    ? wordsOf(value.label ?? value.message ?? value.name) || JSON.stringify(value)
    : String(value);
}

const PARTS = {
  user: () => new TextPart("user"),
  text: () => new AnswerPart("text"),
  thinking: () => new ThinkingPart(),
  loading: () => new LoadingPart(),
  tool_call: () => new ToolPart(),
  tool_result: () => new ToolResultPart(),
  ask: (actions) => new AskPart(actions),
  products: () => new ProductsPart(),
  form: () => new FormPart(),
  error: (actions) => new ErrorPart(actions),
  done: () => new DonePart(),
};

/** The part for a type of message; nothing for those that stand elsewhere, as the context does. */
export function partFor(type, actions) {
  return PARTS[type]?.(actions);
}
