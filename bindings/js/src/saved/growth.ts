// The part of a state for patches: the changes since the last one.

import type { EngineState } from "../core/engine.js";
import { Growth } from "../core/tree/growth.js";
import { STRING } from "../core/states.js";
import { unless } from "./state.js";

export function saveGrowth(growth: Growth, engine: EngineState): unknown {
  growth.settle(engine, engine.state !== STRING);
  const { ops, head, value, isStringOld, atom, levels } = growth.grown;
  return [ops, head, value, isStringOld, atom ?? null, levels.map(({ isOld, hasChildren }) => (isOld ? 2 : 0) + (hasChildren ? 1 : 0))];
}

/** Returns what was saved, for an engine that has been led to the same place. */
export function restoreGrowth(engine: EngineState, saved: unknown): Growth {
  const isText = (value: unknown): value is string => typeof value === "string";
  unless(Array.isArray(saved));
  const [ops, head, value, isStringOld, atom, levels] = saved as unknown[];
  unless(
    Array.isArray(ops) &&
      ops.every((op) => isText(op) && isOperation(op)) &&
      isText(head) &&
      isText(value) &&
      (atom === null || isText(atom)),
  );
  unless(Array.isArray(levels) && levels.length === engine.depth && levels.every((level) => [0, 1, 2, 3].includes(level as number)));
  const growth = new Growth(engine);
  const { grown } = growth;
  Object.assign(grown, { ops, head, value, isStringOld: isStringOld === true && grown.isStringOpen, atom: atom ?? undefined });
  (levels as number[]).forEach((level, depth) => {
    grown.levels[depth]!.isOld = level >= 2;
    grown.levels[depth]!.hasChildren = level % 2 === 1;
  });
  return growth;
}

function isOperation(text: string): boolean {
  try {
    const op: unknown = JSON.parse(text);
    return typeof op === "object" && op !== null && "op" in op;
  } catch {
    return false;
  }
}
