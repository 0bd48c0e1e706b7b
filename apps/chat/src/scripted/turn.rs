//! The view of a request that scripts decide by, and what their answers are made of. An answer is never canned: it is made
//! of what the user said and of the tool results that came back.

use serde_json::Value;

use super::check::{Block as RequestBlock, Request};
use super::directives::Directives;
use crate::words;

/// A part of an answer.
#[derive(Clone, Debug)]
pub(super) enum Block {
    Thinking(String),
    Text(String),
    Tool { id: String, name: String, input: String },
}

/// What scripts decide by.
#[derive(Debug)]
pub(super) struct Turn<'r> {
    pub(super) system: &'r str,
    /// The user's last text, without its directives.
    pub(super) text: String,
    /// The user's texts before it.
    pub(super) earlier: Vec<String>,
    /// What the tools have given since then, in order: name, content, whether it is an error.
    pub(super) results: Vec<(&'r str, &'r str, bool)>,
    /// What they had given for the texts before it, with how many texts had come by then.
    pub(super) given: Vec<(usize, &'r str, &'r str, bool)>,
    /// What of that nobody has answered when the text came.
    pub(super) unanswered: Vec<(&'r str, &'r str, bool)>,
    /// The last answer in words before it.
    pub(super) answered: Option<String>,
    /// Which answer to that text this is, from 1.
    pub(super) round: usize,
    /// The tool that has to be called.
    pub(super) forced: Option<&'r str>,
    /// Whether a tool may be called.
    pub(super) may_call: bool,
    /// Whether a thought is asked for.
    pub(super) thinks: bool,
    pub(super) tools: Vec<&'r str>,
    pub(super) calls_so_far: usize,
}

impl<'r> Turn<'r> {
    pub(super) fn new(request: &'r Request, last_text: &str) -> Self {
        let (mut names, mut results, mut round) = (Vec::new(), Vec::new(), 1);
        let (mut texts, mut unanswered, mut given) = (Vec::new(), Vec::new(), Vec::new());
        let (mut answered, mut last_answer) = (None, None);
        for message in &request.messages {
            for block in message.blocks() {
                match block {
                    RequestBlock::ToolUse { id, name } => names.push((id.as_str(), name.as_str())),
                    RequestBlock::ToolResult { tool_use_id, content, is_error } => {
                        let name = names.iter().find(|(id, _)| id == tool_use_id).map_or("", |(_, name)| name);
                        results.push((name, content.as_str(), is_error.unwrap_or(false)));
                    }
                    RequestBlock::Text { .. } | RequestBlock::Other => {}
                }
            }
            round += usize::from(message.blocks().iter().any(|block| matches!(block, RequestBlock::ToolResult { .. })));
            if message.role != "user" {
                last_answer = message.text().or(last_answer);
            } else if let Some(text) = message.text() {
                answered.clone_from(&last_answer);
                given.extend(results.iter().map(|&(name, content, is_error)| (texts.len(), name, content, is_error)));
                texts.push(without_directives(&text));
                // The results before a text in its own message are those of a turn that came to no answer, and so are those
                // of one that was stopped.
                let has_results = message.blocks().iter().any(|it| matches!(it, RequestBlock::ToolResult { .. }));
                unanswered = std::mem::take(&mut results);
                if !has_results && !text.contains("was stopped before its end") {
                    unanswered.clear();
                }
                round = 1;
            }
        }
        texts.pop();
        Self {
            system: &request.system,
            text: without_directives(last_text),
            earlier: texts,
            results,
            given,
            unanswered,
            answered,
            round,
            forced: request.forced(),
            may_call: request.may_call(),
            thinks: request.thinks(),
            tools: request.tools.iter().filter(|_| request.may_call()).map(|tool| tool.name.as_str()).collect(),
            calls_so_far: names.len(),
        }
    }

    /// Whether the user's text has one of these in it, with bars between them, be it within a word.
    pub(super) fn says(&self, parts: &str) -> bool {
        let text = self.text.to_lowercase();
        parts.split('|').any(|part| text.contains(part))
    }

    /// Whether it has one of these in it, word for word.
    pub(super) fn has(&self, words: &str) -> bool {
        words::has_any(&self.text, words)
    }

    /// The tool results in words.
    pub(super) fn retell_results(&self) -> String {
        let told = self.results.iter().map(|(name, content, is_error)| {
            let verb = if *is_error { "failed" } else { "says" };
            format!("{name} {verb}: {content}")
        });
        told.collect::<Vec<_>>().join(". ")
    }
}

/// The user's last text: what directives and scripts go by.
pub(super) fn last_text(request: &Request) -> String {
    let users = request.messages.iter().rev().filter(|message| message.role == "user");
    users.filter_map(super::check::Message::last_text).next().unwrap_or_default()
}

pub(super) fn text(text: impl Into<String>) -> Block {
    Block::Text(text.into())
}

/// A call; its id is given later.
pub(super) fn tool(name: &str, input: impl Into<String>) -> Block {
    Block::Tool { id: String::new(), name: name.to_owned(), input: input.into() }
}

/// A JSON object with its members in this order.
pub(super) fn object(members: &[(&str, Value)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!(r#""{name}": {value}"#)).collect();
    format!("{{{}}}", members.join(", "))
}

/// What somebody said, in quotation marks.
pub(super) fn quoted(said: &str) -> String {
    format!("“{}”", clipped(said))
}

/// What somebody said, short enough to be read again.
pub(super) fn clipped(said: &str) -> String {
    said.char_indices().nth(120).map_or(said.to_owned(), |(end, _)| format!("{}…", &said[..end]))
}

fn without_directives(text: &str) -> String {
    text.split_whitespace().filter(|word| !Directives::is_one(word)).collect::<Vec<_>>().join(" ")
}
