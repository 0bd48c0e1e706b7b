//! One call, or one text, as each wire format sends it, from its beginning to its end: for tests that hold on all of them.

use jsonspigot_llm::Provider;
use serde_json::{Value, json};

/// How a wire format sends one call with these arguments in two pieces.
pub(crate) fn call(provider: Provider, text: &str) -> Option<Vec<Value>> {
    let middle = text.len() / 2;
    let middle = (middle..).find(|at| text.is_char_boundary(*at)).unwrap();
    let (one, other) = text.split_at(middle);
    Some(match provider {
        Provider::Anthropic => vec![
            json!({"type": "message_start", "message": {"id": "m", "content": []}}),
            json!({"type": "content_block_start", "index": 0,
                "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": one}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": other}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
            json!({"type": "message_stop"}),
        ],
        Provider::OpenaiChat => vec![
            json!({"choices": [{"index": 0, "delta": {"tool_calls": [
                {"index": 0, "id": "t", "type": "function", "function": {"name": "f", "arguments": one}}]}}]}),
            json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": other}}]}}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
        ],
        Provider::OpenaiResponses => vec![
            json!({"type": "response.created", "response": {"id": "r"}}),
            json!({"type": "response.output_item.added", "output_index": 0,
                "item": {"type": "function_call", "id": "i", "call_id": "t", "name": "f", "arguments": ""}}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "i", "delta": one}),
            json!({"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "i", "delta": other}),
            json!({"type": "response.function_call_arguments.done", "output_index": 0, "item_id": "i", "arguments": text}),
            json!({"type": "response.output_item.done", "output_index": 0,
                "item": {"type": "function_call", "id": "i", "call_id": "t", "name": "f", "arguments": text}}),
            json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [
                {"type": "function_call", "id": "i", "call_id": "t", "name": "f", "arguments": text}]}}),
        ],
        Provider::Bedrock => vec![
            json!({"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "t", "name": "f"}}}}),
            json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": one}}}}),
            json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": other}}}}),
            json!({"contentBlockStop": {"contentBlockIndex": 0}}),
            json!({"messageStop": {"stopReason": "tool_use"}}),
        ],
        Provider::Cohere => vec![
            json!({"type": "message-start", "id": "m"}),
            json!({"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls":
                {"id": "t", "type": "function", "function": {"name": "f", "arguments": ""}}}}}),
            json!({"type": "tool-call-delta", "index": 0,
                "delta": {"message": {"tool_calls": {"function": {"arguments": one}}}}}),
            json!({"type": "tool-call-delta", "index": 0,
                "delta": {"message": {"tool_calls": {"function": {"arguments": other}}}}}),
            json!({"type": "tool-call-end", "index": 0}),
            json!({"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}),
        ],
        Provider::AgUi => vec![
            json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
            json!({"type": "TOOL_CALL_START", "toolCallId": "t", "toolCallName": "f"}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": "t", "delta": one}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": "t", "delta": other}),
            json!({"type": "TOOL_CALL_END", "toolCallId": "t"}),
            json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
        ],
        Provider::VercelUi => vec![
            json!({"type": "start"}),
            json!({"type": "tool-input-start", "toolCallId": "t", "toolName": "f"}),
            json!({"type": "tool-input-delta", "toolCallId": "t", "inputTextDelta": one}),
            json!({"type": "tool-input-delta", "toolCallId": "t", "inputTextDelta": other}),
            json!({"type": "finish-step"}),
            json!({"type": "finish", "finishReason": "tool-calls"}),
        ],
        // Of Gemini's, the Interactions: a call of the others has an object.
        Provider::Gemini => vec![
            json!({"event_type": "interaction.created", "interaction": {"id": "m"}}),
            json!({"event_type": "step.start", "index": 0, "step": {"type": "function_call", "id": "t", "name": "f", "arguments": {}}}),
            json!({"event_type": "step.delta", "index": 0, "delta": {"type": "arguments_delta", "arguments": one}}),
            json!({"event_type": "step.delta", "index": 0, "delta": {"type": "arguments_delta", "arguments": other}}),
            json!({"event_type": "step.stop", "index": 0}),
            json!({"event_type": "interaction.completed", "interaction": {"id": "m", "status": "requires_action"}}),
        ],
        Provider::ClaudeCode => of_claude_code(call(Provider::Anthropic, text)?),
        Provider::Dashscope => dashscope(&[
            json!({"role": "assistant", "content": "", "tool_calls": [
                {"index": 0, "id": "t", "type": "function", "function": {"name": "f", "arguments": one}}]}),
            json!({"role": "assistant", "content": "", "tool_calls": [
                {"index": 0, "id": "", "type": "function", "function": {"arguments": other}}]}),
        ]),
        Provider::MistralConversations => vec![
            json!({"type": "conversation.response.started", "conversation_id": "m"}),
            json!({"type": "function.call.delta", "id": "i", "name": "f", "tool_call_id": "t", "arguments": one}),
            json!({"type": "function.call.delta", "id": "i", "name": "f", "tool_call_id": "t", "arguments": other}),
            json!({"type": "conversation.response.done", "usage": {"prompt_tokens": 1}}),
        ],
        // An object, or no calls.
        Provider::Ollama | Provider::Mcp | Provider::Codex | Provider::Cloudflare => return None,
        _ => unreachable!("{provider} is new here"),
    })
}

/// How a wire format says a text in these pieces, from its beginning to its end.
pub(crate) fn text(provider: Provider, pieces: &[&str]) -> Option<Vec<Value>> {
    let events: Vec<Value> = match provider {
        Provider::Anthropic => [json!({"type": "message_start", "message": {"id": "m", "content": []}})]
            .into_iter()
            .chain([json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})])
            .chain(pieces.iter().map(
                |text| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            ))
            .chain([json!({"type": "content_block_stop", "index": 0})])
            .chain([json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}), json!({"type": "message_stop"})])
            .collect(),
        Provider::OpenaiChat => pieces
            .iter()
            .map(|text| json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
            .chain([json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})])
            .collect(),
        Provider::OpenaiResponses => [json!({"type": "response.created", "response": {"id": "r"}})]
            .into_iter()
            .chain(pieces.iter().map(|text| {
                json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "i", "delta": text})
            }))
            .chain([json!({"type": "response.output_text.done", "output_index": 0, "content_index": 0, "item_id": "i",
                "text": pieces.concat()})])
            .chain([json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [
                {"type": "message", "id": "i", "role": "assistant", "content": [{"type": "output_text", "text": pieces.concat()}]}]}})])
            .collect(),
        Provider::Gemini => pieces
            .iter()
            .map(|text| json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}))
            .chain([json!({"candidates": [{"finishReason": "STOP"}]})])
            .collect(),
        Provider::Ollama => pieces
            .iter()
            .map(|text| json!({"message": {"role": "assistant", "content": text}, "done": false}))
            .chain([json!({"message": {"content": ""}, "done": true, "done_reason": "stop"})])
            .collect(),
        Provider::Bedrock => pieces
            .iter()
            .map(|text| json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": text}}}))
            .chain([json!({"contentBlockStop": {"contentBlockIndex": 0}}), json!({"messageStop": {"stopReason": "end_turn"}})])
            .collect(),
        Provider::Cohere => [json!({"type": "message-start", "id": "m"})]
            .into_iter()
            .chain([json!({"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}})])
            .chain(pieces.iter().map(
                |text| json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}}),
            ))
            .chain([json!({"type": "content-end", "index": 0})])
            .chain([json!({"type": "message-end", "delta": {"finish_reason": "COMPLETE"}})])
            .collect(),
        Provider::AgUi => [json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})]
            .into_iter()
            .chain([json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"})])
            .chain(pieces.iter().map(|text| json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text})))
            .chain([json!({"type": "TEXT_MESSAGE_END", "messageId": "m"})])
            .chain([json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"})])
            .collect(),
        Provider::VercelUi => [json!({"type": "start"}), json!({"type": "text-start", "id": "t"})]
            .into_iter()
            .chain(pieces.iter().map(|text| json!({"type": "text-delta", "id": "t", "delta": text})))
            .chain([json!({"type": "text-end", "id": "t"}), json!({"type": "finish"})])
            .collect(),
        Provider::ClaudeCode => of_claude_code(text(Provider::Anthropic, pieces)?),
        Provider::Codex => vec![
            json!({"type": "thread.started", "thread_id": "m"}),
            json!({"type": "turn.started"}),
            json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": pieces.concat()}}),
            json!({"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}),
        ],
        // All so far in each event: that is what is sent unless a client asks for pieces.
        Provider::Dashscope => dashscope(
            &(0..pieces.len())
                .map(|last| json!({"role": "assistant", "content": pieces[..=last].concat()}))
                .collect::<Vec<_>>(),
        ),
        Provider::MistralConversations => [json!({"type": "conversation.response.started", "conversation_id": "m"})]
            .into_iter()
            .chain(pieces.iter().map(|text| json!({"type": "message.output.delta", "id": "i", "content": text})))
            .chain([json!({"type": "conversation.response.done", "usage": {"prompt_tokens": 1}})])
            .collect(),
        Provider::Cloudflare => pieces
            .iter()
            .map(|text| json!({"response": text, "p": "abc"}))
            .chain([json!({"response": "", "finish_reason": "stop"})])
            .collect(),
        Provider::Mcp => return None,
        _ => unreachable!("{provider} is new here"),
    };
    Some(events)
}

/// Claude Code's lines around a model's events.
fn of_claude_code(events: Vec<Value>) -> Vec<Value> {
    let lines = events.into_iter().map(|event| json!({"type": "stream_event", "event": event, "session_id": "s"}));
    lines.chain([json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s"})]).collect()
}

/// DashScope's events around a choice's messages, and its end.
fn dashscope(messages: &[Value]) -> Vec<Value> {
    let event = |message: &Value, reason: &str| {
        let choice = json!({"index": 0, "message": message, "finish_reason": reason});
        json!({"output": {"choices": [choice]}, "usage": {"total_tokens": 1}, "request_id": "m"})
    };
    let mut events: Vec<_> = messages.iter().map(|message| event(message, "null")).collect();
    events.extend(messages.last().map(|last| {
        // The last has no new piece, but all of a text.
        let end = json!({"role": "assistant", "content": last["content"]});
        event(&end, if last["tool_calls"].is_null() { "stop" } else { "tool_calls" })
    }));
    events
}
