// The server's endpoints, and nothing else.

/** A request that the server refused, in words for a person. */
export class Refusal extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

async function answered(response) {
  if (response.ok) return response;
  const text = await response.text().catch(() => "");
  throw new Refusal(response.status, wordsOf(text) || `The server answered with status ${response.status}.`);
}

/** The message of an error's JSON, or the text that came instead of one. */
function wordsOf(text) {
  try {
    const { error } = JSON.parse(text);
    return typeof error === "string" ? error : (error?.message ?? text);
  } catch {
    return text;
  }
}

/**
 * A request, and its answer if that is no error. What the server says now is what counts: the browser's cache is not
 * asked, whatever an older server let it keep.
 */
async function ask(path, options) {
  return answered(await fetch(path, { cache: "no-store", ...options }));
}

/** Sends a message; the response's body is the stream of what comes of it. */
export async function send({ assistant, conversationId, message, answers }, signal) {
  return ask("/api/chat/send", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ assistant, conversationId, message, answers }),
    signal,
  });
}

/** The conversation's stream behind a chunk: what is stored, and what still comes. */
export async function resume({ conversationId, lastChunkId }, signal) {
  const query = new URLSearchParams({ conversationId });
  return ask(`/api/chat/stream?${query}`, {
    headers: { accept: "text/event-stream", "last-event-id": String(lastChunkId) },
    signal,
  });
}

/** The elements of Markdown texts: of each a list, or null if it is to be shown as it stands. */
export async function format(texts) {
  const response = await ask("/api/markdown", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ texts }),
  });
  return (await response.json()).blocks;
}

/** Asks the server to end the turn that is on its way. */
export async function stop({ conversationId }) {
  return ask("/api/chat/stop", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ conversationId }),
  });
}

/** Which model answers, and whether it is the scripted one. */
export async function about() {
  return (await ask("/api/about")).json();
}

/** The recorded call of the landing page. */
export async function demo() {
  return (await ask("demo.json")).json();
}
