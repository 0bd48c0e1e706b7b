// The conversations of this browser.

const PLACE = "conversations";
const MOST = 100;
const MOST_TITLE = 60;

/** Returns all conversations, the most recent first: `{id, assistant, title, at}`. */
export function conversations() {
  try {
    const list = JSON.parse(localStorage.getItem(PLACE) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** Puts a conversation first. The first words said in it are its title. */
export function note({ id, assistant, words }) {
  const known = conversations();
  const title = known.find((one) => one.id === id)?.title ?? words.slice(0, MOST_TITLE);
  const list = [{ id, assistant, title, at: Date.now() }, ...known.filter((one) => one.id !== id)];
  try {
    localStorage.setItem(PLACE, JSON.stringify(list.slice(0, MOST)));
  } catch (error) {
    if (error.name !== "QuotaExceededError") throw error;
  }
}
