// What a tool has returned: a sum, a table whose amounts are bars, or a tree.

import { h } from "./dom.js";
import { money, shown } from "./locale.js";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isCents = (name) => name.endsWith("_cents");
const words = (name) => name.replace(/_cents$/, "").replaceAll("_", " ");
const share = (part) => h("span.share", { "aria-hidden": "true", "--share": part });

/** Returns the sum in a result, in hundredths, if it has one. */
export function sumOf(result) {
  const entry = isObject(result)
    ? Object.entries(result).find(([name, value]) => isCents(name) && typeof value === "number")
    : [];
  return entry?.[1];
}

/** Shows a result. What it repeats of the call's input is left out; `most` is the largest sum beside this one. */
export function result(value, asked, most) {
  const { currency, ...members } = isObject(value) ? value : {};
  const entries = Object.entries(members).filter(([, member]) => member !== null);
  const sum = sumOf(value);
  const list = entries.find(([, member]) => Array.isArray(member) && member.length > 0 && member.every(isObject));
  const rest = entries.filter(([name, member]) => member !== list?.[1] && !(isCents(name) && member === sum));
  const facts = rest.filter(([name, member]) => asked?.[name] !== member);
  if (rest.length > 0 && facts.length === 0 && sum === undefined && !list) return [h("p.hint", {}, "Done as requested.")];
  if ((sum === undefined && !list) || facts.some(([, member]) => typeof member === "object")) return [tree(value)];
  const caption = facts.map(([name, member]) =>
    typeof member === "number" ? `${words(name)}: ${shown(member)}` : shown(member),
  );
  return [
    sum !== undefined && [h("p.sum", {}, money(sum, currency)), share(Math.abs(sum) / Math.max(1, most))],
    caption.length > 0 && h("p.hint", {}, caption.join(" · ")),
    list && table(list[1], currency),
  ];
}

function table(rows, currency) {
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) => name !== "id");
  names.sort((one, other) => (other === "name") - (one === "name"));
  const most = Math.max(1, ...rows.flatMap((row) => names.filter(isCents).map((name) => Math.abs(row[name]))));
  const cell = (name, value = "") =>
    isCents(name)
      ? h("td.number", {}, money(value, currency), share(Math.abs(value) / most))
      : h(typeof value === "number" ? "td.number" : "td", {}, shown(value));
  const head = h(
    "tr",
    {},
    names.map((name) => h("th", { scope: "col" }, words(name))),
  );
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      names.map((name) => cell(name, row[name])),
    ),
  );
  return h("table.result", {}, h("thead", {}, head), h("tbody", {}, body));
}

/** Shows a JSON value, objects and arrays as lists. */
export function tree(value) {
  if (typeof value !== "object" || value === null) {
    return h("span.value", { dir: typeof value === "string" ? "auto" : undefined }, shown(value));
  }
  // People count from one.
  const label = (name) => (Array.isArray(value) ? `${Number(name) + 1}.` : `${name.replaceAll("_", " ")}:`);
  const member = ([name, it]) => h("li.field", { "data-field": name }, h("span.key", {}, label(name)), tree(it));
  return h("ul.tree", {}, Object.entries(value).map(member));
}
