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

/** Returns the equivalent events of a wire format for a framework's chunk; the event itself if it is a provider's. */
export function wireEvents(event: object): readonly object[] {
  if (Array.isArray((event as Chunk).tool_call_chunks) && "content" in event) return [ofLangChain(event as Chunk)];
  const { type } = event as Part;
  return typeof type === "string" && isOfFullStream(event as Part) ? ofFullStream(event as Part) : [event];
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

/** Returns true for a part of `fullStream`, whose members have other names than those of the UI stream. */
function isOfFullStream(part: Part): boolean {
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta":
      return "text" in part;
    case "tool-input-start":
    case "tool-input-delta":
    case "tool-input-end":
      return "id" in part;
    case "start-step":
      return "request" in part;
    case "finish-step":
      return "usage" in part;
    case "finish":
      return "totalUsage" in part;
    case "tool-call":
    case "tool-result":
    case "tool-error":
    case "tool-output-denied":
      return "toolCallId" in part;
    case "source":
      return "sourceType" in part;
    case "file":
      return "file" in part;
    case "raw":
      return "rawValue" in part;
    case "error":
      // A provider's has an object.
      return part.error instanceof Error;
    default:
      return false;
  }
}

function ofFullStream(part: Part): readonly object[] {
  const { type, id, toolCallId, toolName, providerExecuted } = part;
  switch (type) {
    case "text-delta":
    case "reasoning-delta":
      return [{ type, id, delta: part.text }];
    case "tool-input-start":
      return [{ type, toolCallId: id, toolName, providerExecuted }];
    case "tool-input-delta":
      return [{ type, toolCallId: id, inputTextDelta: part.delta }];
    case "tool-call":
      return [{ type: "tool-input-available", toolCallId, toolName, input: part.input, providerExecuted }];
    case "tool-result":
      return [{ type: "tool-output-available", toolCallId, output: part.output ?? null }];
    case "tool-error":
      return [{ type: "tool-output-error", toolCallId, errorText: words(part.error) }];
    case "tool-output-denied":
      return [{ type, toolCallId }];
    case "source":
      return [{ type: "source-url", sourceId: id, url: part.url, title: part.title }];
    case "file": {
      const { mediaType, base64 } = part.file as { mediaType: string; base64: string };
      return [{ type, mediaType, url: `data:${mediaType};base64,${base64}` }];
    }
    case "start-step":
      return [{ type }];
    case "finish-step":
      return [{ type }, { type: "data-usage", data: part.usage }];
    case "finish":
      return [{ type, finishReason: part.finishReason }];
    case "error":
      return [{ type, errorText: words(part.error) }];
    default:
      // The end of an input is its call, and what is raw comes parsed too.
      return [];
  }
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : typeof error === "string" ? error : JSON.stringify(error);
}
