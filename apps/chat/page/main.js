// Puts the page together: which conversation is open, what state it is in, and who hears of its chunks.

import { about, stop } from "./api.js";
import { ASSISTANTS, CODE } from "./assistants.js";
import call from "./call.js";
import { conversations, note } from "./conversations.js";
import { afterFrame, h, patch } from "./dom.js";
import { Inspector } from "./inspector.js";
import { play } from "./player.js";
import { linkPaths } from "./raw.js";
import { Session } from "./session.js";
import { ConversationView } from "./view.js";

const find = (id) => document.getElementById(id);
const write = (id, text) => (find(id).textContent = text);
const [chat, message, scroller, details] = ["chat", "message", "scroller", "details"].map(find);
const stage = play(find("stage"), call);

let assistant = ASSISTANTS[0];
let session;
let last; // what was said last, with what it chose: to be said again

const messages = () => session?.merger.messages() ?? [];
const inspector = new Inspector(find, messages);
const act = { answer, retry, copy };
const view = new ConversationView(find("conversation"), { messages, act, onDrawn: showWelcome });

/** What of an answer is read out when it ends, and how much of it. */
const SPOKEN = ":is(.said, .error, .chip, .products li, .form .status):not(details *)";
const MOST_SPOKEN = 1000;

function open(id, conversationId) {
  session?.close();
  const named = ASSISTANTS.find((one) => one.id === id);
  assistant = named ?? ASSISTANTS[0];
  // An address that can't be a conversation's opens a new one.
  const isKnown = named !== undefined && /^[\w-]{1,64}$/.test(conversationId ?? "");
  const name = isKnown ? conversationId : crypto.randomUUID();
  history.replaceState(null, "", `#${assistant.id}/${name}`);
  last = undefined;
  closeConversations();
  find("assistants").value = assistant.id;
  const scene = (line) => h("li", {}, h("button.scene", { type: "button", dir: "auto", onclick: () => answer(line) }, line));
  patch(find("scenes"), assistant.scenes.map(scene));
  // The restaurant's hidden notes are what is to be seen there, from the beginning.
  find("context").toggleAttribute("data-always", assistant.id === "restaurant");
  const on = {
    state: become,
    begin: (at, isWitnessed) => inspector.begin(at, isWitnessed),
    chunk(entry, message) {
      view.take(entry, message);
      inspector.take(entry, message);
    },
    reset() {
      view.clear();
      inspector.clear();
    },
    fail: (words) => view.fail(words),
    // What was not sent can be sent again, unless something else has been written meanwhile.
    unsent: (words) => (message.value ||= words),
  };
  session = new Session({ assistant: assistant.id, conversationId: name, on });
  on.reset();
  show("starting");
  home();
  if (isKnown) void session.resume();
  else become("idle");
}

/** Takes a state of the session. */
function become(state, words = "") {
  write("connection", words);
  view.setLive(state !== "idle" && state !== "resuming");
  const of = session;
  if (state === "idle") return afterFrame(() => of === session && of.isOver && rest());
  if (state === "streaming" && chat.dataset.state !== "reconnecting") write("announcer", "The assistant is answering.");
  show(state);
}

/** Makes the page the person's again, when a turn is over and drawn. Its answer is read out once, as a whole. */
function rest() {
  const answered = find("conversation").lastElementChild;
  const isNew = !["starting", "resuming"].includes(chat.dataset.state) && answered?.matches(".theirs");
  const said = isNew ? [...answered.querySelectorAll(SPOKEN)].map((part) => part.textContent) : [];
  write("announcer", said.join("\n").slice(0, MOST_SPOKEN));
  show("idle");
  if (document.activeElement === document.body) home();
}

function show(state) {
  const isIdle = state === "idle";
  chat.dataset.state = state;
  // A control that is about to be hidden hands the focus on; otherwise it would fall to the body.
  if (document.activeElement === find(isIdle ? "stop" : "send")) home();
  find("send").disabled = find("send").hidden = !isIdle;
  find("stop").hidden = isIdle;
  find("stop").disabled = state !== "streaming";
  for (const button of find("scenes").querySelectorAll("button")) button.disabled = !isIdle;
}

/** Puts the focus where it belongs if nothing else claims it. With touch, the field would open the keyboard. */
function home() {
  if (matchMedia("(pointer: coarse)").matches) scroller.focus({ focusVisible: false });
  else message.focus();
}

/** Sends words, and what they choose. Returns whether it could. */
function answer(words, answers) {
  if (find("send").disabled) return false;
  scroller.scrollTop = 0; // its end
  last = { words, answers };
  note({ id: session.conversationId, assistant: assistant.id, words });
  view.expect(words);
  // The button that was pressed may go with what comes now.
  if (document.activeElement !== message) home();
  void session.send(words, answers);
  return true;
}

/** Sends again what was sent last. */
function retry() {
  const said = messages().findLast(({ type }) => type === "user")?.props?.content;
  const { words, answers } = last ?? { words: said };
  if (words && answer(words, answers) && message.value === words) message.value = "";
}

/** Stops the answer. It is no failure if that has just ended by itself. */
async function endAnswer() {
  try {
    await stop(session.conversationId);
  } catch (error) {
    if (error.status !== 409) view.fail(error.message);
  }
}

/** Copies words. Returns whether it could: not every browser lets every page. */
async function copy(words) {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    view.fail("The browser does not let this page copy. Select the words and copy them yourself.");
    return false;
  }
}

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Lists the conversations. */
function showConversations() {
  const line = ({ id, assistant: of, title, at }) => {
    const link = { href: `#${of}/${id}`, "aria-current": id === session.conversationId && "page" };
    return h("li", {}, h("a", link, h("span", { dir: "auto" }, title), at && h("time.hint", {}, when.format(at))));
  };
  const all = conversations().map(line);
  patch(find("conversation-list"), all.length > 0 ? all : [h("li.hint", {}, "Nothing has been said yet.")]);
}

function closeConversations() {
  const list = find("conversations");
  if (list.open && list.contains(document.activeElement)) list.querySelector("summary").focus();
  list.open = false;
}

/** Shows or hides the details, which lie over the conversation on a phone. */
function showDetails(isOpen) {
  if (details.classList.contains("is-open") === isOpen) return;
  const hasFocus = details.contains(document.activeElement);
  details.classList.toggle("is-open", isOpen);
  find("toggle-details").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) details.focus();
  else if (hasFocus) find("toggle-details").focus();
}

function showWelcome() {
  const isEmpty = find("conversation").childElementCount === 0;
  find("latest").hidden = scroller.scrollTop > -200;
  if (find("welcome").hidden === !isEmpty) return;
  find("welcome").hidden = !isEmpty;
  document.body.toggleAttribute("data-empty", isEmpty);
  stage.setPlaying(isEmpty);
}

/** Shows what continues elsewhere, while nothing goes on here. */
function follow() {
  if (!document.hidden && chat.dataset.state === "idle") void session.follow();
}

function openFromAddress() {
  open(...location.hash.slice(1).split("/"));
}

function listen(target, events) {
  for (const [event, handler] of Object.entries(events))
    target.addEventListener(event, handler, { passive: event === "scroll" });
}

listen(find("composer"), {
  submit(event) {
    event.preventDefault();
    const words = message.value.trim();
    if (words !== "" && answer(words)) message.value = "";
  },
});
listen(message, {
  keydown(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    find("composer").requestSubmit();
  },
});
listen(find("stop"), { click: endAnswer });
listen(find("assistants"), {
  change({ target }) {
    open(target.value);
    // Where a closed menu changes with the arrow keys, the next one continues from here.
    target.focus();
  },
});
listen(find("conversations"), { toggle: showConversations });
listen(find("latest"), {
  click() {
    scroller.scrollTop = 0;
    message.focus();
  },
});
listen(scroller, { scroll: showWelcome });
listen(find("new-conversation"), { click: () => open(assistant.id) });
listen(find("toggle-details"), { click: () => showDetails(!details.classList.contains("is-open")) });
listen(window, {
  hashchange: openFromAddress,
  visibilitychange: follow,
  keydown({ key }) {
    if (key !== "Escape") return;
    showDetails(false);
    closeConversations();
  },
  // On a phone the sheet closes with a tap beside it.
  pointerdown({ target }) {
    if (!target.closest("#details, #toggle-details")) showDetails(false);
    if (!target.closest("#conversations")) closeConversations();
  },
  // A tap on nothing in particular leaves the focus where it is.
  mousedown(event) {
    if (!event.target.closest("a, button, input, textarea, summary, pre, label, [tabindex], .said, .tree"))
      event.preventDefault();
  },
});
setInterval(follow, 3000);

const card = ({ id, name, about: words, scenes: [question] }) => {
  const ask = () => {
    if (assistant.id !== id) open(id);
    show("idle");
    answer(question);
  };
  const parts = [h("strong", {}, name), h("span.hint", {}, words), h("span.ask-it", {}, question)];
  return h("li", {}, h("button", { type: "button", onclick: ask }, parts));
};
patch(
  find("assistants"),
  ASSISTANTS.map(({ id, name }) => h("option", { value: id }, name)),
);
patch(find("cards"), ASSISTANTS.map(card));
patch(
  find("codes"),
  ASSISTANTS.flatMap(({ id }, at) => [at > 0 ? ", " : "The code that matters: ", h("a", { href: CODE[id] }, CODE[id])]),
);
linkPaths();
about()
  .then(({ model, isScripted }) => {
    write("badge", isScripted ? "scripted model" : `live: ${model}`);
    find("badge").hidden = false;
    find("scenes").hidden = !isScripted;
    const scripted =
      "The model here is scripted: a small program on this machine sends prepared answers at a model's pace, so that you " +
      "need neither a key nor a network. The server, the parsing and the streaming are real.";
    write("about-model", isScripted ? scripted : `A live model answers: ${model}.`);
  })
  .catch((error) => console.error(error));
openFromAddress();
