// What a conversation has come to, kept in the tab for a reload. The server has it too; this is how it looked here.

import { SseReader } from "./sse.js";

/** What was kept of a conversation, if anything was. */
export function kept(conversationId) {
  const text = sessionStorage.getItem(conversationId);
  if (text === null) return undefined;
  const { record, ...rest } = JSON.parse(text);
  return { ...rest, record: record?.map(read) };
}

/** An event out of its frame, which has all of it. */
function read({ at, frame }) {
  const [{ event, data }] = new SseReader().push(frame);
  return { event, chunk: JSON.parse(data), at, frame };
}

/** Keeps it; without the record of its events if there is no room for that. */
export function keep(conversationId, { record, ...rest }) {
  const frames = record.map(({ at, frame }) => ({ at, frame }));
  for (const value of [{ ...rest, record: frames }, rest]) {
    try {
      sessionStorage.setItem(conversationId, JSON.stringify(value));
      return;
    } catch (error) {
      if (error.name !== "QuotaExceededError") throw error;
    }
  }
  sessionStorage.removeItem(conversationId);
}
