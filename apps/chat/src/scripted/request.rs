//! A request as the scenes see it, and the refusals of the real service: headers, roles, and tool calls without exactly
//! one result.

use std::collections::HashSet;

use axum::http::HeaderMap;
use chrono::NaiveDate;
use serde::Deserialize;
use serde_json::Value;

use super::directives::Directives;

/// A request that is in order.
#[derive(Debug, Deserialize)]
pub(super) struct Request {
    #[serde(default)]
    system: String,
    messages: Vec<Message>,
    #[serde(default)]
    tools: Vec<Tool>,
    tool_choice: Option<Tool>,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: String,
    content: Vec<Part>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part {
    Text {
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
    },
    ToolResult {
        tool_use_id: String,
        content: String,
        #[serde(default)]
        is_error: bool,
    },
}

#[derive(Debug, Deserialize)]
struct Tool {
    name: String,
}

/// A refusal: its status and its message.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) message: String,
}

impl Refusal {
    fn invalid(message: impl Into<String>) -> Self {
        Self { status: 400, message: message.into() }
    }

    /// Returns the error type that the service sends with the status.
    pub(super) fn kind(&self) -> &'static str {
        match self.status {
            401 => "authentication_error",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            400..500 => "invalid_request_error",
            _ => "api_error",
        }
    }
}

impl Request {
    /// Reads a request; refuses it as the real service would.
    pub(super) fn read(headers: &HeaderMap, body: &[u8]) -> Result<(Self, Value), Refusal> {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if header("x-api-key").is_empty() {
            return Err(Refusal { status: 401, message: "x-api-key: header is required".to_owned() });
        }
        if header("anthropic-version").is_empty() || !header("content-type").starts_with("application/json") {
            return Err(Refusal::invalid("anthropic-version and content-type: headers are required"));
        }
        let invalid = |error: serde_json::Error| Refusal::invalid(error.to_string());
        let value: Value = serde_json::from_slice(body).map_err(invalid)?;
        let request = Self::deserialize(&value).map_err(invalid)?;
        if value["stream"] != true || !value["max_tokens"].is_u64() || !value["model"].is_string() {
            return Err(Refusal::invalid("model, max_tokens and stream are required"));
        }
        if let Some(forced) = &request.tool_choice
            && request.tools.iter().all(|tool| tool.name != forced.name)
        {
            return Err(Refusal::invalid(format!("tool_choice: Tool '{}' not found in provided tools", forced.name)));
        }
        check(&request.messages)?;
        Ok((request, value))
    }
}

/// Checks that the roles alternate, that ids are unique, and that each call has one result in the next message.
fn check(messages: &[Message]) -> Result<(), Refusal> {
    let (mut known, mut open) = (HashSet::new(), HashSet::new());
    for (at, message) in messages.iter().enumerate() {
        let invalid = |words: &str| Err(Refusal::invalid(format!("messages.{at}: {words}")));
        let is_user = at % 2 == 0;
        if (message.role == "user") != is_user || message.content.is_empty() {
            return invalid("roles must alternate, and content must not be empty");
        }
        let mut is_behind_text = false;
        for part in &message.content {
            match part {
                Part::ToolUse { id, .. } if is_user || !known.insert(id.as_str()) || !open.insert(id.as_str()) => {
                    return invalid("`tool_use` ids must be unique and in `assistant` messages");
                }
                Part::ToolResult { tool_use_id, .. } if is_behind_text || !open.remove(tool_use_id.as_str()) => {
                    return invalid("`tool_result` blocks must come first, one for each `tool_use` before");
                }
                Part::Text { .. } => is_behind_text = true,
                _ => {}
            }
        }
        if is_user && !open.is_empty() {
            return invalid("`tool_use` ids were found without `tool_result` blocks immediately after");
        }
    }
    match messages.len() % 2 {
        1 => Ok(()),
        _ => Err(Refusal::invalid("messages: the conversation must end with a user message")),
    }
}

/// A tool's result: the tool's name, the content, and whether it is an error.
pub(super) type ToolResult<'r> = (&'r str, &'r str, bool);

/// The turn that a request belongs to.
#[derive(Debug)]
pub(super) struct Turn<'r> {
    pub(super) system: &'r str,
    /// The last user text.
    pub(super) line: String,
    /// That text without directives.
    pub(super) text: String,
    /// The user texts before it.
    pub(super) earlier: Vec<String>,
    /// The tools' results since.
    pub(super) results: Vec<ToolResult<'r>>,
    /// The results in the same message before the text: the turn they belong to did not come to an answer.
    pub(super) unanswered: Vec<ToolResult<'r>>,
    /// The number of this answer to the text, from 1.
    pub(super) round: usize,
    pub(super) forced: bool,
    tools: &'r [Tool],
    /// The number of calls in the conversation.
    pub(super) calls: usize,
}

impl<'r> Turn<'r> {
    pub(super) fn new(request: &'r Request) -> Self {
        let (mut names, mut texts) = (Vec::new(), Vec::new());
        let (mut results, mut unanswered, mut round) = (Vec::new(), Vec::new(), 1);
        for message in &request.messages {
            let (mut said, mut has_results) = (Vec::new(), false);
            for part in &message.content {
                match part {
                    Part::ToolUse { id, name } => names.push((id, name.as_str())),
                    Part::ToolResult { tool_use_id, content, is_error } => {
                        let name = names.iter().find(|(id, _)| *id == tool_use_id).map_or("", |(_, name)| name);
                        results.push((name, content.as_str(), *is_error));
                        has_results = true;
                    }
                    Part::Text { text } if message.role == "user" => said.push(text.as_str()),
                    Part::Text { .. } => {}
                }
            }
            round += usize::from(has_results);
            let Some(line) = said.last() else { continue };
            unanswered = std::mem::take(&mut results);
            if !has_results {
                unanswered.clear();
            }
            texts.push((*line).to_owned());
            round = 1;
        }
        let line = texts.pop().unwrap_or_default();
        Self {
            system: &request.system,
            text: Directives::without(&line),
            line,
            earlier: texts.iter().map(|text| Directives::without(text)).collect(),
            results,
            unanswered,
            round,
            forced: request.tool_choice.is_some(),
            tools: &request.tools,
            calls: names.len(),
        }
    }

    pub(super) fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    /// Returns true if the text is one of these lines, whatever its case and last punctuation mark.
    pub(super) fn is(&self, line: &str) -> bool {
        let plain = |text: &str| text.trim_end_matches(['.', '!', '?']).to_lowercase();
        plain(&self.text) == plain(line)
    }

    /// Returns the day that the prompt names.
    pub(super) fn today(&self) -> NaiveDate {
        let named = self.system.rsplit_once("oday is ").and_then(|(_, day)| day.get(..10)?.parse().ok());
        named.unwrap_or_default()
    }
}
