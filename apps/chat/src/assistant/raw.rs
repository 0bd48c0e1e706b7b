//! The text of a JSON value as a client may see it, while it is written.
//!
//! Keys, punctuation and visible values are sent as they are. Any other value is one block of fixed width, so that its
//! length stays hidden.

use std::collections::VecDeque;

use jsonspigot::{Event as JsonEvent, EventKind, ValueKind};
use serde::Serialize;
use serde_json::json;

use crate::wire::{Change, Event, MessageRef};

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

/// The kind of a run of text: a value with its path, which is empty if the value is hidden, or keys and punctuation.
type Kind = Option<(Goes, String)>;

/// A text in runs: `{"text", "goes", "path"}`, the last two for values only. A message has them at `/raw`.
#[derive(Clone, Debug, Default)]
pub(super) struct RawText {
    /// The place of the value in its message.
    root: &'static str,
    /// The offset of the text that has not been sent.
    start: u64,
    text: String,
    kind: Kind,
    /// Where another kind begins, by offset. It may be known before the text.
    edges: VecDeque<(u64, Kind)>,
    /// The open values that are not hidden, the innermost last.
    open: Vec<(Goes, String)>,
    is_hidden: bool,
    /// The number of runs, and the kind of the last one.
    runs: usize,
    last: Option<Kind>,
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

    /// Notes where a value begins or ends. Every value is reported as hidden, and some of them also otherwise. Only kept
    /// arrays and objects are values here; others are their values, with punctuation.
    pub(super) fn note(&mut self, goes: Goes, event: &JsonEvent<'_>) {
        match (goes, &event.kind) {
            (Goes::Shown | Goes::Hidden, EventKind::Begin(ValueKind::Array | ValueKind::Object)) => return,
            (Goes::Hidden, EventKind::Begin(_)) => self.is_hidden = true,
            (Goes::Hidden, EventKind::End(_)) => self.is_hidden = false,
            (goes, EventKind::Begin(_)) => self.open.push((goes, format!("{}{}", self.root, event.path.pointer()))),
            (_, EventKind::End(_)) => drop(self.open.pop()),
            _ => return,
        }
        let hidden = self.is_hidden.then(|| (Goes::Hidden, String::new()));
        self.edges.push_back((event.offset, self.open.last().cloned().or(hidden)));
    }

    /// Sends the new text, as changes of a message.
    pub(super) fn drain(&mut self, message: &MessageRef, events: &mut Vec<Event>) {
        let end = self.start + self.text.len() as u64;
        while self.edges.front().is_some_and(|(offset, _)| *offset <= end) {
            let Some((offset, kind)) = self.edges.pop_front() else { break };
            self.send(offset, message, events);
            self.kind = kind;
        }
        self.send(end, message, events);
    }

    /// Sends the text up to an offset: a new run, or more of the last one.
    fn send(&mut self, end: u64, message: &MessageRef, events: &mut Vec<Event>) {
        let length = usize::try_from(end.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let mut text: String = self.text.drain(..length).collect();
        self.start += text.len() as u64;
        let is_new = self.last.as_ref() != Some(&self.kind);
        if matches!(self.kind, Some((Goes::Hidden, _))) && !text.is_empty() {
            text = if is_new { BLOCK.to_owned() } else { String::new() };
        }
        if text.is_empty() {
            return;
        }
        self.runs += usize::from(is_new);
        let place = format!("/raw/{}", self.runs - 1);
        if let (Some((goes, path)), true) = (&self.kind, is_new) {
            let run = if path.is_empty() { json!({"goes": goes}) } else { json!({"goes": goes, "path": path}) };
            events.push(message.change(Change::merge(place.as_str(), run)));
        }
        events.push(message.change(Change::append(format!("{place}/text"), text)));
        self.last = Some(self.kind.clone());
    }
}

#[cfg(test)]
mod tests {
    use jsonspigot::{Parser, PatternSet};
    use serde_json::Value;

    use super::*;
    use crate::wire::{EventName, MessageType};

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
        let message = MessageRef::new(EventName::ToolInput, MessageType::ToolCall, "m", "b");
        for size in 1..TEXT.chars().count() {
            let (mut raw, mut parser, mut runs) = (RawText::default(), Parser::new(&patterns), Vec::new());
            let (characters, mut events) = (TEXT.chars().collect::<Vec<_>>(), Vec::new());
            for piece in characters.chunks(size) {
                let piece: String = piece.iter().collect();
                raw.push(&piece);
                for event in parser.feed(&piece) {
                    let event = event.unwrap();
                    raw.note([Goes::Shown, Goes::Kept, Goes::Hidden][event.pattern.index()], &event);
                }
                raw.drain(&message, &mut events);
            }
            for change in events {
                let path = change.data.delta_path.unwrap();
                let place: usize = path.split('/').nth(2).unwrap().parse().unwrap();
                runs.resize(runs.len().max(place + 1), json!({}));
                match change.data.props {
                    Value::String(text) => {
                        let before = runs[place]["text"].as_str().unwrap_or_default();
                        runs[place]["text"] = json!(format!("{before}{text}"));
                    }
                    kind => runs[place] = kind,
                }
            }
            assert_eq!(json!(runs), expected, "in pieces of {size}");
        }
    }
}
