// The stage: one tool call as the model sends it, the user's view, and the times. It plays in a loop and needs only its call and
// `player.css`. The demo page and the chat app use it.

/** The time for which the end is shown before the loop begins again. */
const REST = 5000;

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

function add(parent, name, className = "", text = "", attributes = {}) {
  const element = parent.appendChild(document.createElement(name));
  if (className) element.className = className;
  if (text) element.textContent = text;
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
}

/** Fills the stage and returns its parts by name. */
function build(root) {
  const part = (parent, name, key, className, text = "", attributes = {}) =>
    add(parent, name, className, text, { "data-part": key, ...attributes });
  const bar = add(root, "div", "stage-bar");
  const legend = add(bar, "ul", "legend", "", { "aria-label": "Where each byte goes" });
  for (const [name, words] of [["shown", "shown as it grows"], ["kept", "kept until complete"], ["hidden", "never shown"]]) {
    add(add(legend, "li"), "span", name, words);
  }
  const clock = part(bar, "span", "clock", "clock", "0.0 s");
  const buttons = add(bar, "span", "buttons");
  const button = (key, text, attributes) => part(buttons, "button", key, "", text, { type: "button", ...attributes });
  const pause = button("pause", "Pause");
  const slow = button("slow", "¼×", { "aria-pressed": "false", "aria-label": "¼× speed" });
  const again = button("again", "↺", { "aria-label": "Play from the beginning" });
  const pair = add(root, "div", "pair");
  const panel = (title) => {
    const panel = add(pair, "article", "panel");
    add(panel, "p", "title", title);
    return panel;
  };
  const region = (label) => ({ role: "region", tabindex: "0", "aria-label": label });
  const sent = part(panel("What the model sends"), "pre", "sent", "sent", "", region("The JSON so far"));
  const right = panel("What the user sees");
  const seen = part(right, "div", "seen", "seen", "", region("The user's page"));
  const done = part(right, "p", "done", "done");
  const label = "When each field is on the page: the first words after half a second; a client that waits has nothing for twelve.";
  const timeline = part(root, "div", "timeline", "timeline", "", { role: "img", "aria-label": label });
  const rest = part(add(root, "div", "rest"), "i", "rest");
  return { clock, pause, slow, again, sent, seen, done, timeline, rest };
}

/** The raw text, coloured by the destination of each part. */
class Sent {
  #root;
  #last;

  constructor(root) {
    this.#root = root;
    root.replaceChildren();
  }

  show(runs) {
    for (const { goes, text } of runs) {
      if (this.#last?.className !== goes) this.#last = add(this.#root, "span", goes);
      this.#last.append(text);
    }
  }
}

/** The user's view, made of the parser's events alone. */
class Seen {
  #root;
  #question;
  #text;

  constructor(root) {
    this.#root = root;
    root.replaceChildren();
  }

  show(event) {
    const { name } = event;
    if (event.kind === "begin" && name === "question") {
      this.#question = add(this.#root, "div", "stage-question");
      this.#text = add(this.#question, "p", "growing");
      this.#question.options = add(this.#question, "ul");
    } else if (event.kind === "begin" && name === "reply") {
      this.#text = add(this.#root, "p", "reply growing");
    } else if (event.kind === "delta" && name !== "option") {
      this.#text.append(event.text);
    } else if (event.kind === "end" && name === "option") {
      add(this.#question.options, "li", "", event.value);
    } else if (event.kind === "end") {
      this.#text.classList.remove("growing");
    }
  }
}

/** The times: a row for each shown field, and two for comparison, the first word and the client that waits. */
class Timeline {
  #root;
  #rows = new Map();
  #open;
  #length;

  constructor(root, length) {
    this.#root = root;
    this.#length = length;
    root.replaceChildren();
    this.first = this.#row("First words shown", "first");
    this.waits = this.#row("A client that waits", "waits");
    for (const name of ["question 1", "question 2", "question 3"]) {
      this.#rows.set(name, this.#row(name, "shown"));
      this.#rows.set(`${name}, options`, this.#row("its options", "kept"));
    }
    this.#rows.set("reply", this.#row("reply", "shown"));
  }

  #row(label, className) {
    const row = add(this.#root, "div", `stage-row ${className}`);
    add(row, "span", "label", label);
    const track = add(row, "span", "track");
    return { bar: add(track, "i"), note: add(track, "b") };
  }

  /** Draws a bar from one time to another, with an optional figure. */
  #draw({ bar, note }, from, to, text = "") {
    bar.style.left = `${(from / this.#length) * 100}%`;
    bar.style.width = `${((to - from) / this.#length) * 100}%`;
    // The figure follows its bar, or is inside if there is no room.
    note.textContent = text;
    note.style.left = `${(to / this.#length) * 100}%`;
    note.classList.toggle("inside", to > this.#length * 0.8);
  }

  follow(event, now) {
    const { name, number } = event;
    const row = name === "reply" ? "reply" : `question ${Number(number) + 1}${name === "option" ? ", options" : ""}`;
    if (event.kind === "begin") {
      this.#open = this.#rows.get(row);
      // Several options have one bar.
      this.#open.from ??= now;
    } else if (event.kind === "end") {
      this.#draw(this.#open, this.#open.from, now);
      this.#open = undefined;
    }
  }

  tick(now, firstAt) {
    this.#draw(this.first, 0, firstAt ?? now, seconds(firstAt ?? now));
    this.#draw(this.waits, 0, now, seconds(now));
    if (this.#open) this.#draw(this.#open, this.#open.from, now);
  }
}

/**
 * Plays a call in `root`: `{ length, pieces, action }`, as `story.js` makes it. Returns `setPlaying`, which pauses or
 * resumes it, for pages that hide the stage.
 */
export function play(root, { length, pieces, action }) {
  const { clock, pause, slow, again, sent, seen, done, timeline, rest } = build(root);
  let run;
  let isPlaying = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  let speed = 1;
  let before;
  let frame;

  const begin = () => {
    run = { now: 0, at: 0, firstAt: undefined };
    run.sent = new Sent(sent);
    run.seen = new Seen(seen);
    run.timeline = new Timeline(timeline, length);
    done.textContent = "Nothing may be acted on yet";
    done.classList.remove("valid");
    rest.style.width = "0";
  };

  const show = () => {
    const until = Math.min(run.now, length);
    const before = run.at;
    while (run.at < pieces.length && pieces[run.at].at <= run.now) {
      const { at, runs, events } = pieces[run.at];
      run.sent.show(runs);
      for (const event of events) {
        if (event.kind === "delta") run.firstAt ??= at;
        run.seen.show(event);
        run.timeline.follow(event, at);
      }
      run.at += 1;
      if (run.at < pieces.length) continue;
      done.textContent = `The whole call is valid: now ${action}`;
      done.classList.add("valid");
    }
    // Scrolls once for all new text, after the line below has its words, which may take room.
    if (run.at > before) for (const part of [sent, seen]) part.scrollTop = part.scrollHeight;
    run.timeline.tick(until, run.firstAt);
    clock.textContent = seconds(until);
    rest.style.width = `${(Math.max(0, run.now - length) / REST) * 100}%`;
  };

  const tick = (time) => {
    const passed = before === undefined ? 0 : time - before;
    before = time;
    // A tab that was hidden does not jump.
    run.now += Math.min(passed, 250) * speed;
    if (run.now > length + REST) begin();
    show();
    frame = requestAnimationFrame(tick);
  };

  const setPlaying = (value) => {
    isPlaying = value;
    pause.textContent = value ? "Pause" : "Play";
    before = undefined;
    cancelAnimationFrame(frame);
    if (value) frame = requestAnimationFrame(tick);
  };

  pause.addEventListener("click", () => setPlaying(!isPlaying));
  again.addEventListener("click", () => {
    begin();
    if (!isPlaying) setPlaying(true);
  });
  slow.addEventListener("click", () => {
    speed = speed === 1 ? 0.25 : 1;
    slow.setAttribute("aria-pressed", String(speed !== 1));
  });
  begin();
  if (!isPlaying) {
    // With reduced motion the page shows the end.
    run.now = length;
    show();
  }
  setPlaying(isPlaying);
  return { setPlaying };
}
