// Why a state is refused.

import { JsonSpigotError } from "../core/error.js";

/** The reasons, in the order in which the providers' module numbers them. */
export const REFUSALS = {
  "not-saved-state": "the data does not begin like a saved state",
  "other-version": "the state was saved in another version of the format",
  cut: "the end of the saved state is missing",
  changed: "the bytes are not those that were saved",
  "other-kind": "the state was saved by another class",
  "other-patterns": "the state was saved with different patterns",
  "other-choices": "the state was saved with different options",
  impossible: "no text leads to such a state",
} as const;

export function refusedAs(kind: keyof typeof REFUSALS): JsonSpigotError {
  return new JsonSpigotError(kind, `${kind.replace(/-/g, " ")}: ${REFUSALS[kind]}`);
}
