// Several answers side by side, each with a reason of its own, after which its calls may still get a piece.

import { isRegular } from "../calls/ending.js";
import type { Emitter } from "./emitter.js";
import { textOf, unreadable } from "./members.js";

export class Answers {
  /** Why the answers that have stopped did so. */
  readonly reasons = new Map<number, string>();
  /** The id that each event of a message repeats, and those of the messages before. */
  #id = "";
  readonly #ended = new Set<string>();

  constructor(readonly emit: Emitter) {}

  /** Returns true if an event is of another message than those before. Fails if that message has ended. */
  isAnother(id: unknown): boolean {
    const before = this.#id;
    const now = textOf(id);
    if (this.#ended.has(now)) unreadable();
    this.#id = now || before;
    const isAnother = before !== "" && before !== this.#id;
    // From now on, an event without an id may be of any message.
    if (isAnother) this.#ended.add(before).add("");
    return isAnother;
  }

  /** Begins another message. If calls are open, nothing says whose the next pieces are. */
  begin(): void {
    this.reasons.clear();
    const emit = this.emit;
    const isAmidCalls = emit.calls.openCalls.length > 0;
    emit.leaveOut();
    emit.begin();
    if (isAmidCalls) emit.tell(emit.calls.unplaced());
  }

  /** Returns true if the calls of an answer were not cut. */
  isRegular(choice: number): boolean {
    return isRegular({ isAnnounced: true, reason: this.emit.failure ?? this.reasons.get(choice) });
  }

  /** Ends the calls of an answer that has stopped. */
  end(choice: number): void {
    this.emit.tell(this.emit.calls.finishChoice(choice, this.emit.failure ?? this.reasons.get(choice)));
  }

  endAll(): void {
    for (const choice of this.reasons.keys()) this.end(choice);
  }
}
