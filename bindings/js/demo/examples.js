// The playground's examples: a text, its patterns, other settings, and the number of chunks to show.

export const EXAMPLES = {
  "Tool call": {
    text: `{
  "route": "ask_slots",
  "ask_slots": [
    {"message": "Which size do you wear? 👟", "options": ["38", "39", "40"]},
    {"message": "Indoors or \\"outdoors\\"?", "options": ["Indoors", "Outdoors"]}
  ]
}`,
    patterns: "ask_slots[*].message\nask_slots[*].options[*]",
    step: 27,
  },
  "JSON in a string": {
    text: `{"tool_calls": [{"function": {
  "name": "get_weather",
  "arguments": "{\\"city\\": \\"K\\\\u00f6ln\\", \\"days\\": [1, 2]}"
}}]}`,
    patterns: "tool_calls[*].function.name\ntool_calls[*].function.arguments | city\ntool_calls[*].function.arguments | days",
  },
  "Provider's stream": {
    text: String.raw`data: {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Let me look."}}]}

data: {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "plan_trip", "arguments": "{\"city\": \"K"}}]}}]}

data: {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "öln\", \"days\": 3}"}}]}}]}

data: {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}

data: [DONE]

`,
    patterns: "city\ndays",
    size: 40,
  },
  "JSON in a fence": {
    text: "Here is the trip:\n\n```json\n{\"city\": \"Köln\", \"days\": 3}\n```\n\nShall I book it?\n",
    patterns: "city\ndays",
  },
  "JSON Lines": {
    text: `{"name": "Ada", "born": 1815}
{"name": "Grace", "born": 1906
{"name": "Edsger", "born": 1930}`,
    patterns: "name\nborn",
  },
  "Cut off": {
    text: `{
  "path": "notes/today.md",
  "content": "# Today\\n\\n- water the pla`,
    patterns: "content",
  },
  "A model's mistakes": {
    text: `{
  // what the user asked for
  "city": "Köln",
  "note": "line one
line two",
  "days": [1, 2, 3,],
}`,
    patterns: "city\nnote\ndays[*]",
    tolerate: true,
  },
};
