// Making and growing elements. Text goes in as text only: nothing here or elsewhere reads a string as HTML.

/** An element with attributes and children; strings become text, absent children are left out. */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** A picture for a button that has its name otherwise: the strokes of a square of 24. */
export function icon(strokes) {
  const make = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const [svg, path] = [make("svg"), make("path")];
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", strokes);
  svg.append(path);
  return svg;
}

/** Shows a text, and only appends where the text shown has grown: a selection in it stays. */
export function setText(element, text) {
  const node = element.firstChild;
  if (!(node instanceof Text) || element.childNodes.length > 1) {
    if (element.textContent !== text) element.textContent = text;
  } else if (node.data !== text) {
    if (text.startsWith(node.data)) node.appendData(text.slice(node.data.length));
    else node.data = text;
  }
}

/**
 * Shows a text that may become long, each line a block of its own: what grows at the end leaves the lines before it as
 * they are laid out. The element's text is the text, line ends and all.
 */
export function setLines(element, text) {
  const last = element.lastElementChild;
  const shown = element.textLength ?? 0;
  // The end of what is shown is compared; a text that has changed before that is drawn anew.
  const tail = last?.firstChild?.data ?? "";
  if (text.length === shown && text.endsWith(tail)) return;
  const isGrown = text.length > shown && text.startsWith(tail, shown - tail.length);
  if (!isGrown) element.replaceChildren();
  const [rest, ...lines] = text.slice(isGrown ? shown : 0).split(/(?<=\n)/);
  if (isGrown && last && !tail.endsWith("\n")) last.firstChild.appendData(rest);
  else lines.unshift(rest);
  const more = lines.filter(Boolean).map((line) => el("span", { class: "line" }, line));
  element.textLength = text.length;
  if (more.length === 0) return;
  element.append(...more.splice(0, FEW));
  settleDirection(element);
  element.append(...more);
}

/** How many lines are shown before it is looked for a direction. */
const FEW = 8;

/**
 * Settles the direction of a text that has to tell its own, once there is a letter to tell it. Until then the browser looks
 * for one with each line that is added, through all lines before it.
 */
function settleDirection(element) {
  const place = element.closest('[dir="auto"]');
  if (place?.isConnected && /\p{L}/u.test(element.textContent)) place.dir = getComputedStyle(place).direction;
}

/** Shows or removes a state that style and tests look at. */
export function setState(element, name, value) {
  if (value === undefined || value === null) delete element.dataset[name];
  else if (element.dataset[name] !== String(value)) element.dataset[name] = value;
}

/** Runs work when the next frame has been drawn; a page that nobody sees draws none, and does not wait for it. */
export function afterFrame(work) {
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    work();
  };
  requestAnimationFrame(() => setTimeout(once));
  setTimeout(once, 200);
}

/** Runs work once before the next frame is drawn, however often it is asked for. */
export function eachFrame(work) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      work();
    });
  };
}
