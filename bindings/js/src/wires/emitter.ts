// The output of a provider's reader: signals to the calls, text, and the ends of answers.
//
// A call is reported as complete only if every event was read as the provider's protocol has it. Anything else, such as a
// member of another type or a piece of an unknown kind, may have been a piece of any open call, so no open call can be
// complete any more.

import type { CallEvent } from "../calls/event.js";
import type { ToolCalls } from "../calls/tool-calls.js";
import type { StopEvent, TextEvent } from "./event.js";
import type { Members } from "./members.js";

/** The members that name a call or hold a piece of it, in events of any type. */
const OF_A_PIECE = /^(delta|index|inputTextDelta|output_index|toolCall(Id)?)$/;

export class Emitter {
  events: (CallEvent | TextEvent | StopEvent)[] = [];
  /** The reason of an error, which ends all calls after it, since none is regular. */
  failure: string | undefined;

  constructor(readonly calls: ToolCalls) {}

  tell(events: readonly CallEvent[]): void {
    // As arguments of one `push`, they would overflow the stack.
    for (const event of events) this.events.push(event);
  }

  text(text: string, choice = 0): void {
    if (text !== "") this.events.push({ kind: "text", text, choice });
  }

  stop(reason: string, choice = 0): void {
    if (reason !== "") this.events.push({ kind: "stop", reason, choice });
  }

  /** Records that something was not read: no call that is open can be complete. */
  leaveOut(): void {
    this.calls.leaveOut("unknown-part");
  }

  /** Passes over an event that the reader does not know, unless it may be a piece of a call. */
  passOver(event: Members): void {
    const { type = "" } = event;
    if (typeof type !== "string" || Object.keys(event).some((name) => OF_A_PIECE.test(name))) this.leaveOut();
  }

  /** Begins the next message, which has calls of its own. */
  begin(): void {
    this.tell(this.calls.beginMessage());
    this.failure = undefined;
  }

  /** Ends the calls of the message, with the provider's reason if it gave one. */
  end(reason?: string): void {
    this.tell(this.calls.finish(this.failure ?? reason));
  }

  /** Ends the input: the calls that are still open are cut. */
  cut(reason: string): void {
    if (this.failure !== undefined) this.end();
    else this.tell(this.calls.cut(reason));
  }
}
