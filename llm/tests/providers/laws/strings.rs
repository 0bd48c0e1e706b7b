//! Nothing vanishes: each string of eight or more characters of an event that is not an id appears in something that
//! was reported, or its member is in a list, with the reason.

use std::cell::OnceCell;
use std::collections::HashSet;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jsonspigot_llm::Provider;
use serde_json::Value;

use super::damage::Damage;
use super::told::Told;

/// The members whose strings need not be reported: the provider, the end of the path (of names alone), and why.
const LEFT_OUT: &[(&str, &str, &str)] = &[
    ("*", "index", "where a block stands, which some servers send as a string"),
    ("*", "type", "what kind of event or part it is, which is the kind of what is reported"),
    ("*", "event_type", "the same"),
    ("*", "object", "the same"),
    ("*", "status", "how far it has come, which the events say"),
    ("*", "role", "the assistant's, or the event is not about the answer"),
    ("*", "obfuscation", "padding"),
    ("*", "p", "padding"),
    ("*", "system_fingerprint", "of the server's configuration"),
    ("*", "timings.*", "how long it took"),
    ("*", "cost.*", "what it costs, in whatever is counted"),
    ("openai-chat", "copilot_usage.*", "the same"),
    ("*", "service_tier", "of the request"),
    ("ollama", "created_at", "a time"),
    ("claude-code", "timestamp", "a time"),
    ("claude-code", "uuid", "an id"),
    ("claude-code", "message.usage.*", "of one message as it begins: the turn's result has the counts"),
    ("mistral-conversations", "created_at", "a time"),
    ("gemini", "createTime", "a time"),
    ("gemini", "interaction.created", "a time"),
    ("gemini", "interaction.updated", "a time"),
    ("gemini", "partialArgs.jsonPath", "where a value stands in the arguments, which are reported"),
    ("gemini", "partialArgs.nullValue", "that the value is null, as which it is reported"),
    ("openai-responses", "response.tools.*", "of the request, which the response repeats"),
    ("openai-responses", "instructions", "of the request"),
    ("openai-responses", "response.truncation", "of the request"),
    ("openai-responses", "response.prompt_cache_retention", "of the request"),
    ("openai-responses", "response.tool_choice", "of the request"),
    ("openai-responses", "response.reasoning.*", "of the request"),
    ("openai-responses", "response.text.*", "of the request"),
    ("openai-responses", "delta.hologram", "a piece of an output, which the item has once it is done"),
    ("openai-responses", "response.metadata.*", "of the request"),
    ("openai-responses", "response.tool_usage.*", "counts that are not all"),
    ("openai-responses", "session.*", "of the request"),
    ("openai-responses", "rate_limits.*", "of the account"),
    ("openai-responses", "conversation.*", "an id"),
    ("openai-chat", "x_groq.usage.*", "the counts once more"),
    ("gemini", "setupComplete.*", "an id"),
    ("bedrock", "metrics.*", "how long it took"),
    ("*", "caller.*", "who calls: the model, or code of its own"),
    ("mcp", "method", "what kind of message it is"),
    ("*", "model", "the first one of a message is its model"),
    ("gemini", "modelVersion", "the same"),
    ("openai-chat", "provider", "where a gateway has sent the request"),
    ("*", "format", "of a sound, or the kind of a signature"),
    ("*", "server_label", "whose tool it is that is called"),
    ("anthropic", "server_name", "the same"),
    ("anthropic", "index", "where a block stands"),
    ("claude-code", "subagent_type", "of the call that has started the agent"),
    ("claude-code", "task_description", "the same"),
    ("claude-code", "event.message.content.text", "a block repeats it, or the message is incomplete"),
    ("ag-ui", "subtype", "the kind of what is signed"),
    ("openai-responses", "phase", "of a block, which begins with its first text"),
    ("openai-responses", "size", "of an image that has it"),
    ("openai-responses", "encrypted_content", "each repetition encrypts the same anew, and the last is reported"),
];

#[test]
fn the_list_is_short() {
    assert!(LEFT_OUT.len() <= 60);
}

fn is_left_out(provider: Provider, path: &[&str]) -> bool {
    LEFT_OUT.iter().any(|(of, member, _)| {
        let within = member.strip_suffix(".*");
        let member: Vec<&str> = within.unwrap_or(member).split('.').collect();
        let is_so =
            if within.is_some() { path.windows(member.len()).any(|at| at == member) } else { path.ends_with(&member) };
        ["*", provider.name()].contains(of) && is_so
    })
}

/// Returns true for an id, or a list of them.
fn is_id(name: &str) -> bool {
    let name = name.trim_end_matches('s');
    name == "id" || name.ends_with("_id") || name.ends_with("Id") || name.ends_with("ID")
}

/// Visits each string of an event, with the names that lead to it.
fn each<'v>(value: &'v Value, path: &mut Vec<&'v str>, found: &mut dyn FnMut(&[&'v str], &'v str)) {
    match value {
        Value::String(text) => found(path, text),
        Value::Array(elements) => elements.iter().for_each(|element| each(element, path, found)),
        Value::Object(members) => {
            for (name, value) in members {
                path.push(name);
                each(value, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

/// The reports, for searching.
struct Haystack {
    spelt: String,
    /// The same with the strings of all JSON as they read, made if it is asked for.
    read: OnceCell<String>,
}

impl Haystack {
    fn has(&self, text: &str) -> bool {
        let quoted = serde_json::to_string(text).unwrap();
        self.spelt.contains(text)
            || self.spelt.contains(&quoted[1..quoted.len() - 1])
            || self.read.get_or_init(|| read(&self.spelt)).contains(text)
            || self.has_json(text)
    }

    /// Returns true for JSON that was reported in another spelling.
    fn has_json(&self, text: &str) -> bool {
        let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(text) else {
            return false;
        };
        let mut is_reported = true;
        each(&value, &mut Vec::new(), &mut |_, text| is_reported &= self.has(text));
        is_reported
    }
}

/// Returns the strings in lines of JSON, and those in strings that are JSON.
fn read(lines: &str) -> String {
    fn add(text: &str, found: &mut String) {
        found.push_str(text);
        found.push('\n');
        if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(text) {
            each(&value, &mut Vec::new(), &mut |_, text| add(text, found));
        }
    }
    let mut found = String::new();
    lines.lines().for_each(|line| add(line, &mut found));
    found
}

pub(super) fn check((provider, damage): (Provider, &Damage), events: &[String], told: &Told, faults: &mut Vec<String>) {
    // Text that the damage removed, and that a repetition of a reported part still has.
    let mut taken = HashSet::new();
    if let Damage::Retype { was, .. } = damage {
        each(was, &mut Vec::new(), &mut |_, text| {
            taken.insert(text);
        });
    }

    let haystack = Haystack { spelt: told.haystack(), read: OnceCell::new() };
    let mut seen = HashSet::new();
    for (number, event) in (1..).zip(events) {
        // A fragment that was dropped is an error of its own.
        if told.dropped.contains(&number) {
            continue;
        }
        let Ok(mut event) = serde_json::from_str::<Value>(event) else { continue };
        for at in ["/chunk/bytes", "/bytes"] {
            let bytes = event.pointer(at).and_then(Value::as_str).and_then(|text| BASE64_STANDARD.decode(text).ok());
            if let Some(bytes) = bytes
                && let Ok(text) = String::from_utf8(bytes)
            {
                *event.pointer_mut(at).unwrap() = serde_json::from_str(&text).unwrap_or(Value::String(text));
            }
        }
        each(&event, &mut Vec::new(), &mut |path, text| {
            let name = path.last().copied().unwrap_or_default();
            // Values by path end with the first that does not fit the others: the call is malformed.
            if name == "stringValue" && !told.wrong.is_empty() {
                return;
            }
            if text.chars().count() < 8
                || is_id(name)
                || is_left_out(provider, path)
                || text.ends_with("_UNSPECIFIED")
                || taken.contains(text)
                || !seen.insert(text.to_owned())
            {
                return;
            }
            if !haystack.has(text) {
                faults.push(format!("vanished: {} {} {:.60?}", provider.name(), path.join("."), text));
            }
        });
    }
}
