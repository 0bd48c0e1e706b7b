// The page: the stage, the code in three languages, and the playground.

import { copy } from "./copy.js";
import { play } from "./player.js";
import { playground } from "./playground.js";
import { call } from "./story.js";

play(document.getElementById("stage"), call);
playground();
const button = document.getElementById("copy");
button.addEventListener("click", () => {
  const code = document.querySelector(`.code.${document.querySelector("[name=language]:checked").id}`);
  getSelection().selectAllChildren(code);
  copy(button, code.textContent, "Press Ctrl+C");
});
