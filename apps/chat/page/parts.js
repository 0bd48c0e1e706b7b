// How each type of message looks: a part has an `element` and an `update(props, isLive)`.

import { CODE } from "./assistants.js";
import { el, setLines, setState, setText } from "./dom.js";
import { FormPart } from "./form.js";
import { money } from "./locale.js";
import { drawn, scale } from "./result.js";
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

/** A link to the code that reads this part of an answer. */
const code = (assistant) =>
  el("a", { class: "code-link", href: CODE[assistant], target: "_blank", "aria-label": `The code: ${CODE[assistant]}` }, "</>");

class LoadingPart {
  constructor() {
    this.text = el("span", {});
    this.element = el("p", { class: "loading" }, el("span", { class: "dots", "aria-hidden": "true" }), this.text);
  }

  update(props) {
    setText(this.text, props?.message ?? "One moment…");
  }
}

const CALL_STATES = {
  input: "writing the input",
  called: "called",
  running: "running",
  done: "done",
  failed: "failed",
  ended: "ended",
};

/** A call's card, from the first letter of its input to its result. Once its turn has ended, nothing goes on. */
class CallPart {
  constructor() {
    this.name = el("strong", { class: "tool-name" });
    this.status = el("span", { class: "status" });
    this.error = el("p", { class: "error", dir: "auto", hidden: true });
    this.input = new Tree();
    this.element = el(
      "article",
      { class: "card tool", "aria-label": "Tool call" },
      el("header", {}, this.name, this.status, code("finance")),
      el("div", { class: "tool-input" }, this.input.element),
      this.error,
    );
  }

  update({ name, input, status, error } = {}) {
    setText(this.name, name?.replaceAll("_", " ") || "…");
    this.input.update(input);
    this.asked = input;
    // What has come of it says more than that it was made.
    if (!this.isRun) this.go(status, error);
  }

  go(status, error) {
    this.state = status;
    this.error.hidden = !error;
    setText(this.error, wordsOf(error));
    this.#show();
  }

  end() {
    this.isOver = true;
    this.#show();
  }

  #show() {
    const isGoingOn = ["input", "called", "running"].includes(this.state);
    const state = this.isOver && isGoingOn ? "ended" : this.state;
    setText(this.status, CALL_STATES[state] ?? state ?? "");
    setState(this.element, "status", state);
  }
}

/** What comes of a call: a section of its card. */
class ResultPart {
  constructor(call) {
    this.call = call ?? new CallPart();
    this.element = el("section", { class: "block result-block" });
    // A call that is not known has its card here.
    if (call) call.element.insertBefore(this.element, call.error);
    else this.element.append(this.call.element);
  }

  update({ name, status, error, result, is_told: isTold } = {}) {
    setText(this.call.name, name?.replaceAll("_", " ") || "…");
    this.call.isRun = true;
    this.call.go(status, error);
    if (result === undefined || result === null || this.isDrawn) return;
    this.isDrawn = true;
    // A model's text was sent while it was written.
    if (isTold) return;
    this.element.append(...drawn(result, this.call.asked));
    const step = this.call.element.closest(".block:not(.result-block)");
    if (step) scale([...step.querySelectorAll(".sum")]);
  }
}

class AskPart {
  constructor(actions) {
    this.actions = actions;
    this.answer = el("p", { class: "said", dir: "auto", hidden: true, "data-path": "/simple_response/message" });
    this.next = new SuggestionsPart(actions);
    this.slots = el("div", { class: "slots" });
    this.reasoning = el("p", { class: "said", dir: "auto", "data-path": "/reasoning" });
    this.deciding = el("summary", {});
    this.link = code("shopping");
    this.reasons = el("details", { class: "thinking" }, this.deciding, this.reasoning);
    this.sending = el(
      "button",
      { type: "button", class: "send-choice", hidden: true, click: () => this.#send() },
      "Send choice",
    );
    this.element = el(
      "div",
      { class: "ask" },
      this.answer,
      this.next.element,
      this.slots,
      this.reasons,
      this.sending,
    );
  }

  update(props, isLive) {
    const { ask_slots: slots, simple_response: simple, reasoning } = props ?? {};
    this.answer.hidden = !simple?.message;
    setText(this.answer, simple?.message ?? "");
    setState(this.answer, "live", (isLive && !slots?.length) || undefined);
    this.next.update(simple?.suggestions ?? []);
    this.next.end();
    this.reasons.hidden = !isLive && !reasoning;
    setText(this.deciding, isLive ? "Deciding…" : "The model's reasoning");
    setState(this.deciding, "live", isLive || undefined);
    this.deciding.append(this.link);
    setText(this.reasoning, reasoning ?? "");
    const list = Array.isArray(slots) ? slots : [];
    list.forEach((slot, place) => this.#slot(place, slot, isLive && place === list.length - 1));
    while (this.slots.children.length > list.length) this.slots.lastChild.remove();
  }

  #slot(place, slot, isLive) {
    let element = this.slots.children[place];
    if (!element) {
      const question = { class: "said question", dir: "auto", "data-path": `/ask_slots/${place}/message` };
      element = el("div", { class: "slot", "data-slot": place }, el("p", question));
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
    if (words.length > 0) element.append(this.#chips(words, `/ask_slots/${place}/options`));
    if (this.isFrozen) this.freeze();
  }

  #chips(options, path) {
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
    return el("ul", { class: "chips", "aria-label": "Options", "data-path": path }, ...options.map(chip));
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
    this.freeze();
  }

  /** Nothing is chosen here any more; what was chosen stays marked. */
  freeze() {
    this.isFrozen = true;
    this.next.freeze();
    this.reasons.open = false;
    this.sending.hidden = true;
    for (const chip of this.slots.querySelectorAll(".chip")) chip.disabled = true;
  }

  /** Marks what was answered, by slot. */
  mark(answers) {
    for (const slot of this.slots.children) {
      const chosen = answers[slot.dataset.name];
      if (!chosen) continue;
      for (const chip of slot.querySelectorAll(".chip")) chip.setAttribute("aria-pressed", String(chosen.includes(chip.textContent)));
    }
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
      ...items.map(({ name, price, cents, currency }) =>
        el(
          "li",
          {},
          el("strong", {}, wordsOf(name)),
          el("span", { class: "price" }, currency ? money(cents, currency) : wordsOf(price)),
        ),
      ),
    );
  }
}

/** What the person may say next: each once it is whole, all of them at the end. */
class SuggestionsPart {
  constructor(actions) {
    this.actions = actions;
    this.element = el("ul", { class: "chips", "aria-label": "Suggestions" });
  }

  update(list) {
    this.list = list;
    const open = this.isOver ? 0 : 1;
    for (const words of list.slice(this.element.childElementCount, list.length - open)) this.#add(words);
  }

  #add(words) {
    const press = ({ currentTarget }) => {
      if (this.actions.answer(words)) currentTarget.setAttribute("aria-pressed", "true");
    };
    this.element.append(el("li", {}, el("button", { type: "button", class: "chip", dir: "auto", click: press }, words)));
  }

  end() {
    this.isOver = true;
    this.update(this.list);
  }

  freeze() {
    for (const chip of this.element.querySelectorAll(".chip")) chip.disabled = true;
  }
}

class ErrorPart {
  constructor(actions) {
    this.words = el("p", { class: "error turn-error", dir: "auto" });
    this.element = failure(this.words, actions);
  }

  update(props) {
    const { kind, message = "Something went wrong." } = props ?? {};
    const isStopped = kind === "stopped";
    setText(this.words, isStopped ? "You stopped this answer." : message);
    setState(this.words, "kind", kind);
    this.words.classList.toggle("error", !isStopped);
    this.words.classList.toggle("hint", isStopped);
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
  text: () => new TextPart("text"),
  thinking: () => new ThinkingPart(),
  loading: () => new LoadingPart(),
  tool_call: () => new CallPart(),
  tool_result: (actions, call) => new ResultPart(call),
  ask: (actions) => new AskPart(actions),
  products: () => new ProductsPart(),
  form: (actions) => new FormPart(new SuggestionsPart(actions), actions, code("form")),
  suggestions: (actions) => new SuggestionsPart(actions),
  error: (actions) => new ErrorPart(actions),
  done: () => new DonePart(),
};

/** The part for a type of message, or of its `call`; nothing for those that stand elsewhere, as the context does. */
export function partFor(type, actions, call) {
  return PARTS[type]?.(actions, call);
}
