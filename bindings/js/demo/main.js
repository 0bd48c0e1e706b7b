// The page: the stage, the code in three languages, and the playground.

import { play } from "./player.js";
import { playground } from "./playground.js";

play(document.getElementById("stage"));
playground();
