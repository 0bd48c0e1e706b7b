//! The text of a JSON value as a client may see it, while it is written.
//!
//! Keys, punctuation and visible values are sent as they are. Any other value is one block of fixed width, so that its
//! length stays hidden.

use std::collections::VecDeque;

use jsonspigot::{Event, EventKind, ValueKind};
use serde::Serialize;
use serde_json::json;

use crate::wire::Change;

/// How a value reaches the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Goes {
    /// While it is written.
    Shown,
    /// Once it is complete.
    Kept,
    /// Never.
    Hidden,
}

/// The text in place of a hidden value.
pub(super) const BLOCK: &str = "▇▇▇";

/// A text in runs: `{"text", "goes", "path"}`, the last two for values only.
#[derive(Clone, Debug, Default)]
pub(super) struct RawText {
    /// The place of the value in its message.
    root: &'static str,
    /// The offset of the text that has not been sent.
    start: u64,
    text: String,
    /// Where values begin and end, by offset. They may be known before the text.
    edges: VecDeque<(u64, Edge)>,
    /// The open values that are not hidden, the innermost last.
    open: Vec<(Goes, String)>,
    is_hidden: bool,
    /// The number of runs, and what the last one shows: a value with its path, or keys and punctuation.
    runs: usize,
    last: Option<Option<(Goes, String)>>,
}

#[derive(Clone, Debug)]
enum Edge {
    Begin(Goes, String),
    End,
    Hide(bool),
}

impl RawText {
    /// Creates the text of a value that has this path in its message.
    pub(super) fn under(root: &'static str) -> Self {
        Self { root, ..Self::default() }
    }

    /// Begins another text after the last one.
    pub(super) fn restart(&mut self) {
        *self = Self { runs: self.runs, ..Self::under(self.root) };
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Notes where a value begins or ends. Every value is reported as hidden, and some of them also otherwise.
    pub(super) fn note(&mut self, goes: Goes, event: &Event<'_>) {
        let edge = match (goes, &event.kind) {
            (Goes::Hidden, EventKind::Begin(ValueKind::Array | ValueKind::Object)) => return,
            (Goes::Hidden, EventKind::Begin(_)) => Edge::Hide(true),
            (Goes::Hidden, EventKind::End(_)) => Edge::Hide(false),
            (goes, EventKind::Begin(_)) => Edge::Begin(goes, format!("{}{}", self.root, event.path.pointer())),
            (_, EventKind::End(_)) => Edge::End,
            _ => return,
        };
        self.edges.push_back((event.offset, edge));
    }

    /// Returns the changes that send the new text, in an array at `path`.
    pub(super) fn take(&mut self, path: &str) -> Vec<Change> {
        let mut changes = Vec::new();
        let end = self.start + self.text.len() as u64;
        while self.edges.front().is_some_and(|(offset, _)| *offset <= end) {
            let Some((offset, edge)) = self.edges.pop_front() else { break };
            self.send(offset, path, &mut changes);
            match edge {
                Edge::Begin(goes, path) => self.open.push((goes, path)),
                Edge::End => drop(self.open.pop()),
                Edge::Hide(is_hidden) => {
                    self.is_hidden = is_hidden;
                    if is_hidden && self.open.is_empty() {
                        // Each hidden value has a block of its own.
                        self.last = None;
                    }
                }
            }
        }
        self.send(end, path, &mut changes);
        changes
    }

    /// Sends the text up to an offset: a new run, or more of the last one.
    fn send(&mut self, end: u64, path: &str, changes: &mut Vec<Change>) {
        let length = usize::try_from(end.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let mut text: String = self.text.drain(..length).collect();
        self.start += text.len() as u64;
        let kind = self.open.last().cloned().or_else(|| self.is_hidden.then(|| (Goes::Hidden, String::new())));
        let is_new = self.last.as_ref() != Some(&kind);
        if matches!(kind, Some((Goes::Hidden, _))) && !text.is_empty() {
            text = if is_new { BLOCK.to_owned() } else { String::new() };
        }
        if text.is_empty() {
            return;
        }
        self.runs += usize::from(is_new);
        let place = format!("{path}/{}", self.runs - 1);
        if let (Some((goes, of)), true) = (&kind, is_new) {
            let run = if of.is_empty() { json!({"goes": goes}) } else { json!({"goes": goes, "path": of}) };
            changes.push(Change::merge(place.as_str(), run));
        }
        changes.push(Change::append(format!("{place}/text"), text));
        self.last = Some(kind);
    }
}

#[cfg(test)]
mod tests {
    use jsonspigot::{Parser, PatternSet};
    use serde_json::Value;

    use super::*;

    const TEXT: &str = r#"{"ask": [{"m": "Hé\n?", "o": ["x", "y"]}], "n": 12, "t": true, "s": "a secret"}"#;

    #[test]
    fn hidden_values_have_one_width_at_every_cut() {
        let run = |goes: &str, path: &str, text: &str| json!({"goes": goes, "path": path, "text": text});
        let (plain, hidden) = (|text: &str| json!({"text": text}), json!({"goes": "hidden", "text": BLOCK}));
        let expected = json!([
            plain(r#"{"ask": [{"m": "#),
            run("shown", "/ask/0/m", r#""Hé\n?""#),
            plain(r#", "o": "#),
            run("kept", "/ask/0/o", r#"["x", "y"]"#),
            plain(r#"}], "n": "#),
            hidden,
            plain(r#", "t": "#),
            hidden,
            plain(r#", "s": "#),
            hidden,
            plain("}"),
        ]);
        let patterns = PatternSet::new(["ask[*].m", "ask[*].o", "$..*"]).unwrap();
        for size in 1..TEXT.chars().count() {
            let (mut raw, mut parser, mut runs) = (RawText::default(), Parser::new(&patterns), Vec::new());
            let characters: Vec<char> = TEXT.chars().collect();
            for piece in characters.chunks(size) {
                let piece: String = piece.iter().collect();
                raw.push(&piece);
                for event in parser.feed(&piece) {
                    let event = event.unwrap();
                    raw.note([Goes::Shown, Goes::Kept, Goes::Hidden][event.pattern.index()], &event);
                }
                for change in raw.take("/raw") {
                    let place: usize = change.path.split('/').nth(2).unwrap().parse().unwrap();
                    runs.resize(runs.len().max(place + 1), json!({}));
                    match change.operand {
                        Value::String(text) => {
                            let before = runs[place]["text"].as_str().unwrap_or_default();
                            runs[place]["text"] = json!(format!("{before}{text}"));
                        }
                        kind => runs[place] = kind,
                    }
                }
            }
            assert_eq!(json!(runs), expected, "in pieces of {size}");
        }
    }
}
