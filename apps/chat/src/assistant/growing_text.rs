//! A message of text that grows while the model writes it.

use serde_json::json;

use crate::wire::{Change, Event, EventName, MessageRef, MessageType};

/// A message of text: whole and empty at first, then delta by delta.
#[derive(Clone, Debug)]
pub(super) struct GrowingText {
    message: MessageRef,
    has_begun: bool,
}

impl GrowingText {
    pub(super) fn new(message: MessageRef) -> Self {
        Self { message, has_begun: false }
    }

    /// Creates an answer's text.
    pub(super) fn text(id: impl Into<String>, block: &str) -> Self {
        Self::new(MessageRef::new(EventName::Text, MessageType::Text, id, block))
    }

    /// Begins the text, or begins it anew.
    pub(super) fn begin(&mut self, events: &mut Vec<Event>) {
        self.has_begun = true;
        events.push(self.message.whole(json!({"content": ""})));
    }

    /// Appends to the text.
    pub(super) fn push(&mut self, text: &str, events: &mut Vec<Event>) {
        if !self.has_begun {
            self.begin(events);
        }
        events.push(self.message.change(Change::append("/content", text)));
    }

    /// Marks the text as complete.
    pub(super) fn end(&self, events: &mut Vec<Event>) {
        events.push(self.message.change(Change::end("/content")));
    }
}
