// A tool call as it arrives: each city the moment it is known, the summary word by word, the whole input at the end.
//
// `body` stands for `(await fetch("https://api.anthropic.com/v1/messages", …)).body`; an SDK's stream of events does too.

import { providerEvents } from "jsonspigot/providers";

const body = new Blob([
  'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"plan","input":{}}}\n\n',
  'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"cities\\": [\\"Bern\\", \\"Zü"}}\n\n',
  'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"rich\\"], \\"summary\\": \\"By tr"}}\n\n',
  'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"ain.\\"}"}}\n\n',
  'data: {"type":"content_block_stop","index":0}\n\n',
  'data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}\n\ndata: {"type":"message_stop"}\n\n',
]).stream();

const CITY = 0;
const SUMMARY = 1;

for await (const event of providerEvents(body, "anthropic", ["cities[*]", "summary"])) {
  if (event.kind === "end" && event.pattern === CITY) console.log("city:", event.value);
  if (event.kind === "delta" && event.pattern === SUMMARY) console.log("summary:", event.text);
  if (event.kind === "input" && event.status === "complete") console.log(event.name, event.value);
  if (event.kind === "stop") console.log("stopped:", event.type);
}
