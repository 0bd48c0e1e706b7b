// The last turn as a client shows it that waits: each part only once it is complete, and until then that it is on its way.

import { ConversationView } from "./view.js";

export class WaitingChat {
  #messages = new Map(); // of the turn, by key
  #shown = new Set();

  constructor(list) {
    this.list = list;
    this.view = new ConversationView(list, {});
    this.clear();
  }

  clear() {
    this.#messages.clear();
    this.#shown.clear();
    this.isEmpty = true;
    this.view.clear();
  }

  /** Takes a chunk of the turn in, and how its message stands after it. */
  take(chunk, message) {
    // Until something comes such a client can only say that it waits.
    if (message.type === "loading") return;
    if (message.type === "user") this.view.expect(message.props?.content ?? "");
    this.isEmpty = false;
    const key = `${chunk.block_id ?? ""}/${chunk.message_id ?? chunk.chunk_id}`;
    this.#messages.set(key, message);
    if (this.#shown.has(message)) this.#apply(message);
  }

  /** Shows what is whole by now, of messages timed by key. Gives whether anything is not. */
  show(timed) {
    let isWaiting = false;
    for (const [key, message] of this.#messages) {
      isWaiting ||= timed.get(key)?.isWhole === false;
      // The model's parts come in their order; that the turn has failed is told at once.
      if ((isWaiting && message.type !== "error") || this.#shown.has(message)) continue;
      this.#shown.add(message);
      this.#apply(message);
    }
    return isWaiting;
  }

  #apply(message) {
    this.view.apply({ changed: new Set([message]), removed: new Set() });
  }
}
