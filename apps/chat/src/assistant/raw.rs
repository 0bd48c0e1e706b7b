//! The text of a JSON value as a client may see it, while it is written.
//!
//! Keys and punctuation are sent as they are, and so are values that the client gets anyway, with their paths. Any other
//! value is one block of fixed width, so that its length tells nothing.

use std::collections::VecDeque;

use jsonspigot::{Event, EventKind, ValueKind};
use serde_json::{Value, json};

use crate::wire::Change;

/// How a value reaches the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goes {
    /// While it is written.
    Shown,
    /// Once it is complete.
    Kept,
    /// Never.
    Hidden,
}

/// What stands for a hidden value, whatever it is.
pub(super) const BLOCK: &str = "▇▇▇";

/// A text in runs: `{"text", "goes", "path"}`, the last two for values only.
#[derive(Clone, Debug, Default)]
pub(super) struct RawText {
    /// Where the value is in its message.
    root: &'static str,
    /// The offset of the text that has not been sent.
    start: u64,
    text: String,
    edges: VecDeque<(u64, Edge)>,
    /// The values that are open and not hidden, the innermost last.
    open: Vec<(Goes, String)>,
    is_hidden: bool,
    has_block: bool,
    /// The number of runs that were begun, and the kind of the last one, if there is one.
    runs: usize,
    last: Option<Kind>,
}

/// How a run reaches the client, and the path of its value; `None` for keys and punctuation.
type Kind = Option<(Goes, String)>;

#[derive(Clone, Debug)]
enum Edge {
    Begin(Goes, String),
    End,
    Hide,
    Unhide,
}

impl RawText {
    /// Creates the text of a value that is at this path of its message.
    pub(super) fn under(root: &'static str) -> Self {
        Self { root, ..Self::default() }
    }

    /// Begins another text behind the last one.
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
            (Goes::Hidden, EventKind::Begin(_)) => Edge::Hide,
            (Goes::Hidden, EventKind::End(_)) => Edge::Unhide,
            (goes, EventKind::Begin(_)) => Edge::Begin(goes, format!("{}{}", self.root, event.path.pointer())),
            (_, EventKind::End(_)) => Edge::End,
            _ => return,
        };
        self.edges.push_back((event.offset, edge));
    }

    /// Returns the changes that send the new text, in an array at `path`.
    pub(super) fn take(&mut self, path: &str) -> Vec<Change> {
        let (text, mut changes) = (std::mem::take(&mut self.text), Vec::new());
        let mut run = String::new();
        for character in text.chars() {
            while self.edges.front().is_some_and(|(offset, _)| *offset <= self.start) {
                self.pass();
            }
            self.start += character.len_utf8() as u64;
            let kind = self.open.last().cloned().or_else(|| self.is_hidden.then(|| (Goes::Hidden, String::new())));
            if self.last.as_ref() != Some(&kind) {
                self.send(path, &mut run, &mut changes);
                (self.last, self.runs) = (Some(kind.clone()), self.runs + 1);
            }
            match kind {
                Some((Goes::Hidden, _)) if std::mem::replace(&mut self.has_block, true) => {}
                Some((Goes::Hidden, _)) => run.push_str(BLOCK),
                _ => run.push(character),
            }
        }
        self.send(path, &mut run, &mut changes);
        changes
    }

    fn pass(&mut self) {
        match self.edges.pop_front() {
            Some((_, Edge::Begin(goes, path))) => self.open.push((goes, path)),
            Some((_, Edge::End)) => drop(self.open.pop()),
            Some((_, Edge::Hide)) => (self.is_hidden, self.has_block) = (true, false),
            Some((_, Edge::Unhide)) => self.is_hidden = false,
            None => {}
        }
    }

    /// Ends a run with what has been gathered of it: a new element of the array, or more of its last one.
    fn send(&mut self, path: &str, run: &mut String, changes: &mut Vec<Change>) {
        if run.is_empty() {
            return;
        }
        let text = std::mem::take(run);
        let place = self.runs.saturating_sub(1);
        changes.push(Change::append(format!("{path}/{place}/text"), text));
        let Some(Some((goes, of))) = &self.last else { return };
        let goes = match goes {
            Goes::Shown => "shown",
            Goes::Kept => "kept",
            Goes::Hidden => "hidden",
        };
        let kind: Value = if of.is_empty() { json!({"goes": goes}) } else { json!({"goes": goes, "path": of}) };
        changes.insert(changes.len() - 1, Change::merge(format!("{path}/{place}"), kind));
    }
}

#[cfg(test)]
mod tests {
    use jsonspigot::{Parser, PatternSet};

    use super::*;

    const TEXT: &str = r#"{"ask": [{"m": "Hé\n?", "o": ["x", "y"]}], "n": 12, "t": true, "s": "a secret"}"#;

    /// At every cut the same runs; of hidden values nothing but that they are there.
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
            let (mut raw, mut parser, mut props) = (RawText::default(), Parser::new(&patterns), json!({}));
            let characters: Vec<char> = TEXT.chars().collect();
            for piece in characters.chunks(size) {
                let piece: String = piece.iter().collect();
                raw.push(&piece);
                for event in parser.feed(&piece) {
                    let event = event.unwrap();
                    raw.note([Goes::Shown, Goes::Kept, Goes::Hidden][event.pattern.index()], &event);
                }
                for change in raw.take("/raw") {
                    change.apply(&mut props).unwrap();
                }
            }
            assert_eq!(props["raw"], expected, "in pieces of {size}");
        }
    }
}
