// All vectors in whatever engine runs this: how many were replayed, and which failed.

import { isReplayed, readVectors, replay } from "../replay.mjs";

/** @param files the texts of the files in `vectors/` */
export function replayAll(jsonspigot, files) {
  let count = 0;
  const failed = [];
  for (const vector of files.flatMap(readVectors)) {
    if (!isReplayed(vector, jsonspigot)) continue;
    count += 1;
    let lines;
    try {
      lines = replay(vector, jsonspigot);
    } catch (thrown) {
      lines = [String(thrown?.stack ?? thrown)];
    }
    if (lines.join("\n") !== vector.lines.join("\n")) failed.push(vector.header.vector);
  }
  return { count, failed };
}
