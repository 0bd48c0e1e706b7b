// The tool call that the stage plays: its text, how fast it comes, and where each of its characters goes.

import { Parser } from "jsonspigot";

const TEXT = `{
  "ask_slots": [
    {
      "message": "A winter jacket, gladly! Where will you wear it most?",
      "options": ["In the city", "On hikes", "On the piste ⛷️"]
    },
    {
      "message": "And how cold does it get there?",
      "options": ["Around zero", "Down to −10 °C", "Colder still 🥶"]
    },
    {
      "message": "What would you like to spend, \\"all in\\"?",
      "options": ["Up to €150", "€150 to €300", "No limit"]
    }
  ],
  "reasoning": "First message: the article is known, nothing else. Where and how cold decide the filling; the budget decides the brand. Don't search before all three are answered.",
  "reply": "Three quick questions, then I'll show you the five that fit best. 🧥",
  "route": "ask_slots",
  "search": {
    "index": "apparel",
    "filters": {"category": "winter_jackets", "in_stock": true, "max_price": null},
    "rank_by": "margin",
    "page_size": 5
  },
  "confidence": 0.93
}`;

/** What the user's page follows; all else is hidden from it. `asText` is shown while it grows, the rest once it is complete. */
export const FOLLOWED = [
  { pattern: "ask_slots[*].message", name: "question", asText: true },
  { pattern: "ask_slots[*].options[*]", name: "option", asText: false },
  { pattern: "reply", name: "reply", asText: true },
];
export const PATTERNS = FOLLOWED.map(({ pattern }) => pattern);

/** The time at which a client that waits has all of it, in milliseconds. */
export const LENGTH = 12_400;

/** For each character, `shown`, `kept` (until its value is complete) or `hidden`: what the parser says of it. */
function whereEachGoes(characters) {
  const parser = new Parser(PATTERNS);
  let open;
  return characters.map((character) => {
    const before = open;
    for (const event of parser.feed(character)) {
      if (event.kind === "begin") open = FOLLOWED[event.pattern];
      if (event.kind === "end") open = undefined;
    }
    // The quotes around a text are not part of it.
    const followed = before && open;
    return followed ? (followed.asText ? "shown" : "kept") : "hidden";
  });
}

/** The pieces: `{ text, at, runs }`, with runs of characters that go to the same place. */
function pieces() {
  const characters = [...TEXT];
  const goes = whereEachGoes(characters);
  const cuts = [];
  // Pieces as models send them: 1 to 7 characters.
  for (let at = 0, seed = 5; at < characters.length; seed = (seed * 13 + 7) % 31) {
    const end = Math.min(at + 1 + (seed % 7), characters.length);
    cuts.push([at, end]);
    at = end;
  }
  return cuts.map(([from, to]) => {
    const runs = [];
    for (let at = from; at < to; at++) {
      if (runs.at(-1)?.goes === goes[at]) runs.at(-1).text += characters[at];
      else runs.push({ goes: goes[at], text: characters[at] });
    }
    return { text: characters.slice(from, to).join(""), at: (to / characters.length) * LENGTH, runs };
  });
}

export const PIECES = pieces();
