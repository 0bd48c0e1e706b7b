// The stage: one tool call as the model sends it, what the user sees of it, and when. It plays in a loop.

import { Parser } from "jsonspigot";

import { FOLLOWED, LENGTH, PATTERNS, PIECES } from "./story.js";

/** How long the end stays before it begins again. */
const REST = 5000;

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

function add(parent, name, className = "", text = "") {
  const element = parent.appendChild(document.createElement(name));
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

/** The raw text, coloured by where each part of it goes. */
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
    this.#root.scrollTop = this.#root.scrollHeight;
  }
}

/** What the user sees: made of the parser's events and of nothing else. */
class Seen {
  #root;
  #question;
  #text;

  constructor(root) {
    this.#root = root;
    root.replaceChildren();
  }

  show(event) {
    const { name } = FOLLOWED[event.pattern];
    if (event.kind === "begin" && name === "question") {
      this.#question = add(this.#root, "div", "question");
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
    this.#root.scrollTop = this.#root.scrollHeight;
  }
}

/** A row for each field that is shown, and two that compare: the first word, and the client that waits. */
class Timeline {
  #root;
  #rows = new Map();
  #open;

  constructor(root) {
    this.#root = root;
    root.replaceChildren();
    this.first = this.#row("First words here", "first");
    this.waits = this.#row("A client that waits", "waits");
    for (const name of ["question 1", "question 2", "question 3"]) {
      this.#rows.set(name, this.#row(name, "shown"));
      this.#rows.set(`${name}, options`, this.#row("its options", "kept"));
    }
    this.#rows.set("reply", this.#row("reply", "shown"));
  }

  #row(label, className) {
    const row = add(this.#root, "div", `row ${className}`);
    add(row, "span", "label", label);
    const track = add(row, "span", "track");
    return { bar: add(track, "i"), note: add(track, "b") };
  }

  /** A bar from one moment to another, with a figure or none. */
  static draw({ bar, note }, from, to, text = "") {
    bar.style.left = `${(from / LENGTH) * 100}%`;
    bar.style.width = `${((to - from) / LENGTH) * 100}%`;
    // The figure stands behind its bar, or inside where there is no room.
    note.textContent = text;
    note.style.left = `${(to / LENGTH) * 100}%`;
    note.classList.toggle("inside", to > LENGTH * 0.8);
  }

  follow(event, now) {
    const name = FOLLOWED[event.pattern].name;
    const number = /\d+/.exec(event.path)?.[0];
    const row = name === "reply" ? "reply" : `question ${Number(number) + 1}${name === "option" ? ", options" : ""}`;
    if (event.kind === "begin") {
      this.#open = this.#rows.get(row);
      // Several options have one bar.
      this.#open.from ??= now;
    } else if (event.kind === "end") {
      Timeline.draw(this.#open, this.#open.from, now);
      this.#open = undefined;
    }
  }

  tick(now, firstAt) {
    Timeline.draw(this.first, 0, firstAt ?? now, seconds(firstAt ?? now));
    Timeline.draw(this.waits, 0, now, seconds(now));
    if (this.#open) Timeline.draw(this.#open, this.#open.from, now);
  }
}

/** Plays the call in `root`, which has the elements that are named here by their `data-part`. */
export function play(root) {
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const [pause, slow, clock, rest, done] = ["pause", "slow", "clock", "rest", "done"].map(part);
  let run;
  let isPlaying = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  let speed = 1;
  let before;
  let frame;

  const begin = () => {
    run = { parser: new Parser(PATTERNS), now: 0, at: 0, firstAt: undefined };
    run.sent = new Sent(part("sent"));
    run.seen = new Seen(part("seen"));
    run.timeline = new Timeline(part("timeline"));
    done.textContent = "nothing may be acted on yet";
    done.classList.remove("valid");
    rest.style.width = "0";
  };

  const show = () => {
    const until = Math.min(run.now, LENGTH);
    while (run.at < PIECES.length && PIECES[run.at].at <= run.now) {
      const { text, at, runs } = PIECES[run.at];
      run.sent.show(runs);
      for (const event of run.parser.feed(text)) {
        if (event.kind === "delta") run.firstAt ??= at;
        run.seen.show(event);
        run.timeline.follow(event, at);
      }
      run.at += 1;
      if (run.at < PIECES.length) continue;
      run.parser.finish();
      const { search } = run.parser.value();
      done.textContent = `the whole call is valid: now search “${search.index}”`;
      done.classList.add("valid");
    }
    run.timeline.tick(until, run.firstAt);
    clock.textContent = seconds(until);
    rest.style.width = `${(Math.max(0, run.now - LENGTH) / REST) * 100}%`;
  };

  const tick = (time) => {
    const passed = before === undefined ? 0 : time - before;
    before = time;
    // A tab that was away does not jump.
    run.now += Math.min(passed, 250) * speed;
    if (run.now > LENGTH + REST) begin();
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
  part("again").addEventListener("click", () => {
    begin();
    if (!isPlaying) setPlaying(true);
  });
  slow.addEventListener("click", () => {
    speed = speed === 1 ? 0.25 : 1;
    slow.setAttribute("aria-pressed", String(speed !== 1));
  });
  begin();
  if (!isPlaying) {
    // Whoever wants no motion sees how it ends.
    run.now = LENGTH;
    show();
  }
  setPlaying(isPlaying);
}
