//! The shopping assistant's first answer as it streams: what may be shown is told, the rest is kept until it is whole.
//!
//! Owns the reading of the forced call. No I/O: the library's events go in, the client's come out. A call that does not
//! hold is asked for once more; what its second version repeats has been shown already, and is not told again.

use std::collections::HashMap;
use std::sync::LazyLock;

use jsonspigot::{DuplicateKeys, Event as JsonEvent, EventKind, Parser, PatternSet};
use jsonspigot_llm::{CallEvent, Payload, StreamEvent, ToolCalls};
use serde_json::{Value, json};

use super::classification::{Classification, TOOL};
use crate::conversation::{Answers, ContextualQuestion, Session};
use crate::provider::{Block, Message, Role};
use crate::wire::{Change, Envelope, Event, EventName, MessageType};

/// What of the call is shown while it streams; [`Reading::matched`] goes by the place in this list.
static PATTERNS: LazyLock<PatternSet> = LazyLock::new(|| {
    let shown = ["ask_slots[*].message", "ask_slots[*].options", "simple_response.message", "reasoning"];
    PatternSet::new(shown).expect("the patterns are patterns")
});

/// The message's id in its block.
const MESSAGE: &str = "ask";

/// Reads one classification.
#[derive(Debug)]
pub(super) struct Reading {
    block: String,
    call: Option<u64>,
    verdict: Option<Result<Classification, Rejected>>,
    shown: Shown,
    raw: Raw,
    pub(super) events: Vec<Event>,
}

/// What has been shown of a classification: each text by its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    has_begun: bool,
    texts: HashMap<String, Text>,
    options: HashMap<String, Vec<String>>,
}

#[derive(Clone, Debug, Default)]
struct Text {
    /// What stands on the screen.
    seen: String,
    /// What this call has said of it.
    said: String,
}

/// The call's text as a client may see it: of what is not shown, only that it is there.
#[derive(Debug, Default)]
struct Raw {
    /// How long the text is.
    length: u64,
    /// What has come since it was told last.
    text: String,
    /// How many shown values are open, and where in the text that changed since.
    open: usize,
    edges: Vec<(u64, bool)>,
}

impl Raw {
    fn take(&mut self) -> String {
        let (mut at, mut edges) = (self.length, std::mem::take(&mut self.edges).into_iter().peekable());
        let text = std::mem::take(&mut self.text);
        self.length += text.len() as u64;
        let told = text.chars().map(|character| {
            while let Some((_, begins)) = edges.next_if(|(edge, _)| *edge <= at) {
                self.open = if begins { self.open + 1 } else { self.open.saturating_sub(1) };
            }
            at += character.len_utf8() as u64;
            if self.open > 0 || character.is_whitespace() || "{}[],:\"".contains(character) { character } else { '·' }
        });
        let told = told.collect();
        for (_, begins) in edges {
            self.open = if begins { self.open + 1 } else { self.open.saturating_sub(1) };
        }
        told
    }
}

/// A call that does not hold.
#[derive(Debug)]
pub(super) struct Rejected {
    id: String,
    /// The input as it can be sent back.
    input: Value,
    errors: Vec<String>,
}

impl Rejected {
    fn never_called() -> Self {
        Self { id: String::new(), input: Value::Null, errors: vec!["the message was not classified".to_owned()] }
    }

    /// What is wrong with it, for the log.
    pub(super) fn words(&self) -> String {
        self.errors.join("; ")
    }

    /// The call and what is wrong with it, for the model: it is to call again.
    pub(super) fn as_messages(&self) -> Vec<Message> {
        let content = format!("This input is not valid. Call {TOOL} again.\n- {}", self.errors.join("\n- "));
        if self.id.is_empty() {
            return vec![Message::user(content)];
        }
        let (id, name, input) = (self.id.clone(), TOOL.to_owned(), self.input.clone());
        let result = Block::ToolResult { tool_use_id: id.clone(), content, is_error: true };
        vec![
            Message { role: Role::Assistant, content: vec![Block::ToolUse { id, name, input }] },
            Message { role: Role::User, content: vec![result] },
        ]
    }
}

impl Shown {
    /// The same for the next call, which begins from the beginning.
    pub(super) fn again(mut self) -> Self {
        self.texts.values_mut().for_each(|text| text.said.clear());
        self
    }
}

impl Reading {
    /// Reads a call of which this much has been shown before.
    pub(super) fn new(block: &str, shown: Shown) -> Self {
        Self { block: block.to_owned(), call: None, verdict: None, shown, raw: Raw::default(), events: Vec::new() }
    }

    /// The choices that the call is read with.
    pub(super) fn calls() -> ToolCalls {
        let parser = Parser::builder().duplicate_keys(DuplicateKeys::Reject);
        ToolCalls::builder().patterns_for(TOOL, &PATTERNS).parser(parser).build()
    }

    pub(super) fn take(&mut self, event: StreamEvent<'_>) {
        match event {
            StreamEvent::Call(CallEvent::Start { call })
                if call.name.as_deref() == Some(TOOL) && self.call.is_none() =>
            {
                self.call = Some(call.number);
                if !self.shown.has_begun {
                    self.shown.has_begun = true;
                    let whole = Envelope::whole(MessageType::Ask, json!({})).of(MESSAGE).in_block(self.block.as_str());
                    self.events.push(Event::new(EventName::ClassificationStart, whole));
                }
            }
            StreamEvent::Call(CallEvent::Fragment { call, text }) if self.call == Some(call.number) => {
                self.raw.text.push_str(&text);
            }
            StreamEvent::Call(CallEvent::Match { call, event }) if self.call == Some(call.number) => {
                match event.kind {
                    EventKind::Begin(_) => self.raw.edges.push((event.offset, true)),
                    EventKind::End(_) => self.raw.edges.push((event.offset, false)),
                    _ => {}
                }
                self.matched(&event);
            }
            StreamEvent::Call(CallEvent::End { call, input, .. }) if self.call == Some(call.number) => {
                self.verdict = Some(read(call.id.as_deref().unwrap_or("call_1"), &input));
            }
            _ => {}
        }
    }

    /// The classification, once the message has come to its end, and what of it was shown.
    pub(super) fn finish(self) -> (Result<Classification, Rejected>, Shown) {
        (self.verdict.unwrap_or_else(|| Err(Rejected::never_called())), self.shown)
    }

    /// Tells what has come of the call's text.
    pub(super) fn tell_raw(&mut self) {
        let raw = self.raw.take();
        if !raw.is_empty() {
            self.push(EventName::ClassificationRaw, Change::append("/raw", raw));
        }
    }

    fn matched(&mut self, event: &JsonEvent<'_>) {
        let name = match (event.pattern.index(), &event.kind) {
            (0, EventKind::Delta(_)) => EventName::AskMessageDelta,
            (2, EventKind::Delta(_)) => EventName::SimpleResponseDelta,
            (3, EventKind::Delta(_)) => EventName::ReasoningDelta,
            // The options are shown together, and only if they are what they should be.
            (1, EventKind::End(Some(options))) => {
                if let Ok(options) = options.deserialize::<Vec<String>>() {
                    let path = event.path.pointer().to_string();
                    if self.shown.options.get(&path) != Some(&options) {
                        self.push(EventName::AskOptions, Change::set(path.as_str(), json!(options)));
                        self.shown.options.insert(path, options);
                    }
                }
                return;
            }
            _ => return,
        };
        if let EventKind::Delta(more) = &event.kind {
            let path = event.path.pointer().to_string();
            let change = self.shown.texts.entry(path.clone()).or_default().grow(path, more);
            if let Some(change) = change {
                self.push(name, change);
            }
        }
    }

    fn push(&mut self, name: EventName, change: Change) {
        let delta = Envelope::delta(MessageType::Ask, MESSAGE, change).in_block(self.block.as_str());
        self.events.push(Event::new(name, delta));
    }
}

impl Text {
    /// What a delta changes on the screen: nothing as long as it repeats what stands there, and all of it once it differs.
    fn grow(&mut self, path: String, more: &str) -> Option<Change> {
        let before = self.said.len();
        self.said.push_str(more);
        if self.seen.len() == before {
            self.seen.push_str(more);
            return Some(Change::append(path, more));
        }
        if self.seen.starts_with(&self.said) {
            return None;
        }
        let change = match self.said.strip_prefix(&self.seen) {
            Some(new) => Change::append(path, new),
            None => Change::set(path, self.said.as_str()),
        };
        self.seen.clone_from(&self.said);
        Some(change)
    }
}

/// The whole input, strictly.
fn read(id: &str, input: &Payload<'_>) -> Result<Classification, Rejected> {
    let rejected = |input: Value, errors| Err(Rejected { id: id.to_owned(), input, errors });
    let flawed = |detail: String| {
        rejected(
            json!({"INVALID_JSON": input.raw()}),
            vec![format!("the input is {}: {detail}", input.status().name())],
        )
    };
    let Some(value) = input.value() else {
        return flawed(input.error().map_or_else(|| input.status().name().to_owned(), ToString::to_string));
    };
    match value.deserialize::<Value>() {
        Ok(value) => Classification::read(&value).or_else(|errors| {
            let object = if value.is_object() { value } else { json!({"INVALID_JSON": input.raw()}) };
            rejected(object, errors)
        }),
        Err(error) => flawed(error.to_string()),
    }
}

/// The decision as the client may see it: the whole message. Of the internal fields it has only the slots' names, by which
/// an answer says where it belongs.
pub(super) fn complete(
    block: &str,
    said: &Classification,
    asked: &[(&String, &ContextualQuestion)],
    session: &Session,
) -> Event {
    let public = |(slot, question): &(&String, &ContextualQuestion)| {
        let ContextualQuestion { message, kind, options, .. } = question;
        json!({"slot_name": slot, "message": message, "type": kind, "options": options})
    };
    let mut props = json!({"ask_slots": asked.iter().map(public).collect::<Vec<Value>>()});
    let answered = session.contextual_questions.iter().filter(|(_, question)| !question.answer.is_empty());
    let answers: Answers = answered.map(|(slot, question)| (slot.clone(), question.answer.clone())).collect();
    if !answers.is_empty() {
        props["answers"] = json!(answers);
    }
    if let Some(response) = &said.simple_response {
        props["simple_response"] = json!({"message": response.message});
    }
    if let Some(reasoning) = &said.reasoning {
        props["reasoning"] = json!(reasoning);
    }
    let whole = Envelope::whole(MessageType::Ask, props).of(MESSAGE).in_block(block);
    Event::new(EventName::ClassificationComplete, whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the second call says of a text, and wherever it is cut: the screen ends with it, and no part of it that
    /// stood there is told again.
    #[test]
    fn a_text_that_is_said_again_is_not_told_again() {
        let seen = "Which size?";
        for said in ["Which size?", "Which size? 💍", "Which size", "What size?", "?", "Which colour?"] {
            for cut in (0..=said.len()).filter(|&cut| said.is_char_boundary(cut)) {
                let mut text = Text::default();
                assert_eq!(text.grow("/a".to_owned(), seen), Some(Change::append("/a", seen)));
                text.said.clear();
                let mut props = json!({"a": seen});
                let mut told = 0;
                for piece in [&said[..cut], &said[cut..]].into_iter().filter(|piece| !piece.is_empty()) {
                    if let Some(change) = text.grow("/a".to_owned(), piece) {
                        told += 1;
                        change.apply(&mut props).unwrap();
                    }
                }
                let shown = props["a"].as_str().unwrap();
                if seen.starts_with(said) {
                    // The rest goes with the whole message at the end.
                    assert_eq!((told, shown), (0, seen), "{said} at {cut}");
                } else {
                    assert_eq!(shown, said, "{said} at {cut}");
                }
            }
        }
    }
}
