// The demo page: two clients of one recorded tool call, and the playground.

import { race } from "./race.js";
import { playground } from "./playground.js";

race();
playground();
