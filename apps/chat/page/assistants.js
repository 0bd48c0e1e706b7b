// The assistants that the page offers, each with what to try.

export const ASSISTANTS = [
  {
    id: "shopping",
    name: "Shopping",
    about: "Classifies what you want, asks what is missing while it still decides, and searches a small catalogue.",
    suggestions: ["I want chips for a party", "I need a ring for my sister", "Show me a lamp"],
  },
  {
    id: "finance",
    name: "Finance",
    about:
      "Calls tools: their inputs grow on their cards, they run side by side, and the answer goes on with their results.",
    suggestions: [
      "How much did I spend on groceries?",
      "Compare my spending on travel",
      "Which account did I spend most from?",
    ],
  },
  {
    id: "restaurant",
    name: "Restaurant",
    about: "Hides notes in its text: you never see them there, but the context panel fills as they stream.",
    suggestions: ["Find a place for dinner, japanese please", "I like thai food", "Book a table at Napoli"],
  },
  {
    id: "form",
    name: "Form",
    about: "Fills a form against a JSON Schema: each field shows as it is written, and all is checked at the end.",
    suggestions: ["Four days around the Øresund", "Get it wrong at first, then right", "Never get it right"],
  },
];
