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

async function post(path, body, signal) {
  const headers = { "content-type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/**
 * Sends a message, in the place of the one that it `edits`, by its chunk, if it does; the response's body is the stream of
 * what comes of it.
 */
export async function send({ assistant, conversationId, message, answers, edits }, signal) {
  return post("/api/chat/send", { assistant, conversationId, message, answers, edits }, signal);
}

/** The conversation's stream behind a chunk: what is stored, and what still comes. */
export async function resume({ conversationId, lastChunkId }, signal) {
  const query = new URLSearchParams({ conversationId });
  return ask(`/api/chat/stream?${query}`, {
    headers: { accept: "text/event-stream", "last-event-id": String(lastChunkId) },
    signal,
  });
}

/** Asks the server to end the turn that is on its way. */
export async function stop(conversationId) {
  return post("/api/chat/stop", { conversationId });
}

/** Has the server forget a conversation. */
export async function remove(conversationId) {
  return post("/api/chat/delete", { conversationId });
}

/** Which model answers, and whether it is the scripted one. */
export async function about() {
  return (await ask("/api/about")).json();
}
