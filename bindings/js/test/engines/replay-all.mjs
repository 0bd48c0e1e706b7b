// All vectors in whatever engine runs this: how many were replayed, and which failed.

import { isReplayedHere, replayProviders } from "../replay-providers.mjs";
import { isReplayed, joined, readVectors, replay } from "../replay.mjs";

const joinedVector = ({ header, lines }) => ({ header, lines: joined(lines) });

/**
 * Replays each vector twice: as it is, and saved and restored after each chunk.
 *
 * @param files the texts of the files in `vectors/`
 * @param providers `jsonspigot/providers`, where WebAssembly may be compiled
 */
export function replayAll(jsonspigot, files, providers) {
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
    for (const every of [undefined, 1]) {
      if (isReplayedHere(vector)) {
        if (vector.header.options.provider === undefined) check(joinedVector(vector), () => joined(replayProviders(vector, jsonspigot)));
        else if (providers) check(vector, () => replayProviders(vector, providers, every));
      } else if (isReplayed(vector)) {
        check(vector, () => replay(vector, jsonspigot, every));
      }
    }
  }
  return { count, failed };
}
