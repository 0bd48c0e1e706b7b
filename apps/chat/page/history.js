// A stored conversation as messages, for a tab that has not seen it stream.

/** The merger's state that the history amounts to. Its messages are numbered from below, so that what streams comes behind. */
export function stateOf({ messages, context, asking, lastChunkId }) {
  const shown = [];
  const calls = new Map();
  const add = (type, props) => {
    shown.push({ type, props });
    return props;
  };
  for (const { role, content } of messages) {
    for (const block of content) {
      if (block.type === "text") {
        add(role === "user" ? "user" : "text", { content: block.text });
      } else if (block.type === "tool_use") {
        calls.set(block.id, add("tool_call", { id: block.id, name: block.name, input: block.input, status: "running" }));
      } else if (block.type === "tool_result") {
        Object.assign(calls.get(block.tool_use_id) ?? {}, resultOf(block));
      }
    }
  }
  if (asking) {
    // The last text is the question; it is shown with its options instead.
    const last = shown.findLastIndex(({ type }) => type === "text");
    if (last >= 0) shown[last] = { type: "ask", props: { ask_slots: [asking] } };
  }
  if (Object.keys(context ?? {}).length > 0) shown.push({ type: "context", props: context });
  return { lastChunkId, messages: shown.map((message, place) => ({ ...message, chunk_id: place - shown.length })) };
}

function resultOf({ content, is_error }) {
  if (is_error) return { status: "failed", error: content };
  return { status: "done", result: wholeOr(content) };
}

/** A tool's stored result: JSON as the tool gave it, or text. */
function wholeOr(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
