//! A second reader of the recordings: plain joins over `serde_json::Value`, nothing shared with the library.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::fixtures::{TABLE, recorded};
use super::support::{events_of, everything, read_bytes};

/// A call as plain joins see it.
#[derive(Debug, Default)]
struct Joined {
    id: String,
    name: String,
    text: String,
    /// An input that arrived whole, or by paths.
    value: Value,
}

impl Joined {
    fn new(id: &Value, name: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Self { id: text(id), name: text(name), ..Self::default() }
    }

    /// Returns the arguments: the text if there is any, else the other input, else `{}`.
    fn arguments(&self) -> Result<Value, String> {
        if !self.text.is_empty() {
            return serde_json::from_str(&self.text).map_err(|_| self.text.clone());
        }
        Ok(if self.value.is_null() { Value::Object(Map::new()) } else { self.value.clone() })
    }
}

fn str_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn anthropic(events: &[Value]) -> Vec<Joined> {
    let (mut calls, mut slots) = (Vec::new(), BTreeMap::new());
    for event in events {
        match str_of(&event["type"]) {
            "message_start" => {
                slots.clear();
                for block in event["message"]["content"].as_array().unwrap() {
                    calls.push(Joined { value: block["input"].clone(), ..Joined::new(&block["id"], &block["name"]) });
                }
            }
            "content_block_start" if event["content_block"].get("input").is_some() => {
                slots.insert(event["index"].as_u64(), calls.len());
                let block = &event["content_block"];
                calls.push(Joined { value: block["input"].clone(), ..Joined::new(&block["id"], &block["name"]) });
            }
            "content_block_delta" if event["delta"]["type"] == "input_json_delta" => {
                let call: &mut Joined = &mut calls[slots[&event["index"].as_u64()]];
                call.text += str_of(&event["delta"]["partial_json"]);
            }
            _ => {}
        }
    }
    calls
}

/// Joins the calls of a recording, one an index, except that one has no index.
fn chat(events: &[Value]) -> Vec<Joined> {
    let mut calls = Vec::<Joined>::new();
    let entries = events.iter().flat_map(|event| event["choices"].as_array().unwrap());
    for entry in entries.filter_map(|choice| choice["delta"]["tool_calls"].as_array()).flatten() {
        let index = entry["index"].as_u64().unwrap_or_default() as usize;
        if index == calls.len() {
            calls.push(Joined::new(&entry["id"], &entry["function"]["name"]));
        }
        calls[index].text += str_of(&entry["function"]["arguments"]);
    }
    calls
}

fn bedrock(events: &[Value]) -> Vec<Joined> {
    let (mut calls, mut slots) = (Vec::<Joined>::new(), BTreeMap::new());
    for event in events {
        if let Some(tool) = event["contentBlockStart"]["start"].get("toolUse") {
            slots.insert(event["contentBlockStart"]["contentBlockIndex"].as_u64(), calls.len());
            calls.push(Joined::new(&tool["toolUseId"], &tool["name"]));
        }
        if let Some(tool) = event["contentBlockDelta"]["delta"].get("toolUse") {
            let slot = slots[&event["contentBlockDelta"]["contentBlockIndex"].as_u64()];
            calls[slot].text += str_of(&tool["input"]);
        }
    }
    calls
}

fn cohere(events: &[Value]) -> Vec<Joined> {
    let mut calls = Vec::<Joined>::new();
    for event in events {
        let call = &event["delta"]["message"]["tool_calls"];
        match str_of(&event["type"]) {
            "tool-call-start" => calls.push(Joined::new(&call["id"], &call["function"]["name"])),
            "tool-call-delta" => {
                let index = event["index"].as_u64().unwrap() as usize;
                calls[index].text += str_of(&call["function"]["arguments"]);
            }
            _ => {}
        }
    }
    calls
}

fn responses(events: &[Value]) -> Vec<Joined> {
    let (mut calls, mut slots) = (Vec::<Joined>::new(), BTreeMap::new());
    for event in events {
        match str_of(&event["type"]) {
            "response.output_item.added" => {
                slots.insert(event["output_index"].as_u64(), calls.len());
                calls.push(Joined::new(&event["item"]["call_id"], &event["item"]["name"]));
            }
            "response.custom_tool_call_input.delta" => {
                calls[slots[&event["output_index"].as_u64()]].text += str_of(&event["delta"]);
            }
            _ => {}
        }
    }
    calls
}

fn gemini(events: &[Value]) -> Vec<Joined> {
    let mut calls = Vec::<Joined>::new();
    let parts = events.iter().flat_map(|event| event["candidates"][0]["content"]["parts"].as_array().unwrap());
    for call in parts.filter_map(|part| part.get("functionCall")) {
        if call.get("name").is_some() {
            calls.push(Joined::new(&call["id"], &call["name"]));
        }
        for arg in call.get("partialArgs").and_then(Value::as_array).into_iter().flatten() {
            let place = place(&mut calls.last_mut().unwrap().value, str_of(&arg["jsonPath"]));
            match arg.get("stringValue") {
                Some(piece) => *place = Value::String(format!("{}{}", str_of(place), str_of(piece))),
                None => *place = arg["numberValue"].clone(),
            }
        }
    }
    calls
}

/// Returns the place of a path of the form `$.a.b[0]`, which is made on the way.
fn place<'a>(root: &'a mut Value, path: &str) -> &'a mut Value {
    let steps = path.strip_prefix("$.").unwrap().split(['.', '[']);
    steps.fold(root, |value, step| match step.strip_suffix(']') {
        Some(index) => {
            let index: usize = index.parse().unwrap();
            if value.is_null() {
                *value = Value::Array(Vec::new());
            }
            let list = value.as_array_mut().unwrap();
            if list.len() == index {
                list.push(Value::Null);
            }
            &mut list[index]
        }
        None => &mut value[step],
    })
}

pub(crate) fn plain_joins_agree_on_every_recorded_call() {
    for (file, _) in TABLE {
        let bytes = recorded(file);
        let events: Vec<Value> =
            events_of(&bytes).iter().filter_map(|event| serde_json::from_str(event).ok()).collect();
        let joined = match file.split('/').next().unwrap() {
            "anthropic" => anthropic(&events),
            "openai-chat" | "compat" => chat(&events),
            "openai-responses" => responses(&events),
            "gemini" => gemini(&events),
            "bedrock" => bedrock(&events),
            "cohere" => cohere(&events),
            other => panic!("no second reader for {other}"),
        };
        let log = read_bytes(everything(), &bytes, &[]);
        assert_eq!(log.calls.len(), joined.len(), "{file}");
        for (call, joined) in log.calls.iter().zip(joined) {
            assert_eq!((&call.id, &call.name), (&joined.id, &joined.name), "{file}");
            match (joined.arguments(), call.value.as_deref()) {
                (Ok(value), Some(told)) => {
                    assert_eq!(serde_json::from_str::<Value>(told).unwrap(), value, "{file}");
                }
                (Err(text), None) => assert_eq!(call.raw, text, "{file}"),
                (joined, told) => panic!("{file}: {joined:?} against {told:?}"),
            }
        }
    }
}
