// The tool call that the stage plays: its text, how fast it comes, where each of its characters goes, and what the parser
// reports of it. The chat app's server makes the same (`apps/chat/src/page/call.rs`).

import { Parser } from "jsonspigot";

import text from "./call.txt";

/** The fields that the user's page shows. `asText` is shown while it grows, the others once they are complete. */
const FOLLOWED = [
  { pattern: "ask_slots[*].message", name: "question", asText: true },
  { pattern: "ask_slots[*].options[*]", name: "option", asText: false },
  { pattern: "reply", name: "reply", asText: true },
];
const PATTERNS = FOLLOWED.map(({ pattern }) => pattern);

/** The time at which a client that waits has the whole call, in milliseconds. */
const LENGTH = 12_400;

/** Returns for each character `shown`, `kept` (until its value is complete) or `hidden`, by the parser's events. */
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

/**
 * Returns the call: `{ length, pieces, action }`, where `action` is its effect on the app. A piece is `{ at, runs, events }`, with
 * runs of characters that go to the same place, and events as the stage knows them: `{ name, number, kind, text, value }`.
 */
function read() {
  const characters = [...text.trimEnd()];
  const goes = whereEachGoes(characters);
  const parser = new Parser(PATTERNS);
  const cuts = [];
  // Pieces as models send them: 1 to 7 characters.
  for (let at = 0, seed = 5; at < characters.length; seed = (seed * 13 + 7) % 31) {
    const end = Math.min(at + 1 + (seed % 7), characters.length);
    cuts.push([at, end]);
    at = end;
  }
  const pieces = cuts.map(([from, to]) => {
    const runs = [];
    for (let at = from; at < to; at++) {
      if (runs.at(-1)?.goes === goes[at]) runs.at(-1).text += characters[at];
      else runs.push({ goes: goes[at], text: characters[at] });
    }
    const events = Array.from(parser.feed(characters.slice(from, to).join("")), ({ pattern, path, kind, text, value }) => {
      return { name: FOLLOWED[pattern].name, number: /\d+/.exec(path)?.[0], kind, text, value };
    });
    return { at: (to / characters.length) * LENGTH, runs, events };
  });
  parser.finish();
  return { length: LENGTH, pieces, action: `search “${parser.value().search.index}”` };
}

export const call = read();
