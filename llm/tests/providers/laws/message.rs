//! The law of the message: it is not there, or it has no empty block of text, no empty signature or reasoning, its calls'
//! arguments are JSON objects and those that were reported, and no call is in it that was cut or malformed.

use jsonspigot_llm::{Provider, ProviderStream};
use serde_json::{Value, json};

use super::super::going_back::read_back;
use super::told::{Call, Told};

/// What servers refuse in a value of the message.
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
                // What is in a call's arguments or a result is the model's or the tool's.
                if !["input", "arguments", "args", "parameters", "output", "result", "results", "functionResponse"]
                    .contains(&name.as_str())
                {
                    refused(value, name, faults);
                }
            }
        }
        _ => {}
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
        // What servers send for a tool without arguments goes back as an object.
        let value = |call: &Call| call.value.clone().map(|value| if value.is_null() { json!({}) } else { value });
        let mut found = Vec::new();
        refused(&message, name, &mut found);
        let is_claude_s = provider == Provider::Bedrock && message["content"][0].get("type").is_some();
        let back = read_back(if is_claude_s { Provider::Anthropic } else { provider }, &message);
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
