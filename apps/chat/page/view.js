// The conversation on the page: a bubble for each thing the person said and one for each of the assistant's turns, kept
// up to date with the merger's messages, at most once a frame.

import { eachFrame, el, icon, setState } from "./dom.js";
import { failure, partFor } from "./parts.js";
import { Waits } from "./waits.js";

const STROKES = { Copy: "M9 9h11v11H9zM5 15H4V4h11v1", Edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3" };

/** What can be done with a bubble. Its name is no text of the bubble, so that it is neither copied nor read out with it. */
const action = (name, click) =>
  el("button", { type: "button", class: "action icon", "aria-label": name, title: name, click }, icon(STROKES[name]));

/** Returns whether a message shows anything of the answer yet. */
function isSeen({ type, props }) {
  if (["user", "loading", "cut", "context"].includes(type)) return false;
  if (type === "ask") return Boolean(props?.ask_slots?.[0]?.message || props?.simple_response?.message);
  if (type === "form") return props?.value !== null && Object.values(props?.value ?? {}).some(Boolean);
  return props?.content !== "";
}

export class ConversationView {
  #parts = new Map(); // message to its part
  #turn = null; // the assistant's bubble that is being filled
  #sent = null; // what the person wrote, until the stream's record of it comes
  #dirty = new Set();
  #isLive = false;
  #last = null;
  #sections = new Map(); // block to its section in that bubble
  #ending = []; // the parts of that turn
  #calls = new Map(); // id to its card's part
  #asks = []; // the parts that ask, in their order
  #waits = null; // the times of the answer that is on its way
  #contexts = new Map(); // first chunk to what of the hidden context it told
  #draw;

  /**
   * `list` is the `ol` to fill, `actions` what can be done with what it shows.
   * `onContext(props)` hears of the context.
   */
  constructor(list, { actions, onContext = () => {}, onDrawn = () => {} }) {
    this.list = list;
    this.actions = actions;
    this.onContext = onContext;
    this.onDrawn = onDrawn;
    this.#draw = eachFrame(() => this.flush());
  }

  /** Empties the page's conversation. */
  clear() {
    this.#parts.clear();
    this.#dirty.clear();
    this.#turn = null;
    this.#sent = null;
    this.#last = null;
    this.#waits = null;
    this.#begin();
    this.#calls.clear();
    this.#asks = [];
    this.#contexts.clear();
    this.list.replaceChildren();
    this.onContext(null);
  }

  /** Shows what the person has just sent, and a placeholder for the answer, before anything has come. */
  expect(text) {
    this.#begin();
    const part = partFor("user");
    part.update({ content: text });
    this.#sent = this.#mine(part);
    this.#waits = new Waits();
    this.#bubble().prepend(this.#waits.element);
  }

  /** Shows that what is said from a chunk on is to be taken back, or no longer. */
  doom(from = Infinity) {
    let isDoomed = false;
    for (const bubble of this.list.children) {
      isDoomed ||= Number(bubble.dataset.chunk) >= from;
      setState(bubble, "doomed", isDoomed || undefined);
    }
  }

  /** Takes what the merger says has changed. */
  apply({ changed, removed }) {
    for (const message of removed) {
      this.#dirty.delete(message);
      // What is taken back goes with all of its turn.
      const element = this.#parts.get(message)?.part?.element;
      (message.type === "loading" ? element : element?.closest("li"))?.remove();
      this.#parts.delete(message);
      if (this.#contexts.delete(message.chunk_id)) this.#tellContext();
      if (this.#last === message) this.#last = null;
    }
    for (const message of changed) this.#dirty.add(message);
    if (changed.size > 0 || removed.size > 0) this.#draw();
  }

  /** Whether an answer streams: the growing text has a mark then, and before the first text stands a placeholder. */
  setLive(isLive) {
    this.#isLive = isLive;
    if (!isLive) this.#waits?.finish();
    if (this.#last) this.#dirty.add(this.#last);
    this.#draw();
  }

  /** A failure that has no place in the stream, such as a refused request; in a bubble of its own. */
  fail(words) {
    this.#fill(failure(el("p", { class: "error turn-error", dir: "auto" }, words), this.actions));
  }

  /** Draws what has changed since the last frame. */
  flush() {
    const before = this.#last;
    const inOrder = [...this.#dirty].sort((one, other) => one.chunk_id - other.chunk_id);
    this.#dirty.clear();
    const newest = inOrder.findLast(({ type }) => type !== "context");
    if (newest && newest.chunk_id >= (before?.chunk_id ?? 0)) this.#last = newest;
    for (const message of inOrder) {
      if (message.type === "context") this.#note(message);
      else this.#show(message);
    }
    if (before && before !== this.#last) this.#update(before);
    for (const old of this.list.querySelectorAll(":scope > [data-live]")) if (old !== this.#turn) setState(old, "live");
    if (this.#turn) setState(this.#turn, "live", this.#isLive || undefined);
    this.onDrawn();
  }

  // Each answer tells what it has learnt; together they are the context. What it suggests to say next stands below it.
  #note(message) {
    const { chunk_id, block_id, props } = message;
    const { suggestions, raw, ...learnt } = props ?? {};
    if (suggestions) {
      const part = this.#parts.get(message)?.part ?? partFor("suggestions", this.actions);
      if (!part.element.isConnected) {
        this.#parts.set(message, { type: message.type, part });
        this.#ending.push(part);
        this.#fill(part.element, block_id);
      }
      part.update(suggestions);
    }
    if (Object.keys(learnt).length === 0) return;
    this.#contexts.set(chunk_id, learnt);
    this.#tellContext();
  }

  #tellContext() {
    const all = [...this.#contexts.values()];
    const preferences = Object.assign({}, ...all.map((context) => context?.preferences));
    const known = Object.assign({}, ...all);
    this.onContext(known.preferences === undefined ? known : { ...known, preferences });
  }

  #show(message) {
    if (this.#parts.get(message)?.type !== message.type) this.#place(message);
    this.#update(message);
    // What was still going on in the turn goes on no more.
    if (message.type === "done" || message.type === "error") for (const part of this.#ending) part.end?.();
  }

  #update(message) {
    if (isSeen(message)) this.#waits?.show();
    const { answers } = message.props ?? {};
    if (message.type === "ask" && answers) for (const ask of this.#asks) if (ask.isFrozen) ask.mark(answers);
    const isLive = this.#isLive && message === this.#last && message.type !== "user";
    this.#parts.get(message)?.part?.update(message.props, isLive);
  }

  #place(message) {
    const { id } = message.props ?? {};
    const part = partFor(message.type, this.actions, this.#calls.get(id));
    if (message.type === "tool_call") this.#calls.set(id, part);
    if (message.type === "ask") this.#asks.push(part);
    const old = this.#parts.get(message)?.part;
    this.#parts.set(message, { type: message.type, part });
    if (!part) return;
    if (old) {
      old.element.replaceWith(part.element);
    } else if (message.type === "user" && this.#sent) {
      this.#sent.querySelector(".said").replaceWith(part.element);
      this.#sent.dataset.chunk = message.chunk_id;
      this.#sent = null;
    } else if (message.type === "user") {
      this.#begin();
      this.#mine(part).dataset.chunk = message.chunk_id;
    } else if (part.call) {
      // What comes of a call stands on its card.
      setState(part.element, "block", message.block_id);
      this.#sections.set(`${message.block_id}/${message.thread_id}`, part.element);
      if (!part.element.isConnected) this.#fill(part.element, message.block_id);
    } else {
      // An error of the turn replaces what the page has said about its connection.
      if (message.type === "error") this.#turn?.querySelector(":scope > .failure")?.remove();
      this.#fill(part.element, message.block_id, message.thread_id);
    }
    if (message.type !== "user") this.#ending.push(part.call ?? part);
    setState(part.element, "thread", message.thread_id);
  }

  #begin() {
    // What was open in the turn before can't be acted on any more.
    for (const part of this.#ending) part.freeze?.();
    this.#turn = null;
    this.#sections.clear();
    this.#ending = [];
  }

  #mine(part) {
    const said = () => bubble.querySelector(".said").textContent;
    const edit = action("Edit", () => this.actions.edit(said(), Number(bubble.dataset.chunk)));
    const bubble = el(
      "li",
      { class: "bubble mine" },
      el("span", { class: "unseen" }, "You: "),
      part.element,
      edit,
    );
    this.list.append(bubble);
    return bubble;
  }

  /** Puts an element where it belongs: in its block's section, or at the turn's end. */
  #fill(element, block, thread) {
    const bubble = this.#bubble();
    bubble.querySelector(":scope > .placeholder")?.remove();
    if (block === undefined) return bubble.append(element);
    const beside = this.#sections.get(`${block}/${thread}`);
    if (beside) return beside.append(element);
    if (!this.#sections.has(block)) {
      const step = `Step ${this.#turn.querySelectorAll(":scope > .block").length + 1}`;
      const section = el("section", { class: "block", role: "group", "data-block": block, "aria-label": step });
      this.#sections.set(block, section);
      bubble.append(section);
    }
    this.#sections.get(block).append(element);
  }

  #bubble() {
    if (!this.#turn) {
      const placeholder = el(
        "p",
        { class: "placeholder loading" },
        el("span", { class: "dots", "aria-hidden": "true" }),
      );
      const turn = el("li", { class: "bubble theirs" }, el("span", { class: "unseen" }, "Assistant: "), placeholder);
      turn.append(action("Copy", () => this.actions.copy(this.#words(turn))));
      this.#turn = turn;
      this.list.append(this.#turn);
    }
    return this.#turn;
  }

  /** What a turn says, as the model wrote it. */
  #words(turn) {
    const said = [...turn.querySelectorAll(".said:not(details *)")];
    return said.map((it) => it.textContent).filter(Boolean).join("\n\n");
  }
}
