// Elements as plain data, and the one function that brings the document up to date with them. Strings become text nodes:
// nothing here reads a string as HTML.

/**
 * Describes an element. `kind` is a tag with its fixed classes, as in `"p.said.user"`. Functions among the attributes are
 * event handlers, `value` and `--custom` properties are set as such, `key` names an element that may move. Absent children
 * are left out.
 */
export function h(kind, attributes = {}, ...children) {
  const isThere = (child) => child !== undefined && child !== null && child !== false;
  return { kind, attributes, children: children.flat(Infinity).filter(isThere) };
}

/** Brings the children of an element up to date. Known elements stay, so focus, selection and scrolling do too. */
export function patch(parent, children) {
  const known = parent.known ?? new Map();
  const counts = new Map();
  const named = new Map();
  for (const child of children) {
    const kind = child.kind ?? "#text";
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    named.set(child.attributes?.key ?? `${kind} ${count}`, child);
  }
  for (const [name, node] of known) if (!named.has(name)) node.remove();
  let place = parent.firstChild;
  parent.known = new Map();
  for (const [name, child] of named) {
    const node = known.get(name) ?? made(child);
    parent.known.set(name, node);
    if (node !== place) parent.insertBefore(node, place);
    else place = place.nextSibling;
    if (child.kind === undefined) setText(node, child);
    else if (node.shown !== child) update(node, child);
  }
}

function made(child) {
  if (child.kind === undefined) return document.createTextNode("");
  const [tag, ...classes] = child.kind.split(".");
  const isDrawing = tag === "svg" || tag === "path";
  const node = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  if (classes.length > 0) node.className = classes.join(" ");
  return node;
}

function update(node, child) {
  const before = node.shown?.attributes ?? {};
  const { attributes, children } = child;
  node.shown = child;
  for (const name of Object.keys(before)) if (!Object.hasOwn(attributes, name)) set(node, name, undefined);
  for (const [name, value] of Object.entries(attributes)) if (before[name] !== value) set(node, name, value);
  patch(node, children);
}

function set(node, name, value) {
  const isAbsent = value === undefined || value === null || value === false;
  if (name === "key") return;
  if (name.startsWith("on")) node[name] = value ?? null;
  else if (name === "value") node.value = value ?? "";
  else if (name.startsWith("--")) node.style.setProperty(name, value ?? "");
  else if (isAbsent) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : value);
}

/** Sets a text node's text. Where the text has grown, it only appends: a selection in it stays. */
function setText(node, text) {
  if (node.data === text) return;
  if (text.startsWith(node.data)) node.appendData(text.slice(node.data.length));
  else node.data = text;
}

/** Describes a text, each line a block of its own, so that growth at the end leaves the lines before it as they are. */
export function lines(kind, text = "", attributes = {}) {
  const all = text.split(/(?<=\n)/).filter(Boolean);
  return h(
    kind,
    { dir: direction(text), ...attributes },
    all.map((line) => h("span.line", {}, line)),
  );
}

/** Returns a text's direction by its first letter. With `auto` the browser would look for it again with each line. */
export function direction(text) {
  const letter = /\p{L}/u.exec(text)?.[0];
  if (letter === undefined) return "auto";
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letter) ? "rtl" : "ltr";
}

/** Describes a picture by the strokes in a square of 24. */
export const icon = (strokes) => h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: strokes }));

/** Returns a function that runs `work` once in the next frame, however often it is called. */
export function eachFrame(work) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    inFrame(() => {
      isAsked = false;
      work();
    });
  };
}

/** Runs work after the next frame was drawn. */
export const afterFrame = (work) => inFrame(() => setTimeout(work));

/** Runs work in the next frame. A page that is not visible draws none, and does not wait for it. */
function inFrame(work) {
  const once = () => {
    clearTimeout(timer);
    work();
    work = () => {};
  };
  const timer = setTimeout(once, 200);
  requestAnimationFrame(once);
}
