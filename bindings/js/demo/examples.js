// The playground's examples: a text, the patterns that follow it, how it is read, and how many chunks of it are shown.

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
  "Provider's chunks": {
    text: `{"choices": [{"delta": {"role": "assistant", "content": ""}}]}
{"choices": [{"delta": {"content": "Take the "}}]}
{"choices": [{"delta": {"content": "tram to K\\u00f6ln."}}]}
{"choices": [{"delta": {}, "finish_reason": "stop"}]}`,
    patterns: "choices[*].delta.content\nchoices[*].finish_reason",
    lines: true,
  },
  "JSON Lines": {
    text: `{"name": "Ada", "born": 1815}
{"name": "Grace", "born": 1906
{"name": "Edsger", "born": 1930}`,
    patterns: "name\nborn",
    lines: true,
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
