// The page: the stage, the code in three languages, and the playground.

import { play } from "./player.js";
import { playground } from "./playground.js";
import { call } from "./story.js";

play(document.getElementById("stage"), call);
playground();
