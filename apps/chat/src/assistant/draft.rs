//! What there is of a turn that has not come to its end: what its person has said and seen, and what its tools have done.
//!
//! A turn that is stopped is saved as it stands here: whoever comes back, and the model in the next turn, knows what was
//! said, what was carried out, and that the answer was not finished. Owns nothing of how a turn goes on; the turn writes
//! down here what it comes to, and takes off what has been saved.

use serde_json::Value;

use super::tools::ToolOutcome;
use crate::conversation::{Assistant, Turn};
use crate::provider::{Block, Message, Role};
use crate::wire::{DeltaAction, Event, EventName};

/// What the model is told of a call that was under way when its turn was stopped.
const STOPPED: &str = "the answer was stopped before the result was there: the call may have been carried out, so do not \
                       repeat it without asking";

/// What it is told of one that had not begun.
const NOT_RUN: &str = "the answer was stopped before the tool was run";

/// A turn as far as it has come.
#[derive(Debug, Default)]
pub struct Draft {
    has_begun: bool,
    /// The messages that are whole, but not saved.
    messages: Vec<Message>,
    /// The last answer's calls, with what has come of them. Their results are no message yet.
    calls: Vec<(String, Block)>,
    /// What is shown of the answer that is on its way.
    shown: Vec<Shown>,
}

/// A text on the screen.
#[derive(Debug)]
struct Shown {
    name: EventName,
    message: Option<String>,
    path: String,
    text: String,
}

impl Draft {
    /// A message is whole. What was shown of an answer is in it.
    pub(super) fn add(&mut self, message: Message) {
        self.has_begun = true;
        self.shown.clear();
        self.calls.clear();
        self.messages.push(message);
    }

    /// All messages so far are saved.
    pub(super) fn saved(&mut self) {
        self.messages.clear();
    }

    /// The last message makes these calls, which are now to be carried out: wherever that ends, each has a result.
    pub(super) fn calls(&mut self, ids: impl Iterator<Item = String>) {
        let not_run = Err(NOT_RUN.to_owned());
        self.calls = ids.map(|id| (id.clone(), result_of(&id, &not_run))).collect();
    }

    /// The call at this place has begun.
    pub(super) fn begin_call(&mut self, place: usize) {
        self.end_call(place, &Err(STOPPED.to_owned()));
    }

    /// What came of the call at this place.
    pub(super) fn end_call(&mut self, place: usize, outcome: &ToolOutcome) {
        if let Some((id, result)) = self.calls.get_mut(place) {
            *result = result_of(id, outcome);
        }
    }

    /// An event is sent: what it shows of an answer's text is kept.
    pub(super) fn show(&mut self, event: &Event) {
        match event.event {
            EventName::Text | EventName::AskMessageDelta | EventName::SimpleResponseDelta | EventName::RawChunk => {}
            // Of a form it is the last attempt that counts.
            EventName::AttemptStarted => return self.shown.clear(),
            _ => return,
        }
        let data = &event.data;
        let (Some(path), Value::String(text)) = (&data.delta_path, &data.props) else { return };
        let is_same =
            |shown: &&mut Shown| shown.name == event.event && shown.message == data.message_id && shown.path == *path;
        // A text that grows is nearly always the last one: looked for from there.
        match self.shown.iter_mut().rev().find(is_same) {
            Some(shown) if data.delta_action == Some(DeltaAction::Append) => shown.text.push_str(text),
            Some(shown) => shown.text.clone_from(text),
            None => {
                let (message, path) = (data.message_id.clone(), path.clone());
                self.shown.push(Shown { name: event.event, message, path, text: text.clone() });
            }
        }
    }

    /// The turn as it is saved when it is stopped here; `None` before anything was said in it.
    #[must_use]
    pub fn stopped(self, assistant: Assistant) -> Option<Turn> {
        let Self { has_begun, mut messages, calls, shown } = self;
        if !has_begun {
            return None;
        }
        if !calls.is_empty() {
            let content = calls.into_iter().map(|(_, result)| result).collect();
            messages.push(Message { role: Role::User, content });
        }
        let texts = shown.into_iter().map(|shown| shown.text).filter(|text| !text.trim().is_empty());
        let text = texts.collect::<Vec<_>>().join("\n");
        let text = (!text.is_empty()).then_some(Block::Text { text });
        messages.push(Message { role: Role::Assistant, content: text.into_iter().chain([Block::Stopped]).collect() });
        Some(Turn { assistant, messages, context: None, session: None })
    }
}

/// A call's result as it is stored and sent to the model.
pub(super) fn result_of(id: &str, outcome: &ToolOutcome) -> Block {
    let (content, is_error) = match outcome {
        Ok(value) => (value.to_string(), false),
        Err(error) => (error.clone(), true),
    };
    Block::ToolResult { tool_use_id: id.to_owned(), content, is_error }
}
