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

/** Shows or removes a state that style and tests look at. */
export function setState(element, name, value) {
  if (value === undefined || value === null) delete element.dataset[name];
  else if (element.dataset[name] !== String(value)) element.dataset[name] = value;
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
