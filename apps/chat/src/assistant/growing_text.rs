//! A message of text that grows while the model writes it, as events for the client.

use serde_json::json;

use crate::wire::{Change, Envelope, Event, EventName, MessageType};

/// A message of text that grows: whole and empty at first, then delta by delta.
#[derive(Clone, Debug)]
pub(super) struct GrowingText {
    event: EventName,
    message_type: MessageType,
    message: String,
    block: String,
    has_begun: bool,
}

impl GrowingText {
    pub(super) fn new(event: EventName, message_type: MessageType, message: impl Into<String>, block: &str) -> Self {
        Self { event, message_type, message: message.into(), block: block.to_owned(), has_begun: false }
    }

    /// Marks the text as complete.
    pub(super) fn end(&self, events: &mut Vec<Event>) {
        let delta = Envelope::delta(self.message_type, self.message.as_str(), Change::end("/content"));
        events.push(Event::new(self.event, delta.in_block(self.block.as_str())));
    }

    pub(super) fn push(&mut self, text: &str, events: &mut Vec<Event>) {
        if !self.has_begun {
            self.has_begun = true;
            let whole = Envelope::whole(self.message_type, json!({"content": ""})).of(self.message.as_str());
            events.push(Event::new(self.event, whole.in_block(self.block.as_str())));
        }
        let delta = Envelope::delta(self.message_type, self.message.as_str(), Change::append("/content", text));
        events.push(Event::new(self.event, delta.in_block(self.block.as_str())));
    }
}
