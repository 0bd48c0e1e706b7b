// The assistants that the page offers, each with what it shows and a question to begin with.

export const ASSISTANTS = [
  {
    id: "shopping",
    name: "Shopping",
    about: "One tool call decides and asks. Its questions grow word by word, inside the call.",
    question: "I want chips for a party",
  },
  {
    id: "finance",
    name: "Finance",
    about: "Tools run side by side, each on a card: its input as it streams, then its result.",
    question: "Compare my spending on travel",
  },
  {
    id: "restaurant",
    name: "Restaurant",
    about: "The model hides notes in its text. The chat never shows them; the details do.",
    question: "Find an Italian place and book it",
  },
  {
    id: "form",
    name: "Form",
    about: "A form fills field by field. A schema checks the whole of it at the end.",
    question: "Four days around the Øresund",
  },
];
