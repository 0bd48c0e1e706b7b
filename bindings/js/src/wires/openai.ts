// OpenAI: chat completions and Responses.

export { ChatStream, chatEvents } from "./chat.js";
export type * from "./exports.js";
export { ResponsesStream, responsesEvents } from "./responses.js";
