// Chunks of frameworks, as the wire format that says the same: those of LangChain as chat completions, the parts of the AI
// SDK's `fullStream` as its own UI stream, of which they are the source.

interface Chunk {
  readonly id?: string;
  readonly content: unknown;
  readonly tool_call_chunks: readonly { readonly name?: string; readonly args?: string; readonly id?: string; readonly index?: unknown }[];
  readonly response_metadata?: { readonly [name: string]: unknown };
  readonly usage_metadata?: object;
}

type Part = { readonly type: string; readonly [member: string]: unknown };

/** A part of `fullStream`: the member by which it differs from a part of the UI stream, and what is equivalent there. */
type OfFullStream = readonly [own: string, equivalent: (part: Part) => readonly object[]];

const PARTS: { readonly [type: string]: OfFullStream | undefined } = {
  "text-delta": ["text", ({ type, id, text }) => [{ type, id, delta: text }]],
  "reasoning-delta": ["text", ({ type, id, text }) => [{ type, id, delta: text }]],
  "tool-input-start": ["id", ({ type, id, toolName, providerExecuted }) => [{ type, toolCallId: id, toolName, providerExecuted }]],
  "tool-input-delta": ["id", ({ type, id, delta }) => [{ type, toolCallId: id, inputTextDelta: delta }]],
  // The end of an input is its call, and what is raw comes parsed too.
  "tool-input-end": ["id", () => []],
  raw: ["rawValue", () => []],
  "tool-call": [
    "toolCallId",
    ({ toolCallId, toolName, input, providerExecuted }) => [
      { type: "tool-input-available", toolCallId, toolName, input, providerExecuted },
    ],
  ],
  "tool-result": ["toolCallId", ({ toolCallId, output = null }) => [{ type: "tool-output-available", toolCallId, output }]],
  "tool-error": ["toolCallId", ({ toolCallId, error }) => [{ type: "tool-output-error", toolCallId, errorText: words(error) }]],
  "tool-output-denied": ["toolCallId", ({ type, toolCallId }) => [{ type, toolCallId }]],
  source: ["sourceType", ({ id, url, title }) => [{ type: "source-url", sourceId: id, url, title }]],
  file: ["file", ({ type, file }) => [{ type, ...addressed(file as { mediaType: string; base64: string }) }]],
  "start-step": ["request", ({ type }) => [{ type }]],
  "finish-step": ["usage", ({ type, usage }) => [{ type }, { type: "data-usage", data: usage }]],
  finish: ["totalUsage", ({ type, finishReason }) => [{ type, finishReason }]],
  error: ["error", ({ type, error }) => [{ type, errorText: words(error) }]],
};

/** Returns the equivalent events of a wire format for a framework's chunk; the event itself if it is a provider's. */
export function wireEvents(event: object): readonly object[] {
  if (Array.isArray((event as Chunk).tool_call_chunks) && "content" in event) return [ofLangChain(event as Chunk)];
  const part = event as Part;
  const [own, equivalent] = (Object.hasOwn(PARTS, part.type) && PARTS[part.type]) || [];
  // A provider's error has an object.
  const isOfFullStream = own !== undefined && own in part && (own !== "error" || part.error instanceof Error);
  return isOfFullStream ? equivalent!(part) : [event];
}

function ofLangChain({ id, content, tool_call_chunks, response_metadata = {}, usage_metadata }: Chunk): object {
  const blocks: readonly { type?: string; text?: string; thinking?: string; reasoning?: string }[] = Array.isArray(content)
    ? content.map((block: unknown) => (typeof block === "string" ? { type: "text", text: block } : (block as object)))
    : [{ type: "text", text: String(content) }];
  const joined = (text: (block: (typeof blocks)[number]) => string | undefined): string =>
    blocks.map((block) => text(block) ?? "").join("");
  const reasoning = joined((block) => block.thinking ?? block.reasoning);
  const calls = tool_call_chunks.map(({ name, args, id: callId, index }) => ({
    // Only numbers are places on the wire.
    ...(typeof index === "number" && { index }),
    id: callId,
    type: "function",
    function: { name, arguments: args ?? "" },
  }));
  const { finish_reason, stop_reason } = response_metadata;
  return {
    id,
    object: "chat.completion.chunk",
    choices: [
      {
        index: 0,
        delta: {
          content: joined(({ type, text }) => (type === "text" ? text : "")),
          ...(reasoning !== "" && { reasoning_content: reasoning }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: finish_reason ?? stop_reason ?? null,
      },
    ],
    ...(usage_metadata && { usage: usage_metadata }),
  };
}

function addressed({ mediaType, base64 }: { readonly mediaType: string; readonly base64: string }): object {
  return { mediaType, url: `data:${mediaType};base64,${base64}` };
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : typeof error === "string" ? error : JSON.stringify(error);
}
