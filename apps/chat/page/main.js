// Puts the page together: which conversation is open, what state it is in, and who hears of its chunks.

import { about, remove, stop } from "./api.js";
import { ASSISTANTS, CODE } from "./assistants.js";
import call from "./call.js";
import { conversations, forget, note } from "./conversations.js";
import { afterFrame, el, icon, setState, setText } from "./dom.js";
import { Inspector } from "./inspector.js";
import { play } from "./player.js";
import { linkPaths } from "./raw.js";
import { Replay, lastTurn } from "./replay.js";
import { Session } from "./session.js";
import { tabs } from "./tabs.js";
import { Tree } from "./tree.js";
import { ConversationView } from "./view.js";

const find = (id) => document.getElementById(id);
const stage = play(find("stage"), call);
const chat = find("chat");
const message = find("message");
const scroller = find("scroller");

const context = new Tree();
find("context-tree").append(context.element);

const view = new ConversationView(find("conversation"), {
  actions: { answer, retry, edit, copy: (words) => navigator.clipboard?.writeText(words) },
  onContext(props) {
    context.update(props);
    find("context-empty").hidden = props !== null;
    const tab = find("tab-context");
    // What fills unseen is announced at its tab.
    const isNews = props !== null && tab.getAttribute("aria-selected") !== "true";
    setState(tab, "news", isNews || undefined);
  },
  onDrawn: showWelcome,
});

const inspector = new Inspector(find);

let assistant = ASSISTANTS[0];
let session;
let replay;
let last; // what was said last, with what it chose: to be said again
let edited; // the chunk of the message that is being edited
let isCutting = false; // whether what follows it has been taken off the page, but not yet by the server

/** What of an answer is read out when it ends, and how much of it. */
const SPOKEN = ":is(.said, .error:not([hidden]), .chip, .products li, .form .status):not(details *)";
const MOST_SPOKEN = 1000;

/** What a session and a replay are heard with. */
const heard = {
  begin: (at, isWitnessed) => inspector.begin(at, isWitnessed),
  chunk(entry, result) {
    if (entry.chunk.type === "cut") isCutting = false;
    view.apply(result);
    inspector.take(entry, result.changed);
  },
};

function open(id, conversationId) {
  session?.keep();
  session?.close();
  replay?.cancel();
  replay = undefined;
  endEdit();
  const named = ASSISTANTS.find((one) => one.id === id);
  assistant = named ?? ASSISTANTS[0];
  // An address that can be nobody's opens a new one.
  const isKnown = named !== undefined && /^[\w-]{1,64}$/.test(conversationId ?? "");
  const name = isKnown ? conversationId : crypto.randomUUID();
  history.replaceState(null, "", `#${assistant.id}/${name}`);
  inspector.clear();
  last = undefined;
  closeConversations();
  find("assistants").value = assistant.id;
  find("scenes").replaceChildren(...assistant.scenes.map(scene));
  find(assistant.id === "restaurant" ? "tab-context" : "tab-inspector").click();
  session = new Session({
    assistant: assistant.id,
    conversationId: name,
    on: { ...heard, state: become, reset, fail, unsent },
  });
  show("starting");
  home();
  showAll();
  if (session.record.length > 0) inspectLastTurn();
  if (isKnown) void session.resume();
  else become("idle");
}

/** The conversation has been read anew. */
function reset() {
  inspector.clear();
  showAll();
}

/** Shows the conversation as it has been merged so far. */
function showAll() {
  view.clear();
  view.apply({ changed: new Set(session.merger.messages()), removed: new Set() });
}

/** Tells the inspector of the events that the tab has kept. */
function inspectLastTurn() {
  const { before, turn } = lastTurn(session.record);
  for (const entry of before) inspector.take(entry);
  inspector.begin(session.turnBegan, session.isWitnessed);
  for (const entry of turn) inspector.take(entry);
  const began = turn[0]?.chunk.chunk_id ?? Infinity;
  inspector.write(session.merger.messages().filter(({ chunk_id }) => chunk_id >= began));
}

/** A card of the landing page: one click asks its question of its assistant. */
function card({ id, name, about, scenes: [question] }) {
  const ask = () => {
    if (assistant.id !== id) open(id);
    show("idle");
    answer(question);
  };
  const words = [el("strong", {}, name), el("span", { class: "hint" }, about), el("span", { class: "ask-it" }, question)];
  return el("li", {}, el("button", { type: "button", click: ask }, ...words));
}

/** A line of the scripted model, as a button. */
function scene(line) {
  return el("li", {}, el("button", { type: "button", class: "scene", dir: "auto", click: () => answer(line) }, line));
}

/** The one place where the page's state changes: to a session's, or to `replaying`. */
function become(state, words = "") {
  setText(find("connection"), words);
  view.setLive(state !== "idle" && state !== "resuming");
  if (state === "idle") return afterFrame(() => rest(session));
  const isNew = state === "streaming" && chat.dataset.state !== "reconnecting";
  if (isNew) setText(find("announcer"), "The assistant is answering.");
  show(state);
}

function show(state) {
  const isIdle = state === "idle";
  setState(chat, "state", state);
  // A control that is about to be switched off hands the focus on; otherwise it would fall to the body.
  const focused = document.activeElement;
  if (isIdle ? focused === find("stop") : focused === find("send") || focused === find("replay")) home();
  find("send").disabled = !isIdle;
  find("send").hidden = !isIdle;
  find("stop").hidden = isIdle;
  for (const button of find("scenes").querySelectorAll("button")) button.disabled = !isIdle;
  find("stop").disabled = state !== "replaying" && state !== "streaming";
  find("replay").disabled = !isIdle || session.record.length === 0;
}

/** The turn is over and drawn: it is the person's again. */
function rest(of) {
  if (of !== session || !session.isOver || replay) return;
  announceAnswer();
  show("idle");
  if (document.activeElement === document.body) home();
}

/** Where the focus belongs if nothing else claims it. With touch, the field would open the keyboard over the answer. */
function home() {
  if (matchMedia("(pointer: coarse)").matches) scroller.focus({ focusVisible: false });
  else message.focus();
}

/** Says the answer once, when it has ended: a live region that changed with each token would be a din. */
function announceAnswer() {
  const answered = find("conversation").lastElementChild;
  const isNew = !["starting", "resuming"].includes(chat.dataset.state) && answered?.matches(".theirs");
  const said = isNew ? [...answered.querySelectorAll(SPOKEN)].map((part) => part.textContent) : [];
  setText(find("announcer"), said.join("\n").slice(0, MOST_SPOKEN));
}

function fail(words) {
  // What was to be edited is as it was.
  if (isCutting) showAll();
  isCutting = false;
  view.fail(words);
  showWelcome();
}

/** What was not sent is there to be sent again, unless something else has been written meanwhile. */
function unsent(words) {
  if (message.value === "") message.value = words;
}

/** Sends words, and what they choose, whatever is being written. Gives whether it could. */
function answer(words, answers) {
  if (find("send").disabled) return false;
  scroller.scrollTop = 0; // its end
  last = { words, answers };
  note({ id: session.conversationId, assistant: assistant.id, words });
  const edits = edited;
  endEdit();
  if (edits) {
    isCutting = true;
    for (const bubble of find("conversation").querySelectorAll(":scope > [data-doomed]")) bubble.remove();
  }
  view.expect(words);
  // What was pressed, a suggestion or a choice, may be gone with what comes now.
  if (document.activeElement !== message) home();
  void session.send(words, answers, edits);
  return true;
}

/** Says again what was said last. */
function retry() {
  const said = session.merger.messages().findLast(({ type }) => type === "user")?.props?.content;
  const { words, answers } = last ?? { words: said };
  if (!words || !answer(words, answers)) return;
  if (message.value === words) message.value = "";
}

/** Puts what was said into the field, to be said otherwise, in the place of all that has come of it. */
function edit(words, chunk) {
  if (find("send").disabled) return;
  edited = chunk || undefined;
  message.value = words;
  view.doom(edited);
  find("editing").hidden = !edited;
  message.focus();
}

/** Nothing is edited any more. */
function endEdit() {
  if (edited === undefined) return;
  edited = undefined;
  find("editing").hidden = true;
}

/** Ends what is going on: a replay at once, an answer where it is. */
function end() {
  if (replay) return replay.finish();
  stop(session.conversationId).catch((error) => console.error(error));
}

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

function showConversations() {
  const current = session?.conversationId;
  const line = ({ id, assistant, title, at }) => {
    const name = [el("span", { dir: "auto" }, title), at && el("time", { class: "hint" }, when.format(at))];
    const link = { href: `#${assistant}/${id}`, "aria-current": id === current ? "page" : undefined };
    const label = `Delete “${title}”`;
    // Nothing is deleted by one click.
    const click = ({ currentTarget: button }) => {
      if (button.dataset.sure !== undefined) return dropConversation(id);
      button.dataset.sure = "";
      button.replaceChildren("Delete?");
    };
    const drop = { type: "button", class: "icon", "aria-label": label, title: label, click };
    return el("li", {}, el("a", link, ...name), el("button", drop, icon("M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13")));
  };
  const all = conversations();
  const none = el("li", { class: "hint" }, "Nothing has been said yet.");
  find("conversation-list").replaceChildren(...(all.length > 0 ? all.map(line) : [none]));
}

/** Deletes a conversation, here and on the server. */
async function dropConversation(id) {
  find("conversations").querySelector("summary").focus();
  try {
    await remove(id);
  } catch (error) {
    return fail(error.message);
  }
  if (id === session.conversationId) {
    open(assistant.id);
    find("conversations").open = true;
  }
  forget(id);
  showConversations();
}

/** On a phone the details lie over the conversation. */
function showDetails(isOpen) {
  const details = find("details");
  if (details.classList.contains("is-open") === isOpen) return;
  const hasFocus = details.contains(document.activeElement);
  details.classList.toggle("is-open", isOpen);
  find("toggle-details").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) details.querySelector('[role="tab"][aria-selected="true"]').focus();
  else if (hasFocus) find("toggle-details").focus();
}

function closeConversations() {
  const list = find("conversations");
  if (!list.open) return;
  if (list.contains(document.activeElement)) list.querySelector("summary").focus();
  list.open = false;
}

function showWelcome() {
  const isEmpty = find("conversation").childElementCount === 0;
  if (find("welcome").hidden === !isEmpty) return;
  find("welcome").hidden = !isEmpty;
  document.body.toggleAttribute("data-empty", isEmpty);
  stage.setPlaying(isEmpty);
}

function playAgain() {
  become("replaying", "Replaying");
  view.clear();
  inspector.clear();
  const { isWitnessed } = session;
  replay = new Replay(session.record, {
    began: session.turnBegan,
    on: {
      ...heard,
      begin: (at) => inspector.begin(at, isWitnessed),
      before: heard.chunk,
      end() {
        replay = undefined;
        // From here on the conversation itself is shown again, of which the replay was a copy.
        showAll();
        become("idle");
      },
    },
  });
  replay.start();
}

find("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  const words = message.value.trim();
  if (words !== "" && answer(words)) message.value = "";
});

message.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  find("composer").requestSubmit();
});

find("replay").addEventListener("click", playAgain);
find("stop").addEventListener("click", end);
find("keep").addEventListener("click", () => {
  endEdit();
  view.doom();
  message.value = "";
  message.focus();
});
find("assistants").addEventListener("change", ({ target }) => {
  open(target.value);
  // Where a closed menu changes with the arrow keys, the next one goes on from here.
  target.focus();
});
find("conversations").addEventListener("toggle", showConversations);
for (const event of ["click", "focus"]) find("tab-context").addEventListener(event, () => setState(find("tab-context"), "news"));
find("latest").addEventListener("click", () => {
  scroller.scrollTop = 0;
  message.focus();
});
scroller.addEventListener("scroll", () => (find("latest").hidden = scroller.scrollTop > -200), { passive: true });
find("new-conversation").addEventListener("click", () => open(assistant.id));
find("toggle-details").addEventListener("click", () => showDetails(!find("details").classList.contains("is-open")));
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  showDetails(false);
  closeConversations();
});
// On a phone the sheet closes with a tap beside it.
addEventListener("pointerdown", ({ target }) => {
  if (!target.closest("#details, #toggle-details")) showDetails(false);
  if (!target.closest("#conversations")) closeConversations();
});
// A tap on nothing in particular leaves the focus where it is.
addEventListener("mousedown", (event) => {
  if (!event.target.closest("a, button, input, textarea, summary, pre, label, [tabindex], .said, .tree")) event.preventDefault();
});
addEventListener("hashchange", openFromAddress);
// What goes on elsewhere is shown here too, while nothing goes on here.
function follow() {
  if (!document.hidden && !replay && chat.dataset.state === "idle") void session.follow();
}
setInterval(follow, 3000);
addEventListener("visibilitychange", follow);
addEventListener("pagehide", () => session.keep());

function openFromAddress() {
  const [id, conversationId] = location.hash.slice(1).split("/");
  open(id, conversationId || undefined);
}

find("assistants").append(...ASSISTANTS.map(({ id, name }) => el("option", { value: id }, name)));
find("cards").append(...ASSISTANTS.map(card));
find("codes").append(...ASSISTANTS.flatMap(({ id }, at) => [at > 0 ? ", " : " ", el("a", { href: CODE[id] }, CODE[id])]));
find("context-code").href = CODE.restaurant;
linkPaths();
about()
  .then(({ model, isScripted }) => {
    setText(find("badge"), isScripted ? "scripted model" : `live: ${model}`);
    find("badge").hidden = false;
    const scripted =
      "The model here is scripted: a small program on this machine sends prepared answers at a model's pace, so that you " +
      "need neither a key nor a network. The server, the parsing and the streaming are real.";
    find("scenes").hidden = !isScripted;
    setText(find("about-model"), isScripted ? scripted : `A live model answers: ${model}.`);
  })
  .catch((error) => console.error(error));
tabs(document.querySelector('[role="tablist"]'));
openFromAddress();
