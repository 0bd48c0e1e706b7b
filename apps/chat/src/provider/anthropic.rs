//! A request as Anthropic Messages spells it.

use serde_json::{Value, json};

use super::request::Request;

pub(super) const PATH: &str = "/v1/messages";
pub(super) const VERSION: &str = "2023-06-01";

pub(super) fn body(request: &Request, model: &str) -> Value {
    let mut body = json!({
        "model": model, "max_tokens": request.max_tokens, "stream": true, "messages": request.messages,
    });
    if !request.system.is_empty() {
        body["system"] = json!(request.system);
    }
    if !request.tools.is_empty() {
        let tools = request
            .tools
            .iter()
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}));
        body["tools"] = tools.collect();
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(temperature);
    }
    if let Some(name) = &request.forced_tool {
        body["tool_choice"] = json!({"type": "tool", "name": name});
    }
    body
}
