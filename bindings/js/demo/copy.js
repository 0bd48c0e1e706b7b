/** Copies a text and shows the result on the button. A page opened from the disk may have no clipboard. */
export async function copy(button, text, otherwise) {
  const isCopied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  button.dataset.label ??= button.textContent;
  button.textContent = isCopied ? "Copied" : otherwise;
  setTimeout(() => (button.textContent = button.dataset.label), 2000);
}
