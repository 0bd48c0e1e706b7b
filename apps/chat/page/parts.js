// How each type of message looks: a function of the message, its turn, and what the person has done with it here.

import { CODE } from "./assistants.js";
import { direction, h, lines } from "./dom.js";
import { form } from "./form.js";
import { money } from "./locale.js";
import { result, sumOf, tree } from "./result.js";

/** A link to the code that reads this part of an answer. */
const code = (assistant) =>
  h("a.code-link", { href: CODE[assistant], target: "_blank", "aria-label": `The code: ${CODE[assistant]}` }, "</>");

const dots = () => h("span.dots", { "aria-hidden": "true" });

/** What stands in a turn before anything has come. */
export const placeholder = () => h("p.placeholder.loading", {}, dots());

const CALL_STATES = {
  input: "writing",
  called: "called",
  running: "running",
  done: "done",
  failed: "failed",
  ended: "ended",
};
const GOING_ON = ["input", "called", "running"];

/** A call's card, from the first letter of its input to its result; what comes of the call is a section of it. */
function call(part) {
  const { message, turn, isOver } = part;
  const run = message.type === "tool_result" ? message : turn.runs.get(message.props?.id);
  const { name, input } = message.props ?? {};
  const { status: told, error, result: value, is_told: isTold } = { ...message.props, ...run?.props };
  const status = isOver && GOING_ON.includes(told) ? "ended" : told;
  const beside = turn.messages.filter((other) => run && other !== run && isBeside(other, run));
  const most = Math.max(...[...turn.runs.values()].map(({ props }) => Math.abs(sumOf(props?.result) ?? 0)));
  const drawn = value === undefined || value === null || isTold ? [] : result(value, input, most);
  return h(
    "article.card.tool",
    { "aria-label": "Tool call", "data-status": status },
    h(
      "header",
      {},
      h("strong.tool-name", {}, name?.replaceAll("_", " ") || "…"),
      h("span.status", {}, CALL_STATES[status] ?? ""),
      code("finance"),
    ),
    h("div.tool-input", {}, input && tree(input)),
    run &&
      h(
        "section.block.result-block",
        { "data-block": run.block_id, "data-thread": run.thread_id },
        beside.map((other) => partOf({ ...part, message: other })),
        drawn,
      ),
    error && h("p.error", { dir: "auto" }, words(error)),
  );
}

/** Whether a message belongs to the run of a tool: it is in the run's block and thread. */
export const isBeside = (message, run) => message.block_id === run.block_id && message.thread_id === run.thread_id;

/** The shopping assistant's questions and answer. Options are chosen, and sent together. */
function ask({ message, isLive, isLast, ui, act, answered, suggestions }) {
  const { ask_slots: list, simple_response: simple, reasoning } = message.props ?? {};
  const slots = Array.isArray(list) ? list : [];
  const optionsOf = (slot) => (Array.isArray(slot?.options) ? slot.options.map(words) : []);
  const chosen = (slot, place) => ui.chosen?.[place] ?? answered[slot?.slot_name] ?? [];
  const choose = (place, option, before) => {
    const rest = before.filter((other) => other !== option);
    ui.chosen = { ...ui.chosen, [place]: rest.length < before.length ? rest : [...before, option] };
    act.redraw();
  };
  const send = () => {
    const all = slots.map((slot, place) => [
      slot.slot_name,
      optionsOf(slot).filter((option) => chosen(slot, place).includes(option)),
    ]);
    const some = all.filter(([, options]) => options.length > 0);
    act.answer(some.map(([, options]) => options.join(", ")).join("; "), Object.fromEntries(some.filter(([name]) => name)));
  };
  const chip = (slot, place) => (option) => {
    const before = chosen(slot, place);
    const pressed = { "aria-pressed": String(before.includes(option)), onclick: () => choose(place, option, before) };
    return h("li", {}, h("button.chip", { type: "button", dir: "auto", disabled: !isLast, ...pressed }, option));
  };
  const question = (slot, place) => {
    const live = { "data-live": isLive && place === slots.length - 1, "data-path": `/ask_slots/${place}/message` };
    const options = optionsOf(slot);
    const chips = { "aria-label": "Options", "data-path": `/ask_slots/${place}/options` };
    return h(
      "div.slot",
      {},
      h("p.said.question", { dir: direction(slot?.message ?? ""), ...live }, slot?.message ?? ""),
      // Options come all at once, when their array has closed.
      options.length > 0 && h("ul.chips", chips, options.map(chip(slot, place))),
    );
  };
  const isChosen = isLast && Object.values(ui.chosen ?? {}).some((options) => options.length > 0);
  const said = {
    dir: direction(simple?.message ?? ""),
    "data-live": isLive && slots.length === 0,
    "data-path": "/simple_response/message",
  };
  return h(
    "div.ask",
    {},
    simple?.message && h("p.said", said, simple.message),
    suggestions(simple?.suggestions ?? [], true),
    slots.length > 0 && h("div.slots", {}, slots.map(question)),
    isChosen && h("button.send-choice", { type: "button", onclick: send }, "Send choice"),
    (isLive || reasoning) &&
      h(
        "div.reasons",
        {},
        h(
          "details.thinking",
          {},
          h("summary", { "data-live": isLive }, isLive ? "Deciding…" : "The model's reasoning"),
          h("p.said", { dir: "auto", "data-path": "/reasoning" }, reasoning ?? ""),
        ),
        code("shopping"),
      ),
  );
}

function products({ message }) {
  const items = Array.isArray(message.props?.items) ? message.props.items : [];
  const price = ({ price: text, cents, currency }) => (currency ? money(cents, currency) : words(text));
  const item = (it) => h("li", {}, h("strong", {}, words(it.name)), h("span.price", {}, price(it)));
  const none = items.length === 0 && h("p.hint", {}, "Nothing in the catalogue fits.");
  return h("div.card", { role: "group", "aria-label": "Products" }, h("ul.products", {}, items.map(item)), none);
}

/** What the person may say next. While the list streams, its last line may still grow and is not shown. */
function suggestionsOf({ isOver, isLast, ui, act }) {
  return (list, isWhole = isOver) => {
    const press = (line) => () => act.answer(line) && (ui.pressed = line);
    const chip = (line) => ({
      type: "button",
      dir: "auto",
      disabled: !isLast,
      "aria-pressed": ui.pressed === line && "true",
      onclick: press(line),
    });
    const all = (isWhole ? list : list.slice(0, -1)).map((line) => h("li", {}, h("button.chip", chip(line), line)));
    return all.length > 0 && h("ul.chips", { "aria-label": "Suggestions" }, all);
  };
}

/** An error, and the way on from the last one. */
export function failure(text, { isLast, act }, kind) {
  const isStopped = kind === "stopped";
  const line = h(
    isStopped ? "p.turn-error.hint" : "p.turn-error.error",
    { dir: "auto", "data-kind": kind },
    isStopped ? "You stopped this answer." : text,
  );
  return h("div.failure", {}, line, isLast && h("button.retry", { type: "button", onclick: act.retry }, "Try again"));
}

/** How an answer ended that did not end by itself. */
const ENDS = {
  max_tokens: "The answer was cut: the model's limit was reached.",
  content_filter: "The answer was cut by the provider's filter.",
  empty: "The model returned an empty answer.",
  refusal: "The model declined to continue.",
  too_many_rounds: "The assistant stopped after too many tool calls.",
};

/** Formats a value for a person, if it is not text already. */
function words(value) {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  return words(value.label ?? value.message ?? value.name) || JSON.stringify(value);
}

const PARTS = {
  user: ({ message }) => lines("div.said.user", message.props?.content),
  text: ({ message, isLive }) => lines("div.said", message.props?.content, { "data-live": isLive }),
  thinking: ({ message, isLive }) =>
    h(
      "details.thinking",
      {},
      h("summary", {}, isLive ? "The model is thinking…" : "The model's thinking"),
      lines("p.said", message.props?.content),
    ),
  loading: ({ message }) => h("p.loading", {}, dots(), message.props?.message ?? "One moment…"),
  tool_call: call,
  tool_result: call,
  ask,
  products,
  form,
  context: ({ message, suggestions }) => message.props?.suggestions && suggestions(message.props.suggestions),
  error: (part) => failure(part.message.props?.message ?? "Something went wrong.", part, part.message.props?.kind),
  done: ({ message }) => ENDS[message.props?.stop_reason] && h("p.hint.ended", {}, ENDS[message.props.stop_reason]),
};

/** Shows a message; nothing for a type that stands elsewhere. */
export function partOf(part) {
  return PARTS[part.message.type]?.({ ...part, code, suggestions: suggestionsOf(part) });
}
