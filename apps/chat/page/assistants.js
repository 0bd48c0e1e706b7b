// The assistants that the page offers, each with what it shows and the lines of its scenes, the first one on its card.

export const ASSISTANTS = [
  {
    id: "shopping",
    name: "Shopping",
    about: "One tool call decides and asks. Its questions grow word by word, inside the call.",
    scenes: ["I want chips for a party", "I need a ring for my sister", "Show me a lamp", "What did I tell you?"],
  },
  {
    id: "finance",
    name: "Finance",
    about: "Tools run side by side, each on a card: its input as it streams, then its result.",
    scenes: [
      "Compare my spending this month to last month",
      "Compare travel and get advice",
      "What did I spend on groceries last month?",
      "Which account did I spend most from?",
    ],
  },
  {
    id: "restaurant",
    name: "Restaurant",
    about: "The model hides notes in its text. The chat never shows them; the details beside it do.",
    scenes: [
      "Find an Italian place for Saturday",
      "Book a table at Napoli for two",
      "I like Thai food",
      "Find an Italian place and book it",
    ],
  },
  {
    id: "form",
    name: "Form",
    about: "A form fills field by field. A schema checks the whole of it at the end.",
    scenes: ["Four days around the Øresund", "A weekend in Rome", "Wrong at first: four days around the Øresund"],
  },
];

/** The file that shows how an assistant uses the library. */
export const CODE = {
  shopping: "classify.rs",
  finance: "tool_loop.rs",
  restaurant: "hidden_context.rs",
  form: "form.rs",
};
