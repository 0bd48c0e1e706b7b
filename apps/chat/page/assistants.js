// The assistants that the page offers, each with what to try.

export const ASSISTANTS = [
  {
    id: "shopping",
    name: "Shopping",
    about: "one tool call decides what to do and asks for what is missing. Its questions appear while the call is still being written.",
    suggestions: ["I want chips for a party", "I need a ring for my sister", "Show me a lamp"],
  },
  {
    id: "finance",
    name: "Finance",
    about:
      "the model calls tools. Each tool's arguments appear as they stream, and the tools run side by side.",
    suggestions: [
      "How much did I spend on groceries?",
      "Compare my spending on travel",
      "Which account did I spend most from?",
    ],
  },
  {
    id: "restaurant",
    name: "Restaurant",
    about: "the model hides notes in its text. The chat never shows them; the Context tab fills with them as they stream.",
    suggestions: ["Find a place for dinner, japanese please", "I like thai food", "Book a table at Napoli"],
  },
  {
    id: "form",
    name: "Form",
    about: "the model fills in a form. Each field appears as it is written, and a JSON Schema checks the whole at the end.",
    suggestions: ["Four days around the Øresund", "Get it wrong at first, then right", "Never get it right"],
  },
];
