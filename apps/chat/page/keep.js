// What the tab keeps of a conversation for a reload. The server has it too; this is how it looked here.

/** Returns what was kept of a conversation, if anything was. */
export function kept(conversationId) {
  const text = sessionStorage.getItem(conversationId);
  return text === null ? undefined : JSON.parse(text);
}

/** Keeps a conversation; without the record of its events if there is no room for that. */
export function keep(conversationId, { record, ...rest }) {
  for (const value of [{ ...rest, record }, rest]) {
    try {
      sessionStorage.setItem(conversationId, JSON.stringify(value));
      return;
    } catch (error) {
      if (error.name !== "QuotaExceededError") throw error;
    }
  }
  sessionStorage.removeItem(conversationId);
}
