//! The law of the message: it is not there, or it has no empty block of text, no empty signature or reasoning, its
//! calls' arguments are JSON objects and those that were reported, no call is in it that was cut or malformed, or that
//! has no id of its own where results are found by ids; it does not end with reasoning, nor is it nothing else, and no
//! block has members of another kind.

use jsonspigot_llm::{Provider, ProviderStream};
use serde_json::{Value, json};

use super::super::going_back::read_back;
use super::told::{Call, Told};

/// Collects parts of the message that servers refuse.
fn refused(value: &Value, at: &str, faults: &mut Vec<String>) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| refused(element, at, faults)),
        Value::Object(members) => {
            let is_empty = |name: &str| members.get(name).is_some_and(|value| value == "");
            let is_signed = ["signature", "thoughtSignature"]
                .iter()
                .any(|name| members.get(*name).and_then(Value::as_str).is_some_and(|text| !text.is_empty()));
            for name in ["text", "thinking", "content", "reasoning", "reasoning_content", "tool_plan", "refusal"] {
                if is_empty(name) && !is_signed {
                    faults.push(format!("an empty {name} in {at}"));
                }
            }
            for name in ["signature", "thoughtSignature", "encrypted_content", "redactedContent", "data"] {
                if is_empty(name) {
                    faults.push(format!("an empty {name} in {at}"));
                }
            }
            for (name, value) in members {
                // A call's arguments or a result are the model's or the tool's.
                let written = [
                    "action",
                    "input",
                    "arguments",
                    "args",
                    "parameters",
                    "output",
                    "result",
                    "results",
                    "functionResponse",
                ];
                if !written.contains(&name.as_str()) {
                    refused(value, name, faults);
                }
            }
        }
        _ => {}
    }
}

/// Collects faults of the whole message that servers refuse: reasoning that nothing follows, ids, and blocks of two
/// kinds.
fn refused_as_a_whole(provider: Provider, message: &Value, faults: &mut Vec<String>) {
    let word = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let list = ["content", "parts"].iter().find_map(|name| message.get(*name)?.as_array()).or(message.as_array());
    let parts = list.map(Vec::as_slice).unwrap_or_default();
    let is_reasoning = |part: &Value| {
        let kinds = ["reasoning", "thinking", "redacted_thinking", "thought"];
        kinds.contains(&&*word(part, "type")) || part.get("reasoningContent").is_some() || part["thought"] == true
    };
    let has_calls = ["tool_calls", "function_call"].iter().any(|name| message.get(*name).is_some());
    if parts.last().is_some_and(is_reasoning) && !has_calls {
        faults.push("reasoning at the end".to_owned());
    }
    let is_of_responses = provider == Provider::OpenaiResponses;
    if is_of_responses && parts.windows(2).any(|pair| pair.iter().all(is_reasoning)) {
        faults.push("reasoning without what followed it".to_owned());
    }
    let beside = ["role", "reasoning", "reasoning_content", "reasoning_details", "thinking", "tool_plan"];
    if message.as_object().is_some_and(|members| members.keys().all(|name| beside.contains(&&**name))) {
        faults.push("nothing but reasoning".to_owned());
    }

    let mut ids = Vec::new();
    for part in parts.iter().chain(message["tool_calls"].as_array().into_iter().flatten()) {
        let (kind, is_listed) = (word(part, "type"), parts.is_empty() || !part["function"].is_null());
        if let Some(call) = part.get("toolUse") {
            ids.push(call["toolUseId"].clone());
        } else if is_of_responses && ["function_call", "custom_tool_call"].contains(&&*kind) {
            ids.push(part["call_id"].clone());
        } else if kind.ends_with("tool_use") || kind == "function_call" || is_listed {
            ids.push(part["id"].clone());
        }
    }
    let needs_ids = !matches!(provider, Provider::Ollama | Provider::Dashscope | Provider::Cloudflare)
        && message["role"] != "CHATBOT"
        && message["role"] != "model";
    if needs_ids {
        let count = ids.len();
        ids.retain(|id| id.as_str().is_some_and(|id| !id.is_empty()));
        ids.sort_by_key(Value::to_string);
        ids.dedup();
        if ids.len() != count {
            faults.push(format!("{count} calls and the ids {ids:?}"));
        }
    }

    for part in parts {
        let kind = word(part, "type");
        let own = ["text", "thinking", "input"].into_iter().filter(|name| part.get(*name).is_some());
        let is_own = |name: &str| kind.ends_with(if name == "input" { "_use" } else { name });
        let is_typed = matches!(provider, Provider::Anthropic | Provider::Cohere);
        if is_typed && (kind.is_empty() || !own.clone().all(is_own)) {
            faults.push(format!("a block of type {kind:?} with {:?}", own.collect::<Vec<_>>()));
        }
        if provider == Provider::Bedrock && kind.is_empty() && part.as_object().is_some_and(|part| part.len() > 1) {
            faults.push("a block of two kinds".to_owned());
        }
    }
}

pub(super) fn check(provider: Provider, stream: &ProviderStream, told: &Told, faults: &mut Vec<String>) {
    let calls = || told.calls[told.first_of_message..].iter().filter(|call| call.choice == 0);
    for (name, message) in [("message", stream.message()), ("text alone", stream.message_without_calls())] {
        let Some(message) = message else { continue };
        let message: Value = match serde_json::from_str(&message) {
            Ok(message) => message,
            Err(error) => {
                faults.push(format!("{name}: {error}: {message}"));
                continue;
            }
        };
        // A server's empty arguments go back as an object.
        let value = |call: &Call| call.value.clone().map(|value| if value.is_null() { json!({}) } else { value });
        let mut found = Vec::new();
        refused(&message, name, &mut found);
        refused_as_a_whole(provider, &message, &mut found);
        let is_claude_s = provider == Provider::Bedrock && message["content"][0].get("type").is_some();
        let mut back = read_back(if is_claude_s { Provider::Anthropic } else { provider }, &message);
        if let Some(call) = message.get("function_call") {
            let arguments = serde_json::from_str(call["arguments"].as_str().unwrap_or_default()).unwrap_or_default();
            back.calls.push((call["name"].as_str().unwrap_or_default().to_owned(), arguments));
        }
        if name == "text alone" {
            if !back.calls.is_empty() {
                found.push(format!("calls {:?}", back.calls));
            }
        } else {
            for call in calls().filter(|call| !["complete", "empty", "raw"].contains(&call.status)) {
                found.push(format!("a call that is {}", call.status));
            }
            for (name, arguments) in &back.calls {
                if !arguments.is_object() {
                    found.push(format!("arguments {arguments}"));
                }
                let is_it = |call: &&Call| call.name == *name && value(call).as_ref() == Some(arguments);
                if !told.calls.iter().any(|call| is_it(&call)) {
                    found.push(format!("a call that was not reported: {name} {arguments}"));
                }
            }
            for call in calls().filter(|call| call.is_client_s && call.value.is_some() && !call.name.is_empty()) {
                let is_back =
                    |(name, arguments): &(String, Value)| *name == call.name && Some(arguments) == value(call).as_ref();
                let is_there =
                    back.calls.iter().any(is_back) || message.to_string().contains(&call.id) && !call.id.is_empty();
                if !is_there {
                    found.push(format!("the call {} {:?} is missing", call.name, call.value));
                }
            }
        }
        faults.extend(found.into_iter().map(|fault| format!("{name}: {fault}: {:.400}", message.to_string())));
    }
}
