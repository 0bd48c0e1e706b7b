//! What the real service refuses, refused here: headers, roles, schema, and tool calls without their one result.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use axum::http::HeaderMap;
use chrono::NaiveDate;
use jsonschema::Validator;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A request that was found in order.
#[derive(Debug, Deserialize)]
pub(super) struct Request {
    #[serde(default, deserialize_with = "joined")]
    pub(super) system: String,
    pub(super) messages: Vec<Message>,
    #[serde(default)]
    pub(super) tools: Vec<Tool>,
    pub(super) tool_choice: Option<Choice>,
    #[serde(default)]
    pub(super) stream: bool,
    thinking: Option<Kind>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) role: String,
    pub(super) content: Content,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(default, deserialize_with = "joined")]
        content: String,
        is_error: Option<bool>,
    },
    /// What a script has no use for: a thought that is sent back.
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct Tool {
    pub(super) name: String,
    /// The service's own tools have none.
    input_schema: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    #[serde(rename = "type")]
    kind: String,
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: String,
}

/// A text, or the texts of a list of blocks.
fn joined<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Text {
        Whole(String),
        Parts(Vec<Part>),
    }
    #[derive(Deserialize)]
    struct Part {
        #[serde(default)]
        text: String,
    }
    Ok(match Text::deserialize(deserializer)? {
        Text::Whole(text) => text,
        Text::Parts(parts) => parts.into_iter().map(|part| part.text).collect::<Vec<_>>().join("\n"),
    })
}

impl Request {
    /// The tool that has to be called: by its name, or the first one where any will do.
    pub(super) fn forced(&self) -> Option<&str> {
        let choice = self.tool_choice.as_ref()?;
        match (choice.kind.as_str(), self.tools.as_slice()) {
            ("tool", _) => choice.name.as_deref(),
            ("any", [first, ..]) => Some(first.name.as_str()),
            _ => None,
        }
    }

    /// Whether a tool may be called at all.
    pub(super) fn may_call(&self) -> bool {
        self.tool_choice.as_ref().is_none_or(|choice| choice.kind != "none")
    }

    /// Whether the answer is to begin with a thought.
    pub(super) fn thinks(&self) -> bool {
        self.thinking.as_ref().is_some_and(|thinking| thinking.kind != "disabled")
    }
}

impl Message {
    pub(super) fn blocks(&self) -> &[Block] {
        match &self.content {
            Content::Text(_) => &[],
            Content::Blocks(blocks) => blocks,
        }
    }

    /// Its last text: those before it, in one message, came to no answer.
    pub(super) fn last_text(&self) -> Option<String> {
        match &self.content {
            Content::Text(text) => Some(text.clone()),
            Content::Blocks(blocks) => blocks.iter().rev().find_map(Block::text).map(str::to_owned),
        }
    }

    /// Its texts, joined; `None` if it has none.
    pub(super) fn text(&self) -> Option<String> {
        if let Content::Text(text) = &self.content {
            return Some(text.clone());
        }
        let texts: Vec<&str> = self.blocks().iter().filter_map(Block::text).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}

impl Block {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }
}

/// A refusal: status, the error's type, and its words.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self { status: 400, message: message.into() }
    }

    /// The type that the service gives a status.
    pub(super) fn kind(&self) -> &'static str {
        match self.status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            504 => "timeout_error",
            529 => "overloaded_error",
            400..500 => "invalid_request_error",
            _ => "api_error",
        }
    }
}

pub(super) fn headers(headers: &HeaderMap) -> Result<(), Refusal> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // The name of a scheme is the same in upper and lower case.
    let bearer = text("authorization").split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    if text("x-api-key").is_empty() && bearer.is_none_or(|(_, key)| key.trim().is_empty()) {
        return Err(Refusal { status: 401, message: "x-api-key: header is required".to_owned() });
    }
    match text("anthropic-version") {
        "" => return Err(Refusal::invalid("anthropic-version: header is required")),
        version if version.len() == 10 && NaiveDate::parse_from_str(version, "%Y-%m-%d").is_ok() => {}
        other => return Err(Refusal::invalid(format!("anthropic-version: \"{other}\" is not a valid version"))),
    }
    if !text("content-type").starts_with("application/json") {
        return Err(Refusal::invalid("content-type: expected application/json"));
    }
    Ok(())
}

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(include_str!("request.schema.json")).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is a schema")
});

pub(super) fn json(bytes: &[u8]) -> Result<Value, Refusal> {
    serde_json::from_slice(bytes)
        .map_err(|error| Refusal::invalid(format!("the request body is not valid JSON: {error}")))
}

pub(super) fn body(value: Value) -> Result<(Request, Value), Refusal> {
    if let Some(error) = SCHEMA.iter_errors(&value).next() {
        let place = error.instance_path().to_string().trim_start_matches('/').replace('/', ".");
        return Err(Refusal::invalid(if place.is_empty() { error.to_string() } else { format!("{place}: {error}") }));
    }
    let request = Request::deserialize(&value).map_err(|error| Refusal::invalid(error.to_string()))?;
    tools(&request)?;
    conversation(&request.messages)?;
    Ok((request, value))
}

fn tools(request: &Request) -> Result<(), Refusal> {
    let mut names = HashSet::new();
    for (index, tool) in request.tools.iter().enumerate() {
        if !names.insert(tool.name.as_str()) {
            return Err(Refusal::invalid("tools: Tool names must be unique."));
        }
        if let Some(Err(error)) = tool.input_schema.as_ref().map(jsonschema::validator_for) {
            return Err(Refusal::invalid(format!("tools.{index}.input_schema: JSON schema is invalid: {error}")));
        }
    }
    if request.tools.is_empty() && request.tool_choice.as_ref().is_some_and(|choice| choice.kind == "any") {
        return Err(Refusal::invalid("tool_choice: may only be specified while providing tools"));
    }
    match request.forced() {
        Some(name) if !names.contains(name) => {
            Err(Refusal::invalid(format!("tool_choice: Tool '{name}' not found in provided tools")))
        }
        _ => Ok(()),
    }
}

/// The user begins and has the last word, the two take turns, and each call has its one result in the next message.
fn conversation(messages: &[Message]) -> Result<(), Refusal> {
    let mut known = HashSet::new();
    let mut asked: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let invalid = |words: String| Err(Refusal::invalid(format!("messages.{at}{words}")));
        let expected = if at % 2 == 0 { "user" } else { "assistant" };
        if message.role != expected {
            return invalid(format!(".role: expected \"{expected}\": roles must alternate"));
        }
        results(at, message, &asked)?;
        asked.clear();
        for block in message.blocks() {
            let Block::ToolUse { id, .. } = block else { continue };
            if message.role == "user" {
                return invalid(": `tool_use` blocks can only be in `assistant` messages".to_owned());
            }
            if !known.insert(id.as_str()) {
                return invalid(format!(": `tool_use` ids must be unique: {id}"));
            }
            asked.push(id);
        }
    }
    match messages.last() {
        Some(last) if last.role == "assistant" => {
            Err(Refusal::invalid("messages: the conversation must end with a user message"))
        }
        _ => Ok(()),
    }
}

fn results(at: usize, message: &Message, asked: &[&str]) -> Result<(), Refusal> {
    let invalid = |at: usize, words: String| Err(Refusal::invalid(format!("messages.{at}: {words}")));
    let mut answers: HashMap<&str, usize> = asked.iter().map(|&id| (id, 0)).collect();
    let mut is_behind_text = false;
    for block in message.blocks() {
        let Block::ToolResult { tool_use_id: id, .. } = block else {
            is_behind_text = true;
            continue;
        };
        if message.role != "user" {
            return invalid(at, "`tool_result` blocks can only be in `user` messages".to_owned());
        }
        if is_behind_text {
            return invalid(at, "`tool_result` blocks must come first".to_owned());
        }
        match answers.get_mut(id.as_str()) {
            Some(count) => *count += 1,
            None => return invalid(at, format!("unexpected `tool_use_id` found in `tool_result` blocks: {id}")),
        }
    }
    for &id in asked {
        let (at, words) = match answers[id] {
            1 => continue,
            0 => (at - 1, "`tool_use` ids were found without `tool_result` blocks immediately after"),
            _ => (at, "each `tool_use` must have a single result. Found multiple `tool_result` blocks with id"),
        };
        return invalid(at, format!("{words}: {id}"));
    }
    Ok(())
}
