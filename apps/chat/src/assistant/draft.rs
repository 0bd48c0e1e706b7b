//! A turn that is not complete: its messages, its tools' results, and the texts on the screen.
//!
//! A turn that is stopped is saved from here, so that the person who comes back, and the model in the next turn, know what
//! was said and carried out, and that the answer is not finished.

use serde_json::Value;

use super::tools::ToolOutcome;
use crate::conversation::{Assistant, Turn};
use crate::provider::{Block, Message, Role};
use crate::wire::{DeltaAction, Event, EventName};

/// The result of a call that was running when its turn was stopped.
const STOPPED: &str = "the answer was stopped before the result was there: the call may have been carried out, so do not \
                       repeat it without asking";

/// The result of a call that had not begun.
const NOT_RUN: &str = "the answer was stopped before the tool was run";

/// An incomplete turn.
#[derive(Debug, Default)]
pub struct Draft {
    has_begun: bool,
    /// The complete messages that are not saved.
    messages: Vec<Message>,
    /// The last answer's calls with their results, which are not a message yet.
    calls: Vec<(String, Block)>,
    /// The texts of the answer that is streaming.
    shown: Vec<Shown>,
}

#[derive(Debug)]
struct Shown {
    name: EventName,
    message: Option<String>,
    path: String,
    text: String,
}

impl Draft {
    /// Adds a complete message, which contains the texts that were shown of it.
    pub(super) fn add(&mut self, message: Message) {
        self.has_begun = true;
        self.shown.clear();
        self.calls.clear();
        self.messages.push(message);
    }

    /// Drops the messages that were saved.
    pub(super) fn saved(&mut self) {
        self.messages.clear();
    }

    /// Sets the calls of the last message. Wherever the turn is stopped, each has a result.
    pub(super) fn calls(&mut self, ids: impl Iterator<Item = String>) {
        let not_run = Err(NOT_RUN.to_owned());
        self.calls = ids.map(|id| (id.clone(), result_of(&id, &not_run))).collect();
    }

    /// Notes that a call has begun.
    pub(super) fn begin_call(&mut self, place: usize) {
        self.end_call(place, &Err(STOPPED.to_owned()));
    }

    /// Sets the result of a call.
    pub(super) fn end_call(&mut self, place: usize, outcome: &ToolOutcome) {
        if let Some((id, result)) = self.calls.get_mut(place) {
            *result = result_of(id, outcome);
        }
    }

    /// Keeps the text that an event shows.
    pub(super) fn show(&mut self, event: &Event) {
        match event.event {
            EventName::Text | EventName::AskMessageDelta | EventName::SimpleResponseDelta | EventName::RawChunk => {}
            // Only the last attempt at a form counts.
            EventName::AttemptStarted => return self.shown.clear(),
            _ => return,
        }
        let data = &event.data;
        let (Some(path), Value::String(text)) = (&data.delta_path, &data.props) else { return };
        let is_same =
            |shown: &&mut Shown| shown.name == event.event && shown.message == data.message_id && shown.path == *path;
        // A growing text is nearly always the last one.
        match self.shown.iter_mut().rev().find(is_same) {
            Some(shown) if data.delta_action == Some(DeltaAction::Append) => shown.text.push_str(text),
            Some(shown) => shown.text.clone_from(text),
            None => {
                let (message, path) = (data.message_id.clone(), path.clone());
                self.shown.push(Shown { name: event.event, message, path, text: text.clone() });
            }
        }
    }

    /// Returns the turn to save if it is stopped now, or `None` before anything was said in it.
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

/// Returns a call's result as it is stored and sent to the model.
pub(super) fn result_of(id: &str, outcome: &ToolOutcome) -> Block {
    let (content, is_error) = match outcome {
        Ok(value) => (value.to_string(), false),
        Err(error) => (error.clone(), true),
    };
    Block::ToolResult { tool_use_id: id.to_owned(), content, is_error }
}
