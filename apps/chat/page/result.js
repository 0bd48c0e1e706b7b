// What a tool has given, drawn: a sum, a table whose amounts are bars, or a tree.

import { el } from "./dom.js";
import { money, shown } from "./locale.js";
import { Tree } from "./tree.js";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isCents = (name) => name.endsWith("_cents");

const words = (name) => name.replace(/_cents$/, "").replaceAll("_", " ");

/** The elements that show a result; what of it was `asked` for stands there already. */
export function drawn(result, asked = {}) {
  const { currency, ...members } = isObject(result) ? result : {};
  const entries = Object.entries(members).filter(([, value]) => value !== null);
  const sum = entries.find(([name, value]) => isCents(name) && typeof value === "number");
  const list = entries.find(([, value]) => Array.isArray(value) && value.length > 0 && value.every(isObject));
  const rest = entries.filter((entry) => entry !== sum && entry !== list);
  const facts = rest.filter(([name, value]) => asked?.[name] !== value);
  if (rest.length > 0 && facts.length === 0 && !sum && !list) return [el("p", { class: "hint" }, "As requested.")];
  if ((!sum && !list) || facts.some(([, value]) => typeof value === "object")) {
    const tree = new Tree();
    tree.update(result);
    return [tree.element];
  }
  const caption = facts.map(([name, value]) => (typeof value === "number" ? `${words(name)}: ${shown(value)}` : shown(value)));
  return [
    sum && el("p", { class: "sum", "data-cents": sum[1] }, money(sum[1], currency)),
    sum && el("span", { class: "share", "aria-hidden": "true" }),
    caption.length > 0 && el("p", { class: "hint" }, caption.join(" · ")),
    list && table(list[1], currency),
  ].filter(Boolean);
}

function table(rows, currency) {
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) => name !== "id");
  names.sort((one, other) => (other === "name") - (one === "name"));
  const most = Math.max(1, ...rows.flatMap((row) => names.filter(isCents).map((name) => Math.abs(row[name]))));
  const cell = (name, value) => {
    const is = typeof value === "number" ? "number" : undefined;
    const bar = isCents(name) && el("span", { class: "share", "aria-hidden": "true" });
    if (bar) bar.style.setProperty("--share", Math.abs(value) / most);
    return el("td", { class: is }, value === undefined ? "" : bar ? money(value, currency) : shown(value), bar || undefined);
  };
  const head = el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, words(name))));
  const body = rows.map((row) => el("tr", {}, ...names.map((name) => cell(name, row[name]))));
  return el("table", { class: "result" }, el("thead", {}, head), el("tbody", {}, ...body));
}

/** Brings the bars of sums that stand together to one scale. */
export function scale(sums) {
  const most = Math.max(1, ...sums.map(({ dataset }) => Math.abs(dataset.cents)));
  for (const sum of sums) sum.nextElementSibling.style.setProperty("--share", Math.abs(sum.dataset.cents) / most);
}
