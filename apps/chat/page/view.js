// The conversation on the page: a bubble for each thing that the person said and one for each turn of the assistant, drawn
// from the merger's messages at most once a frame.

import { eachFrame, h, icon, patch } from "./dom.js";
import { failure, isBeside, partOf, placeholder } from "./parts.js";
import { span } from "./timing.js";

/** A button below a bubble. Its name is no text of the bubble, so it is neither copied nor read out with it. */
const copyButton = (onclick) =>
  h(
    "button.action.icon",
    { type: "button", "aria-label": "Copy", title: "Copy", onclick },
    icon("M9 9h11v11H9zM5 15H4V4h11v1"),
  );

/** Whether a message shows anything of the answer yet. */
function isSeen({ type, props }) {
  if (["loading", "context", "error", "done"].includes(type)) return false;
  if (type === "ask") return Boolean(props?.ask_slots?.[0]?.message || props?.simple_response?.message);
  if (type === "form") return Object.values(props?.value ?? {}).some(Boolean);
  return props?.content !== "";
}

/** Groups messages into turns: what the person said, and what came of it. */
export function turnsOf(messages) {
  const turns = [];
  for (const message of messages) {
    const isUser = message.type === "user";
    if (isUser || turns.length === 0) turns.push({ key: message.chunk_id, user: isUser ? message : undefined, messages: [] });
    if (!isUser) turns.at(-1).messages.push(message);
  }
  for (const turn of turns) {
    const calls = new Set(turn.messages.filter(({ type }) => type === "tool_call").map(({ props }) => props?.id));
    const runs = turn.messages.filter(({ type, props }) => type === "tool_result" && calls.has(props?.id));
    turn.runs = new Map(runs.map((run) => [run.props.id, run]));
  }
  return turns;
}

export class ConversationView {
  #drawn = new Map(); // a turn's key to its bubbles as they were drawn
  #changed = new Set();
  #ui = new WeakMap(); // a message to what the person has done with it
  #waits = new Map(); // a turn's place to its times, if it was sent from here

  /** `list` is the `ol` to fill, `messages()` the conversation's messages, `act` what can be done with them. */
  constructor(list, { messages, act, onDrawn }) {
    Object.assign(this, { list, messages, onDrawn, act: { ...act, redraw: () => this.redraw() } });
    this.draw = eachFrame(() => this.#draw());
    this.clear();
  }

  /** Shows another conversation, or this one anew. */
  clear() {
    // `pending` was just sent, and `failure` has no place in the stream.
    Object.assign(this, { pending: undefined, failure: undefined, isLive: false });
    this.#waits.clear();
    this.redraw();
  }

  redraw() {
    this.#drawn.clear();
    this.draw();
  }

  /** Shows a message that was just sent, and the times of its answer. */
  expect(words) {
    this.pending = { type: "user", props: { content: words }, chunk_id: Infinity };
    this.failure = undefined;
    this.#waits.set(turnsOf(this.messages()).length, { began: performance.now() });
    this.redraw();
  }

  /** Takes an event and the message that it has changed. */
  take({ chunk }, message) {
    if (chunk.type === "user") Object.assign(this, { pending: undefined, failure: undefined });
    this.#changed.add(message);
    // What was answered is marked at its question, and what is taken back may be anywhere.
    if (chunk.type === "ask" || chunk.type === "cut") this.#drawn.clear();
    this.draw();
  }

  setLive(isLive) {
    this.isLive = isLive;
    if (!isLive) for (const waits of this.#waits.values()) waits.end ??= performance.now();
    this.draw();
  }

  fail(words) {
    this.failure = words;
    this.redraw();
  }

  #draw() {
    const turns = turnsOf(this.pending ? [...this.messages(), this.pending] : this.messages());
    if (this.failure && turns.length === 0) turns.push({ key: 0, messages: [], runs: new Map() });
    const bubbles = turns.map((turn, at) => {
      const isFresh = at >= turns.length - 2 || turn.messages.some((message) => this.#changed.has(message));
      if (isFresh || !this.#drawn.has(turn.key)) this.#drawn.set(turn.key, this.#bubbles(turn, at, turn === turns.at(-1)));
      return this.#drawn.get(turn.key);
    });
    this.#changed.clear();
    patch(this.list, bubbles.flat());
    this.onDrawn();
    if ([...this.#waits.values()].some(({ end }) => end === undefined)) setTimeout(this.draw, 100);
  }

  #bubbles(turn, name, isLast) {
    const { user } = turn;
    const bubbles = [];
    if (user) {
      bubbles.push(h("li.bubble.mine", { key: `mine ${name}` }, h("span.unseen", {}, "You: "), partOf({ message: user })));
    }
    const isLive = this.isLive && isLast;
    if (turn.messages.length > 0 || isLive || (isLast && this.failure)) {
      const parts = [h("span.unseen", {}, "Assistant: "), this.#times(turn, name), ...this.#parts(turn, isLast, isLive)];
      const state = { key: `theirs ${name}`, "data-live": isLive };
      bubbles.push(
        h(
          "li.bubble.theirs",
          state,
          parts,
          copyButton(({ currentTarget }) => this.act.copy(said(currentTarget))),
        ),
      );
    }
    return bubbles;
  }

  /** The parts of a turn: what belongs to one block is one section. */
  #parts(turn, isLast, isLive) {
    const newest = turn.messages.findLast(({ type }) => type !== "context");
    const groups = new Map();
    for (const message of turn.messages) {
      // What comes of a call stands on its card.
      if ([...turn.runs.values()].some((run) => run === message || isBeside(message, run))) continue;
      const ui = this.#ui.get(message) ?? {};
      this.#ui.set(message, ui);
      const state = { isLive: isLive && message === newest, isOver: !isLive, isLast, ui, act: this.act };
      const part = partOf({ message, turn, answered: this.#answered(message), ...state });
      if (!part) continue;
      const group = message.block_id ?? `message ${message.chunk_id}`;
      groups.set(group, { block: message.block_id, parts: [...(groups.get(group)?.parts ?? []), part] });
    }
    const section = ({ block, parts }, at) =>
      block === undefined
        ? parts
        : h("section.block", { key: block, role: "group", "data-block": block, "aria-label": `Step ${at + 1}` }, parts);
    const failed = isLast && this.failure && newest?.type !== "error" && failure(this.failure, { isLast, act: this.act });
    return [groups.size === 0 && !failed && placeholder(), ...[...groups.values()].map(section), failed];
  }

  /** What was answered to a message's questions, by slot: the last message that says so is right. */
  #answered(message) {
    if (message.type !== "ask") return {};
    const later = this.messages().filter(({ type, chunk_id: id }) => type === "ask" && id > message.chunk_id);
    return Object.assign({}, ...later.map(({ props }) => props?.answers));
  }

  /** How long the person waits for the first words, here and with a client that shows only complete answers. */
  #times(turn, place) {
    const waits = this.#waits.get(place);
    if (!waits) return undefined;
    const now = (waits.end ?? performance.now()) - waits.began;
    if (turn.messages.some(isSeen)) waits.first ??= now;
    if (waits.first === undefined && waits.end !== undefined) return undefined;
    const first = waits.first ?? now;
    const words = (name, ms, isKnown) => h("span", {}, `${name}: ${span(ms)}${isKnown ? "" : "…"}`);
    return h(
      "div.waits",
      {},
      words("first words", first, waits.first !== undefined),
      h("i.first", { "--part": first / Math.max(now, 1) }),
      words("a client that waits", now, waits.end !== undefined),
      h("i.all", { "--part": 1 }),
    );
  }
}

/** What a turn says, as the model wrote it. */
function said(button) {
  const all = [...button.closest("li").querySelectorAll(".said:not(details *)")];
  return all
    .map((it) => it.textContent)
    .filter(Boolean)
    .join("\n\n");
}
