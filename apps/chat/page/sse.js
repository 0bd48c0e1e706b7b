// Server-sent events out of a body at any cut, as this server writes them. `EventSource` can't send a POST.

/** The events of a response's body, as they are complete: `{event, data}`. */
export async function* eventsOf(body) {
  const source = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await source.read();
      if (done) return;
      const frames = (rest + value).split("\n\n");
      rest = frames.pop();
      yield* frames.map(read).filter(({ data }) => data !== "");
    }
  } finally {
    // Whoever stops reading leaves: the server hears of it.
    await source.cancel().catch(() => {});
  }
}

/** Reads the lines of an event. A line without a name is a comment. */
function read(frame) {
  const lines = frame.split("\n").map((line) => /^([^:]*):? ?(.*)$/s.exec(line).slice(1));
  const field = (wanted) => lines.flatMap(([name, value]) => (name === wanted ? [value] : [])).join("\n");
  return { event: field("event"), data: field("data") };
}
