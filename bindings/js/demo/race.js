// One recorded tool call at its recorded speed, shown by a client that waits and by one that streams.

import { Parser } from "jsonspigot";

import recording from "./recording.json";

const find = (id) => document.getElementById(id);
const add = (parent, name, className = "") => {
  const element = parent.appendChild(document.createElement(name));
  if (className) element.className = className;
  return element;
};
const euro = (amount) => `${amount.toFixed(2)} €`;

/** A trip on the page. What is the same object as before is not looked at again. */
class TripView {
  #root;
  #shown = {};
  #days = [];

  constructor(root) {
    this.#root = root;
    root.replaceChildren();
    this.title = add(root, "h4");
    this.summary = add(root, "p");
    this.list = add(root, "div");
    this.total = add(root, "div", "total");
  }

  show(trip, isWhole) {
    const before = this.#shown;
    this.#shown = trip;
    if (trip.title !== before.title) this.title.textContent = trip.title;
    if (trip.summary !== before.summary) this.summary.textContent = trip.summary;
    const days = trip.days ?? [];
    days.forEach((day, at) => {
      const view = (this.#days[at] ??= new DayView(this.list));
      if (day !== before.days?.[at]) view.show(day);
      view.mark(!isWhole && trip.total === undefined && at === days.length - 1);
    });
    if (trip.total !== undefined && trip.total !== before.total) {
      this.total.replaceChildren();
      add(this.total, "span").textContent = "Total";
      add(this.total, "span").textContent = euro(trip.total);
    }
  }
}

class DayView {
  constructor(list) {
    this.root = add(list, "div", "day");
    const head = add(this.root, "h5");
    this.place = add(head, "span");
    this.cost = add(head, "span");
    this.plan = add(this.root, "p");
  }

  show({ place = "", plan = "", cost }) {
    this.place.textContent = place;
    this.plan.textContent = plan;
    this.cost.textContent = cost === undefined ? "" : euro(cost);
  }

  mark(isOpen) {
    this.root.classList.toggle("open", isOpen);
  }
}

export function race() {
  let frame = 0;
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

  const play = () => {
    cancelAnimationFrame(frame);
    const parser = new Parser([], { snapshots: true });
    const view = new TripView(find("streams"));
    const dots = find("waits");
    dots.replaceChildren();
    const wait = add(dots, "div", "dots");
    for (let left = 3; left > 0; left--) add(wait, "i");
    const wire = find("wire");
    wire.textContent = "";
    find("wait-first").textContent = find("stream-first").textContent = "nothing yet";
    let text = "";
    let at = 0;
    let due = recording[0][0];
    let isFirst = true;
    const start = performance.now();

    const tick = () => {
      const now = performance.now() - start;
      let brought = "";
      while (at < recording.length && due <= now) {
        const delta = recording[at][1];
        parser.feed(delta);
        brought += delta;
        at += 1;
        due += recording[at]?.[0] ?? 0;
      }
      const isOver = at === recording.length;
      find("clock").textContent = seconds(isOver ? due : now);
      if (brought !== "") {
        text += brought;
        const trip = parser.snapshot() ?? {};
        view.show(trip, isOver);
        if (isFirst && trip.title) {
          isFirst = false;
          find("stream-first").textContent = `first text after ${seconds(now)}`;
        }
        const newest = document.createElement("b");
        newest.textContent = brought;
        wire.replaceChildren(text.slice(0, -brought.length), newest);
        wire.scrollTop = wire.scrollHeight;
        find("count").textContent = `(${at} of ${recording.length} deltas)`;
      }
      if (!isOver) {
        frame = requestAnimationFrame(tick);
        return;
      }
      parser.finish();
      parser.dispose();
      new TripView(find("waits")).show(JSON.parse(text), true);
      find("wait-first").textContent = `first text after ${seconds(due)}`;
    };
    frame = requestAnimationFrame(tick);
  };

  find("again").addEventListener("click", play);
  play();
}
