// Server-sent events out of text at any cut, by the HTML standard's rules. `EventSource` can't send a POST.

/** Takes text as it arrives and returns the events that are complete: `{event, data, id}`. */
export class SseReader {
  #line = "";
  #endedInReturn = false;
  #event = "";
  #data = [];
  #id = "";

  push(text) {
    // A line feed behind a carriage return belongs to it, even in the next piece.
    if (this.#endedInReturn && text.startsWith("\n")) text = text.slice(1);
    else if (text === "") return [];
    this.#endedInReturn = text.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = this.#line + lines[0];
    this.#line = lines.pop();
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line) {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return [];
  }

  #dispatch() {
    const event = { event: this.#event || "message", data: this.#data.join("\n"), id: this.#id };
    const isEmpty = this.#data.length === 0;
    this.#event = "";
    this.#data = [];
    return isEmpty ? [] : [event];
  }
}

/** The events of a response's body, as they arrive. */
export async function* eventsOf(body) {
  const reader = new SseReader();
  const decoder = new TextDecoder();
  const source = body.getReader();
  try {
    for (;;) {
      const { done, value } = await source.read();
      yield* reader.push(done ? decoder.decode() : decoder.decode(value, { stream: true }));
      if (done) return;
    }
  } finally {
    // Whoever stops reading leaves: the server hears of it.
    await source.cancel().catch(() => {});
  }
}
