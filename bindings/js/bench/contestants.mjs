// How each library is asked for deltas, and for a snapshot after each chunk. Each run gives what it has to be checked by:
// the joined deltas, or the last snapshot.

import { parsePartialJson } from "ai";
import { JSONParser } from "@streamparser/json";
import { disableErrorLogging, parse as bestEffort } from "best-effort-json-parser";
import { parse as jsonriver } from "jsonriver";
import { parse as partialJson } from "partial-json";

import { deltas, events, Parser, snapshots } from "../dist/index.js";

disableErrorLogging();

/** A path as patterns spell it: `a[*].b`. */
const pattern = (path) => path.map((step) => (step === "*" ? "[*]" : `.${step}`)).join("").replace(/^\./, "");

/**
 * Collects the new text of the strings at a path, for libraries that show values. It looks at the places that may have changed
 * since the last call: the last known element of each array and the elements after it.
 */
function follower(path) {
  let told = "";
  const last = { at: 0, children: new Map(), length: 0 };
  const look = (value, depth, place) => {
    if (value === undefined || value === null) return;
    if (depth === path.length) {
      if (value.length > place.length) {
        told += value.slice(place.length);
        place.length = value.length;
      }
      return;
    }
    const step = path[depth];
    if (step !== "*") {
      look(value[step], depth + 1, child(place, step));
      return;
    }
    for (let at = place.at; at < value.length; at++) {
      place.at = at;
      look(value[at], depth + 1, child(place, at));
    }
  };
  const child = (place, key) => {
    let found = place.children.get(key);
    if (!found) place.children.set(key, (found = { at: 0, children: new Map(), length: 0 }));
    return found;
  };
  return { look: (value) => look(value, 0, last), told: () => told };
}

async function* later(chunks) {
  yield* chunks;
}

/** A snapshot after each chunk; the last one. */
const snapshotsOf = (snapshots) => (chunks) => {
  const parser = new Parser([], { snapshots, retain: "nothing" });
  let value;
  for (const chunk of chunks) {
    parser.feed(chunk);
    value = parser.snapshot();
  }
  parser.finish();
  value = parser.snapshot();
  parser.dispose();
  return value;
};

function streamparserDeltas(path) {
  const parser = new JSONParser({ paths: [`$.${path.join(".")}`], emitPartialTokens: true, emitPartialValues: true, keepStack: false });
  let told = "";
  let shown = 0;
  parser.onValue = ({ value, partial }) => {
    if (value === undefined) return;
    if (value.length > shown) told += value.slice(shown);
    shown = partial ? value.length : 0;
  };
  return { parser, told: () => told };
}

function streamparserSnapshots() {
  const parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true });
  let value;
  parser.onValue = (told) => {
    value = told.stack.length > 1 ? told.stack[1].value : (told.parent ?? told.value);
  };
  return { parser, shown: () => value };
}

/** Returns the package's loops over the chunks of an array or of an async generator. */
function loops(name, open, isOfGenerator) {
  const contestants = [
    {
      name: `deltas()${name}`,
      isOurs: true,
      async deltas(chunks, path) {
        let told = "";
        for await (const text of deltas(open(chunks), pattern(path))) told += text;
        return told;
      },
    },
    {
      name: `events()${name}`,
      isOurs: true,
      async deltas(chunks, path) {
        let told = "";
        for await (const event of events(open(chunks), pattern(path), { retain: "nothing" })) {
          if (event.kind === "delta") told += event.text;
        }
        return told;
      },
    },
    {
      name: `snapshots()${name}`,
      isOurs: true,
      async snapshots(chunks) {
        let last;
        for await (const value of snapshots(open(chunks))) last = value;
        return last;
      },
    },
  ];
  return contestants.map((contestant) => ({ ...contestant, isOfGenerator }));
}

/**
 * Incremental parsers. A *live* value changes under its reader; any other value stays as it was, which costs copies of the
 * containers that change.
 */
export const INCREMENTAL = [
  {
    name: "jsonspigot",
    isOurs: true,
    deltas(chunks, path) {
      const parser = new Parser(pattern(path), { retain: "nothing" });
      let told = "";
      for (const chunk of chunks) {
        for (const event of parser.feed(chunk)) if (event.kind === "delta") told += event.text;
      }
      parser.finish();
      parser.dispose();
      return told;
    },
    snapshots: snapshotsOf(true),
  },
  {
    name: "jsonspigot",
    isOurs: true,
    isLive: true,
    snapshots: snapshotsOf("live"),
  },
  ...loops("", (chunks) => chunks, false),
  ...loops(" of a generator", later, true),
  {
    name: "@streamparser/json",
    isLive: true,
    deltas(chunks, path) {
      const { parser, told } = streamparserDeltas(path);
      for (const chunk of chunks) parser.write(chunk);
      return told();
    },
    snapshots(chunks) {
      const { parser, shown } = streamparserSnapshots();
      for (const chunk of chunks) parser.write(chunk);
      return shown();
    },
  },
  {
    name: "@streamparser/json of a generator",
    isLive: true,
    isOfGenerator: true,
    async deltas(chunks, path) {
      const { parser, told } = streamparserDeltas(path);
      for await (const chunk of later(chunks)) parser.write(chunk);
      return told();
    },
    async snapshots(chunks) {
      const { parser, shown } = streamparserSnapshots();
      for await (const chunk of later(chunks)) parser.write(chunk);
      return shown();
    },
  },
  {
    name: "jsonriver",
    isLive: true,
    isOfGenerator: true,
    async deltas(chunks, path) {
      const follow = follower(path);
      for await (const value of jsonriver(later(chunks))) follow.look(value);
      return follow.told();
    },
    async snapshots(chunks) {
      let last;
      for await (const value of jsonriver(later(chunks))) last = value;
      return last;
    },
  },
];

/** Parsers that read all text so far again at each chunk. Their deltas are found in their snapshots. */
export const ONE_SHOT = [
  { name: "ai", parse: async (text) => (await parsePartialJson(text)).value },
  { name: "partial-json", parse: (text) => partialJson(text) },
  { name: "best-effort-json-parser", parse: (text) => bestEffort(text) },
].map(({ name, parse }) => ({
  name,
  async snapshots(chunks) {
    let text = "";
    let value;
    for (const chunk of chunks) {
      text += chunk;
      value = name === "ai" ? await parse(text) : parse(text);
    }
    return value;
  },
}));

/** Joins the strings at a path. */
export function expectedDeltas(value, path) {
  const follow = follower(path);
  follow.look(value);
  return follow.told();
}
