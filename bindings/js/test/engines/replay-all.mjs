// All vectors in whatever engine runs this: how many were replayed, and which failed.

import { isReplayedHere, replayProviders } from "../replay-providers.mjs";
import { isReplayed, readVectors, replay } from "../replay.mjs";

/**
 * @param files the texts of the files in `vectors/`
 * @param providers `jsonspigot/providers`, where there is one for the entry
 */
export function replayAll(jsonspigot, files, providers) {
  let count = 0;
  const failed = [];
  for (const vector of files.flatMap(readVectors)) {
    const isOfProviders = isReplayedHere(vector);
    if (isOfProviders ? !providers : !isReplayed(vector, jsonspigot)) continue;
    count += 1;
    let lines;
    try {
      lines = isOfProviders ? replayProviders(vector, providers) : replay(vector, jsonspigot);
    } catch (thrown) {
      lines = [String(thrown?.stack ?? thrown)];
    }
    if (lines.join("\n") !== vector.lines.join("\n")) failed.push(vector.header.vector);
  }
  return { count, failed };
}
