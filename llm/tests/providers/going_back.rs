//! The message for the next request: as the API of the provider takes it, with every value that was reported.

use jsonspigot_check::recorded;
use jsonspigot_llm::{CallEvent, Provider, ProviderStream, StreamEvent};
use serde_json::{Value, json};

use super::support::{events_of, events_of_file, everything};
use super::wire_files::inputs;

/// The reports about a stream's last message.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Said {
    text: String,
    reasoning: String,
    /// The parts that only the provider can read, in the order of the message.
    opaque: Vec<Value>,
    /// Names and arguments.
    pub(crate) calls: Vec<(String, Value)>,
}

/// Reads a stream. Returns the last message and what was reported of it.
fn read<E: AsRef<str>>(events: impl IntoIterator<Item = E>) -> (Option<Value>, Said, Option<Provider>) {
    let mut stream = ProviderStream::detecting(everything().build()).with_message();
    let (mut said, mut words) = (Said::default(), Vec::new());
    let mut on_event = |event: StreamEvent<'_>| match event {
        StreamEvent::MessageStart { .. } => {
            said = Said::default();
            words.clear();
        }
        StreamEvent::Text { choice, text, .. } => words.push((choice, true, text.into_owned())),
        StreamEvent::Reasoning { choice, text, .. } => words.push((choice, false, text.into_owned())),
        StreamEvent::Opaque(opaque) if !["container", "compaction"].contains(&opaque.kind.name()) => {
            said.opaque.push(serde_json::from_str(&opaque.json).unwrap());
        }
        StreamEvent::Call(CallEvent::End { call, input }) if call.choice == 0 => {
            let value = input.value().map(|value| serde_json::from_str(&value.to_string()).unwrap());
            let value = value.unwrap_or_else(|| Value::from(input.raw()));
            said.calls.push((call.name.unwrap_or_default().into_owned(), value));
        }
        _ => {}
    };
    for event in events {
        stream.push_with(event.as_ref(), &mut on_event);
    }
    stream.finish_with(&mut on_event);
    for (choice, is_text, words) in words {
        // The parts of a response are reported as answers.
        if choice == 0 || stream.provider().is_some_and(|provider| provider.name() == "openai-responses") {
            if is_text { &mut said.text } else { &mut said.reasoning }.push_str(&words);
        }
    }
    let message = stream.message().map(|message| serde_json::from_str(&message).expect("the message is JSON"));
    (message, said, stream.provider())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns an input as a value: some wires send it as a string.
fn arguments(value: &Value) -> Value {
    if value.is_null() {
        return json!({});
    }
    value.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone())
}

/// Reads a message as the provider's API defines it: the second reader, which shares nothing with the library.
pub(crate) fn read_back(provider: Provider, message: &Value) -> Said {
    let mut said = Said::default();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut found: Vec<Value> = Vec::new();
    let mut opaque = |value: &Value| {
        if !value.is_null() && value != "" {
            found.push(value.clone());
        }
    };
    match provider.name() {
        "anthropic" => {
            assert_eq!(message["role"], "assistant");
            for block in list(&message["content"]) {
                match text(&block["type"]) {
                    "text" => said.text.push_str(text(&block["text"])),
                    "thinking" => {
                        said.reasoning.push_str(text(&block["thinking"]));
                        opaque(&block["signature"]);
                    }
                    "redacted_thinking" => opaque(&block["data"]),
                    kind if kind.ends_with("tool_use") => {
                        said.calls.push((text(&block["name"]).to_owned(), block["input"].clone()));
                    }
                    _ => {}
                }
            }
        }
        "bedrock" => {
            assert_eq!(message["role"], "assistant");
            for block in list(&message["content"]) {
                said.text.push_str(text(&block["text"]));
                let reasoning = &block["reasoningContent"];
                said.reasoning.push_str(text(&reasoning["reasoningText"]["text"]));
                opaque(&reasoning["reasoningText"]["signature"]);
                opaque(&reasoning["redactedContent"]);
                if let Some(call) = block.get("toolUse") {
                    said.calls.push((text(&call["name"]).to_owned(), call["input"].clone()));
                }
            }
        }
        // An entry of the history: what is said is the plan, if there are calls.
        "cohere" if message["role"] == "CHATBOT" => {
            let calls = list(&message["tool_calls"]);
            let words = if calls.is_empty() { &mut said.text } else { &mut said.reasoning };
            words.push_str(text(&message["message"]));
            let of = |call: &Value| (text(&call["name"]).to_owned(), call["parameters"].clone());
            said.calls.extend(calls.iter().map(of));
        }
        "openai-chat" | "cohere" | "ollama" | "dashscope" | "cloudflare" => {
            assert_eq!(message["role"], "assistant");
            said.text.push_str(text(&message["content"]));
            let details = list(&message["reasoning_details"]);
            let detailed = details.iter().flat_map(|detail| [text(&detail["text"]), text(&detail["summary"])]);
            let detailed: String = detailed.collect();
            for name in ["reasoning", "reasoning_content", "tool_plan", "thinking"] {
                said.reasoning.push_str(text(&message[name]));
            }
            if detailed.len() > said.reasoning.len() {
                said.reasoning = detailed;
            }
            for part in list(&message["content"]) {
                said.text.push_str(text(&part["text"]));
                said.reasoning.push_str(text(&part["thinking"]));
                for thought in list(&part["thinking"]) {
                    said.reasoning.push_str(text(&thought["text"]));
                }
            }
            for detail in details {
                opaque(&detail["signature"]);
                opaque(if detail.get("data").is_some() { &detail } else { &Value::Null });
            }
            // The input of a custom tool is text.
            for call in list(&message["tool_calls"]).iter().filter(|call| call["type"] != "custom") {
                let function = &call["function"];
                said.calls.push((text(&function["name"]).to_owned(), arguments(&function["arguments"])));
                opaque(&call["extra_content"]["google"]["thought_signature"]);
            }
        }
        "openai-responses" => {
            for item in list(message) {
                for part in list(&item["content"]) {
                    said.text.push_str(text(&part["text"]));
                }
                for part in list(&item["summary"]) {
                    said.reasoning.push_str(text(&part["text"]));
                }
                if item["type"] == "reasoning" {
                    opaque(&item["encrypted_content"]);
                }
                if item["type"] == "function_call" {
                    said.calls.push((text(&item["name"]).to_owned(), arguments(&item["arguments"])));
                }
            }
        }
        _ if message.is_array() => {
            for step in list(message) {
                opaque(&step["signature"]);
                for part in list(&step["content"]) {
                    said.text.push_str(text(&part["text"]));
                }
                for part in list(&step["summary"]) {
                    said.reasoning.push_str(text(&part["text"]));
                }
                if let Some(tool) = text(&step["type"]).strip_suffix("_call") {
                    let name = step.get("name").map_or(tool, text);
                    said.calls.push((name.to_owned(), arguments(&step["arguments"])));
                }
            }
        }
        _ => {
            assert_eq!(message["role"], "model");
            for part in list(&message["parts"]) {
                let kind = if part["thought"] == true { &mut said.reasoning } else { &mut said.text };
                kind.push_str(text(&part["text"]));
                opaque(&part["thoughtSignature"]);
                let member = |name: &str| part.get(name).filter(|value| value.is_object());
                if let Some(call) = member("functionCall") {
                    said.calls.push((text(&call["name"]).to_owned(), arguments(&call["args"])));
                }
                if let Some(code) = member("executableCode") {
                    said.calls.push(("code_execution".to_owned(), code.clone()));
                }
                if let Some(call) = member("toolCall") {
                    said.calls.push((text(&call["toolType"]).to_owned(), arguments(&call["args"])));
                }
            }
        }
    }
    said.opaque = found;
    said
}

/// The formats that have no message to send back.
const WITHOUT_MESSAGE: [&str; 6] = ["ag-ui", "vercel-ui", "mcp", "claude-code", "codex", "mistral-conversations"];

/// Compares the message of a stream with the reports. Returns false if there is none.
fn check(name: &str, events: &[String]) -> bool {
    let (message, mut said, provider) = read(events);
    let Some(provider) = provider.filter(|provider| !WITHOUT_MESSAGE.contains(&provider.name())) else {
        assert_eq!(message, None, "{name}");
        return false;
    };
    let Some(message) = message else { return false };
    // Claude's own shape, where Bedrock passes on its events.
    let is_claude_s = provider.name() == "bedrock" && message["content"][0].get("type").is_some();
    let mut back = read_back(if is_claude_s { Provider::Anthropic } else { provider }, &message);
    if name.contains("openai-phase") {
        // Most of its deltas were left out of the recording.
        said.text.clone_from(&back.text);
    }
    match provider.name() {
        // Parts that the provider executes have shapes of their own there.
        "openai-responses" => {
            said.calls.retain(|(name, _)| back.calls.iter().any(|(back, _)| back == name));
        }
        "openai-chat" => said.calls.retain(|(name, _)| name != "web_search"),
        _ => {}
    }
    said.opaque.sort_by_key(Value::to_string);
    back.opaque.sort_by_key(Value::to_string);
    assert_eq!(back, said, "{name}: {message}");
    true
}

pub(crate) fn the_message_of_each_recording_holds_what_was_told() {
    let (mut count, mut opaque) = (0, 0);
    for name in recorded::streams() {
        let events = events_of_file(&name, &recorded::read(&name));
        let (message, said, _) = read(&events);
        let is_there = check(&name, &events);
        assert!(is_there || said.opaque.is_empty(), "{name}: {message:?}");
        count += usize::from(is_there);
        opaque += said.opaque.len();
    }
    assert!(count > 55 && opaque >= 20, "{count} messages, {opaque} signatures and the like");
}

#[test]
fn the_message_of_each_wire_file_holds_what_was_told() {
    let has_end = |name: &str| ["everything.txt", "normal.txt", "parallel.txt"].iter().any(|end| name.ends_with(end));
    let mut count = 0;
    for (name, input) in inputs().into_iter().filter(|(name, _)| has_end(name)) {
        count += usize::from(check(&name, &events_of(input.as_bytes())));
    }
    assert!(count > 25, "{count} messages");
}
