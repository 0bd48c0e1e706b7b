//! A request as the scenes see it.

use chrono::NaiveDate;
use serde::Deserialize;

use super::directives::Directives;
use crate::provider::{Block, Message, Role};

/// A request for an answer.
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
struct Tool {
    name: String,
}

/// Returns the calls' ids and names.
fn calls(messages: &[Message]) -> impl Iterator<Item = (&str, &str)> {
    messages.iter().flat_map(|message| &message.content).filter_map(|block| match block {
        Block::ToolUse { id, name, .. } => Some((id.as_str(), name.as_str())),
        _ => None,
    })
}

/// Returns the results: the calls' ids, the contents, and whether they are errors.
fn results(messages: &[Message]) -> impl Iterator<Item = (&str, &str, bool)> {
    messages.iter().flat_map(|message| &message.content).filter_map(|block| match block {
        Block::ToolResult { tool_use_id, content, is_error } => {
            Some((tool_use_id.as_str(), content.as_str(), *is_error))
        }
        _ => None,
    })
}

/// Returns the last text of a user's message.
fn said(message: &Message) -> Option<&str> {
    match message.content.last() {
        Some(Block::Text { text }) if message.role == Role::User => Some(text),
        _ => None,
    }
}

/// A tool's result: the tool's name, the content, and whether it is an error.
pub(super) type ToolResult<'r> = (&'r str, &'r str, bool);

/// The turn that a request belongs to.
#[derive(Debug)]
pub(super) struct Turn<'r> {
    pub(super) system: &'r str,
    /// The last user text.
    pub(super) line: &'r str,
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
        let messages = &request.messages;
        let begin = messages.iter().rposition(|message| said(message).is_some()).unwrap_or_default();
        let (line, since) = (said(&messages[begin]).unwrap_or_default(), &messages[begin + 1..]);
        let named = |messages: &'r [Message]| {
            let name = |wanted| calls(&request.messages).find(|(id, _)| *id == wanted).map_or("", |(_, name)| name);
            results(messages).map(|(id, content, is_error)| (name(id), content, is_error)).collect()
        };
        Self {
            system: &request.system,
            line,
            text: Directives::without(line),
            earlier: messages[..begin].iter().filter_map(said).map(Directives::without).collect(),
            results: named(since),
            unanswered: named(&messages[begin..=begin]),
            round: 1 + since.iter().filter(|message| message.role == Role::User).count(),
            forced: request.tool_choice.is_some(),
            tools: &request.tools,
            calls: calls(messages).count(),
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
