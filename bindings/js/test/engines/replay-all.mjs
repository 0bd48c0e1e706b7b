// All vectors in whatever engine runs this: how many were replayed, and which failed.

import { isReplayedHere, replayProviders } from "../replay-providers.mjs";
import { isReplayed, readVectors, replay } from "../replay.mjs";

/**
 * @param files the texts of the files in `vectors/`
 * @param providers `jsonspigot/providers`, where there is one for the entry
 * @param durable `jsonspigot/durable`, where there is one: it replays all again, and is saved and restored after each chunk
 * @param durableProviders `jsonspigot/durable/providers`, likewise
 */
export function replayAll(jsonspigot, files, providers, durable, durableProviders) {
  let count = 0;
  const failed = [];
  const check = (vector, run) => {
    count += 1;
    let lines;
    try {
      lines = run();
    } catch (thrown) {
      lines = [String(thrown?.stack ?? thrown)];
    }
    if (lines.join("\n") !== vector.lines.join("\n")) failed.push(vector.header.vector);
  };
  for (const vector of files.flatMap(readVectors)) {
    if (isReplayedHere(vector)) {
      if (providers) check(vector, () => replayProviders(vector, providers));
      if (durableProviders) check(vector, () => replayProviders(vector, durableProviders, 1));
      continue;
    }
    if (isReplayed(vector, jsonspigot)) check(vector, () => replay(vector, jsonspigot));
    if (durable && isReplayed(vector, durable)) check(vector, () => replay(vector, durable, 1));
  }
  return { count, failed };
}
