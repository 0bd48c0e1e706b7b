// A form that the model fills and the person corrects: labelled fields, each marked partial, complete or valid, with its
// errors beside it. A field is valid only once the server has checked the whole form by its schema.

import { check } from "./api.js";
import { direction, h } from "./dom.js";

const STATES = {
  filling: "filling",
  failed: "failed",
  complete: "valid",
  given_up: "given up",
  ended: "ended",
  edited: "checking",
};

/** The marks of a field, and their words for people who can't see them. */
const MARKS = { partial: ["…", "still filling"], complete: ["", "complete, not checked"], valid: ["✓", "valid"] };

/** How long a person may pause between two letters before the form is checked. */
const PAUSE = 250;

const isContainer = (value) => typeof value === "object" && value !== null;
const step = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");
const title = (name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll("_", " ");

/** Returns a form with what the person has written in it. A number stays one, and what should be one may become one. */
export function edited(value, edits, errors = [], pointer = "") {
  if (isContainer(value)) {
    const members = Object.entries(value).map(([name, member]) => [
      name,
      edited(member, edits, errors, `${pointer}/${step(name)}`),
    ]);
    return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  }
  const text = edits[pointer];
  if (text === undefined) return value;
  const isMissed = (error) => error.pointer === pointer && /of types? .*"(integer|number)"/.test(error.message);
  const wantsNumber = typeof value === "number" || errors.some(isMissed);
  return wantsNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Shows an attempt at a form. `ui` keeps what the person has written in it, and what the server says of that. */
export function form({ message, turn, isOver, isLast, ui, act, code, suggestions }) {
  const { attempt = 1, value, open, errors: told = [] } = message.props ?? {};
  const { reply, suggestions: next, ...model } = isContainer(value) ? value : {};
  // A model that can't fill the form says so instead.
  if (reply !== undefined) {
    return [h("p.said", { dir: direction(String(reply)) }, String(reply)), suggestions(Array.isArray(next) ? next : [])];
  }
  const sent = message.props?.status;
  // An error of the turn has its own button.
  const hasError = turn?.messages.some(({ type }) => type === "error");
  const canEdit = isOver && (sent === "complete" || sent === "given_up");
  const isValid = ui.isValid ?? sent === "complete";
  const errors = ui.errors ?? told;
  const whole = edited(model, ui.edits ?? {}, told);
  const ended = isOver && sent === "filling" ? "ended" : sent;
  const status = ui.isPending ? "edited" : isValid ? "complete" : ended === "complete" ? "failed" : ended;
  const edit = (pointer, text) => {
    ui.edits = { ...ui.edits, [pointer]: text };
    Object.assign(ui, { isPending: true, isValid: false, isCopied: false });
    clearTimeout(ui.timer);
    ui.timer = setTimeout(() => verify(ui, edited(model, ui.edits, told), act), PAUSE);
    act.redraw();
  };
  const about = {
    id: `form-${message.chunk_id}`,
    open: sent === "filling" ? open : null,
    isValid,
    errors,
    edit: canEdit && edit,
  };
  const list = errors.map(({ pointer, message: words }) =>
    h("li.error", { dir: "auto" }, pointer ? `${pointer}: ${words}` : words),
  );
  const copy = async () => {
    ui.isCopied = await act.copy(JSON.stringify(whole, null, 2));
    act.redraw();
  };
  return h(
    "div.card.form",
    { role: "group", "aria-label": `Form, attempt ${attempt}`, "data-status": status },
    h("header", {}, h("strong.tool-name", {}, `Attempt ${attempt}`), h("span.status", {}, STATES[status] ?? ""), code("form")),
    h(
      "details.fields",
      { open: true },
      h("summary", {}, "Fields"),
      h("div.form-fields", {}, members(whole, "", "", about)),
    ),
    list.length > 0 && h("ul.errors", {}, list),
    h(
      "div.chips",
      {},
      sent !== "failed" &&
        h(
          "button.use",
          { type: "button", disabled: !isValid, onclick: copy },
          ui.isCopied ? "Copied" : "Copy this trip as JSON",
        ),
      sent === "given_up" && isLast && !hasError && h("button.retry", { type: "button", onclick: act.retry }, "Try again"),
    ),
  );
}

/** Has the server check a form by its schema. Only the answer to the last change counts. */
async function verify(ui, whole, act) {
  const { edits } = ui;
  const errors = await check(whole).catch((error) => [{ pointer: "", message: error.message }]);
  if (ui.edits !== edits) return;
  Object.assign(ui, { isPending: false, isValid: errors.length === 0, errors });
  act.redraw();
}

function members(value, pointer, label, about) {
  return Object.entries(value).map(([name, member]) => {
    const words = Array.isArray(value) ? `${label.replace(/s$/, "")} ${Number(name) + 1}` : title(name);
    return field(name, words, member, `${pointer}/${step(name)}`, about);
  });
}

function field(name, label, value, pointer, about) {
  const { open, isValid, edit } = about;
  const id = `${about.id}${encodeURIComponent(pointer)}`;
  const isOpen = typeof open === "string" && (open === pointer || open.startsWith(`${pointer}/`));
  const state = isOpen ? "partial" : isValid ? "valid" : "complete";
  const [sign, words] = MARKS[state];
  const mark = h("span.mark", {}, h("span", { "aria-hidden": "true" }, sign), h("span.unseen", { id: `${id}-state` }, words));
  const errors = about.errors.filter((error) => error.pointer === pointer).map(({ message }) => message);
  const error = errors.length > 0 && h("p.error.field-error", { id: `${id}-error`, dir: "auto" }, errors.join("; "));
  const described = { id, "aria-describedby": error ? `${id}-state ${id}-error` : `${id}-state` };
  const control = {
    ...described,
    rows: 1,
    dir: "auto",
    readonly: !edit,
    value: String(value),
    "aria-invalid": error && "true",
    oninput: edit && ((event) => edit(pointer, event.target.value)),
  };
  const inner = isContainer(value)
    ? [h("fieldset", described, h("legend", {}, label, mark), members(value, pointer, label, about))]
    : [h("span.field-head", {}, h("label", { for: id }, label), mark), h("textarea.value", control)];
  return h("div.field", { "data-field": name, "data-state": state }, inner, error);
}
