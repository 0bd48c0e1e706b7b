//! The same scripts over OpenAI Chat Completions: a request becomes one of the Messages protocol, and an answer the chunks
//! that this protocol has for it.
//!
//! What current clients send is taken: content in parts, `max_completion_tokens`, `stream_options`, and options that a script
//! has no use for. Whatever the request lacks is refused by the other protocol's checks, in its words.

use std::iter;

use axum::http::HeaderMap;
use serde_json::{Map, Value, json};

use super::check::Refusal;
use super::directives::FaultKind;
use super::frames::{Frame, FrameKind, Frames, pieces, struck};
use super::script::Answer;
use super::turn::Block;

/// Options of a request that change nothing about a script's answer.
const IGNORED: &str = "\
    frequency_penalty logit_bias logprobs metadata modalities n parallel_tool_calls prediction \
    presence_penalty prompt_cache_key prompt_cache_retention reasoning_effort response_format \
    safety_identifier seed service_tier stop store stream_options temperature top_logprobs top_p user \
    verbosity";

/// A key is needed, and JSON.
pub(super) fn headers(headers: &HeaderMap) -> Result<(), Refusal> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if text("authorization").strip_prefix("Bearer ").is_none_or(|key| key.trim().is_empty()) {
        return Err(Refusal { status: 401, message: "You didn't provide an API key.".to_owned() });
    }
    if !text("content-type").starts_with("application/json") {
        return Err(Refusal::invalid("content-type: expected application/json"));
    }
    Ok(())
}

/// Whether the stream is to end with a count of tokens.
pub(super) fn wants_usage(request: &Value) -> bool {
    request["stream_options"]["include_usage"] == true
}

/// The request in the Messages protocol.
pub(super) fn translated(request: &Value) -> Result<Value, Refusal> {
    let fields = request.as_object().ok_or_else(|| Refusal::invalid("the request has to be an object"))?;
    let mut made = Map::new();
    let mut most = json!(4096);
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        match name.as_str() {
            "model" | "stream" => {
                made.insert(name.clone(), value.clone());
            }
            "max_tokens" | "max_completion_tokens" => most = value.clone(),
            "messages" => messages(value, &mut made)?,
            "tools" => {
                let tools = value.as_array().ok_or_else(|| Refusal::invalid("tools: expected an array"))?;
                made.insert(name.clone(), tools.iter().map(tool).collect());
            }
            "tool_choice" => {
                made.insert(name.clone(), choice(value)?);
            }
            name if IGNORED.split(' ').any(|ignored| ignored == name) => {}
            name => return Err(Refusal::invalid(format!("Unrecognized request argument supplied: {name}"))),
        }
    }
    made.insert("max_tokens".to_owned(), most);
    Ok(Value::Object(made))
}

fn tool(tool: &Value) -> Value {
    let function = &tool["function"];
    let mut made =
        json!({"name": function["name"], "description": function["description"].as_str().unwrap_or_default()});
    // A function without parameters takes none.
    let parameters = &function["parameters"];
    made["input_schema"] = if parameters.is_null() { json!({"type": "object"}) } else { parameters.clone() };
    made
}

fn choice(choice: &Value) -> Result<Value, Refusal> {
    match (choice.as_str(), choice["function"]["name"].as_str()) {
        (Some(word @ ("auto" | "none")), _) => Ok(json!({"type": word})),
        (Some("required"), _) => Ok(json!({"type": "any"})),
        (_, Some(name)) => Ok(json!({"type": "tool", "name": name})),
        _ => Err(Refusal::invalid("tool_choice: expected `none`, `auto`, `required` or a function")),
    }
}

/// The conversation: results that follow each other are one message there, and what the system says is not in it.
fn messages(messages: &Value, made: &mut Map<String, Value>) -> Result<(), Refusal> {
    let messages = messages.as_array().ok_or_else(|| Refusal::invalid("messages: expected an array"))?;
    let mut system = Vec::new();
    let mut conversation: Vec<(&str, Vec<Value>)> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let text = text(&message["content"]);
        let (role, blocks) = match message["role"].as_str() {
            Some("system" | "developer") => {
                system.push(text);
                continue;
            }
            Some("user") => ("user", vec![json!({"type": "text", "text": text})]),
            Some("tool") => {
                let id = &message["tool_call_id"];
                ("user", vec![json!({"type": "tool_result", "tool_use_id": id, "content": text})])
            }
            Some("assistant") => {
                let calls = message["tool_calls"].as_array().into_iter().flatten().map(call);
                let text = (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}));
                ("assistant", text.into_iter().chain(calls).collect())
            }
            _ => return Err(Refusal::invalid(format!("messages.{at}.role: expected a role"))),
        };
        match conversation.last_mut() {
            Some((last, before)) if *last == role => before.extend(blocks),
            _ => conversation.push((role, blocks)),
        }
    }
    let conversation = conversation.into_iter().map(|(role, content)| json!({"role": role, "content": content}));
    made.insert("messages".to_owned(), conversation.collect());
    if !system.is_empty() {
        made.insert("system".to_owned(), json!(system.join("\n")));
    }
    Ok(())
}

fn call(call: &Value) -> Value {
    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
    let input = serde_json::from_str::<Value>(arguments).ok().filter(Value::is_object);
    let input = input.unwrap_or_else(|| json!({"INVALID_JSON": arguments}));
    json!({"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": input})
}

/// A content that is a text, or has texts among its parts.
fn text(content: &Value) -> String {
    match content.as_array() {
        Some(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        None => content.as_str().unwrap_or_default().to_owned(),
    }
}

/// The protocol's word for why an answer stops.
fn finish_reason(answer: &Answer) -> &'static str {
    match answer.stop_reason {
        "tool_use" => "tool_calls",
        "max_tokens" => "length",
        _ => "stop",
    }
}

fn usage() -> Value {
    json!({"prompt_tokens": 25, "completion_tokens": 89, "total_tokens": 114})
}

/// How a piece of a block is spelt.
type Spelling = Box<dyn Fn(&str) -> Value + Send>;

/// An answer as chunks.
pub(super) fn of_answer(answer: Answer, id: &str, faults: &[FaultKind], has_usage: bool) -> Frames {
    let reason = finish_reason(&answer);
    let id = format!("chatcmpl-{id}");
    let chunk = move |choices: Value, usage: Value| {
        frame(&json!({"id": id, "object": "chat.completion.chunk", "created": 1, "model": "scripted",
            "choices": choices, "usage": usage}))
    };
    let choice = |delta: Value, reason: Value| json!([{"index": 0, "delta": delta, "finish_reason": reason}]);
    let start = chunk(choice(json!({"role": "assistant", "content": ""}), Value::Null), Value::Null);
    let mut end = vec![chunk(choice(json!({}), json!(reason)), Value::Null)];
    if has_usage {
        end.push(chunk(json!([]), usage()));
    }
    end.push(Frame { text: "data: [DONE]\n\n".to_owned(), kind: FrameKind::End });
    let last = answer.blocks.len().saturating_sub(1);
    let mut calls = 0;
    let body = answer.blocks.into_iter().enumerate().flat_map(move |(index, block)| {
        let (begun, text, delta): (_, _, Spelling) = match block {
            Block::Thinking(text) => (None, text, Box::new(|piece| json!({"reasoning_content": piece}))),
            Block::Text(text) => (None, text, Box::new(|piece| json!({"content": piece}))),
            Block::Tool { id, name, input } => {
                let at = calls;
                calls += 1;
                let begun =
                    json!({"index": at, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
                let delta = move |piece: &str| json!({"tool_calls": [{"index": at, "function": {"arguments": piece}}]});
                // A function has arguments even if it takes none.
                let input = if input.is_empty() { "{}".to_owned() } else { input };
                (Some(json!({"tool_calls": [begun]})), input, Box::new(delta))
            }
        };
        let begun = begun.map(|delta| chunk(choice(delta, Value::Null), Value::Null));
        let chunk = chunk.clone();
        let grown = pieces(text, index == last)
            .map(move |(piece, kind)| Frame { kind, ..chunk(choice(delta(&piece), Value::Null), Value::Null) });
        begun.into_iter().chain(grown)
    });
    let frames: Frames = Box::new(iter::once(start).chain(body).chain(end));
    let error = |message: &str| frame(&json!({"error": {"message": message, "type": "server_error", "code": null}}));
    faults.iter().fold(frames, |frames, fault| struck(frames, *fault, error))
}

/// An answer as one JSON text.
pub(super) fn of_whole(answer: &Answer, id: &str) -> String {
    let mut message = json!({"role": "assistant", "content": null, "refusal": null});
    let mut calls = Vec::new();
    for block in &answer.blocks {
        match block {
            Block::Thinking(text) => message["reasoning_content"] = json!(text),
            Block::Text(text) => {
                message["content"] = json!(format!("{}{text}", message["content"].as_str().unwrap_or_default()));
            }
            Block::Tool { id, name, input } => {
                let input = if input.is_empty() { "{}" } else { input };
                calls.push(json!({"id": id, "type": "function", "function": {"name": name, "arguments": input}}));
            }
        }
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    json!({
        "id": format!("chatcmpl-{id}"), "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason(answer), "logprobs": null}],
        "usage": usage()
    })
    .to_string()
}

/// A refusal as this protocol spells it.
pub(super) fn error(refusal: &Refusal) -> Value {
    json!({"error": {"message": refusal.message, "type": refusal.kind(), "param": null, "code": null}})
}

fn frame(data: &Value) -> Frame {
    Frame { text: format!("data: {data}\n\n"), kind: FrameKind::Other }
}
