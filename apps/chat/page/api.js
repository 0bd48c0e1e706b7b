// The server's endpoints, and nothing else.

/** A refused request, in words for a person. */
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

/** Returns the message of an error's JSON, or the text itself if it is none. */
function wordsOf(text) {
  try {
    const { error } = JSON.parse(text);
    return typeof error === "string" ? error : (error?.message ?? text);
  } catch {
    return text;
  }
}

/** Makes a request and returns its response if that is no error. The browser's cache is not asked. */
async function ask(path, options) {
  return answered(await fetch(path, { cache: "no-store", ...options }));
}

async function post(path, body, signal) {
  const headers = { "content-type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** Sends a message. The response's body is the turn. */
export async function send({ assistant, conversationId, message, answers }, signal) {
  return post("/api/chat/send", { assistant, conversationId, message, answers }, signal);
}

/** Requests the conversation's stream after a chunk: what is stored, then what is still to come. */
export async function resume({ conversationId, lastChunkId }, signal) {
  const query = new URLSearchParams({ conversationId });
  return ask(`/api/chat/stream?${query}`, {
    headers: { accept: "text/event-stream", "last-event-id": String(lastChunkId) },
    signal,
  });
}

/** Ends the turn that is running. */
export async function stop(conversationId) {
  return post("/api/chat/stop", { conversationId });
}

/** Checks a form by its schema, and returns what is wrong with it: `{pointer, message}` each. */
export async function check(form) {
  return (await (await post("/api/chat/check", { form })).json()).errors;
}

/** Returns which model answers, and whether it is the scripted one. */
export async function about() {
  return (await ask("/api/about")).json();
}
