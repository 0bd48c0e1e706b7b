//! A request as OpenAI Chat Completions spells it, and the many servers that are compatible with it.

use serde_json::{Value, json};

use super::request::{Block, Message, Request, Role};

pub(super) const PATH: &str = "/chat/completions";

pub(super) fn body(request: &Request, model: &str) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    messages.extend(request.messages.iter().flat_map(messages_of));
    let mut body = json!({"model": model, "max_tokens": request.max_tokens, "stream": true, "messages": messages});
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.input_schema
            }})
        });
        body["tools"] = tools.collect();
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if let Some(name) = &request.forced_tool {
        body["tool_choice"] = json!({"type": "function", "function": {"name": name}});
    }
    body
}

/// Splits a message with tool results into one message for each result.
fn messages_of(message: &Message) -> Vec<Value> {
    let results = message.content.iter().filter_map(|block| match block {
        Block::ToolResult { tool_use_id, content, .. } => {
            Some(json!({"role": "tool", "tool_call_id": tool_use_id, "content": content}))
        }
        _ => None,
    });
    let mut messages: Vec<Value> = results.collect();
    let calls: Vec<Value> = message.content.iter().filter_map(call_of).collect();
    let text = message.text();
    if message.role == Role::Assistant {
        let mut said = json!({"role": "assistant", "content": text});
        if !calls.is_empty() {
            said["tool_calls"] = calls.into();
        }
        messages.push(said);
    } else if !text.is_empty() {
        messages.push(json!({"role": "user", "content": text}));
    }
    messages
}

fn call_of(block: &Block) -> Option<Value> {
    match block {
        Block::ToolUse { id, name, input } => {
            Some(json!({"id": id, "type": "function", "function": {"name": name, "arguments": input.to_string()}}))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[test]
    fn calls_and_results_are_spelt_as_messages_of_their_own() {
        let messages = json!([
            {"role": "user", "content": [{"type": "text", "text": "Weather?"}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a", "name": "weather", "input": {"city": "Pune"}},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "warm"}]},
        ]);
        let messages = Vec::deserialize(messages).unwrap();
        let request = Request { system: "Be brief.".to_owned(), messages, max_tokens: 9, ..Request::default() };
        let function = json!({"name": "weather", "arguments": "{\"city\":\"Pune\"}"});
        assert_eq!(
            body(&request, "m"),
            json!({
                "model": "m", "max_tokens": 9, "stream": true,
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "Weather?"},
                    {"role": "assistant", "content": "I look.", "tool_calls": [
                        {"id": "a", "type": "function", "function": function}
                    ]},
                    {"role": "tool", "tool_call_id": "a", "content": "warm"},
                ]
            })
        );
    }
}
