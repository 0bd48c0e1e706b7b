//! The form on the wire: each attempt is a message that fills, named `attempt-1`, `attempt-2`, ….

use serde_json::json;

use super::Event;
use crate::wire::{self, Change, EventName, MessageRef, MessageType};

/// Turns the instructor's events into the wire's.
///
/// An attempt is a message of type `form` with the props `attempt`, `value` (the form so far), `open` (a pointer to the
/// innermost partial value, or null), `raw` (the model's text), `errors` (each with `kind`, `message` and, from the schema,
/// `pointer`) and `status`: `filling`, `failed`, `complete`, or `given_up` if the last attempt failed.
#[derive(Clone, Debug)]
pub struct Shown {
    message: MessageRef,
    open: Option<String>,
}

impl Shown {
    /// Creates the messages of a form in a block.
    #[must_use]
    pub fn in_block(block: &str) -> Self {
        Self { message: MessageRef::new(EventName::AttemptStarted, MessageType::Form, "attempt-1", block), open: None }
    }

    /// Returns the wire's events for an event.
    pub fn events(&mut self, event: &Event<'_>) -> Vec<wire::Event> {
        let ended = |name, status, errors| {
            let props = json!({"status": status, "errors": errors});
            vec![self.message.named(name).change(Change::merge("", props))]
        };
        match event {
            Event::AttemptStarted { attempt } => {
                self.open = None;
                self.message.id = format!("attempt-{attempt}");
                let props = json!({
                    "attempt": attempt, "status": "filling", "value": null, "open": null, "raw": "", "errors": []
                });
                vec![self.message.whole(props)]
            }
            Event::RawChunk(text) => {
                vec![self.message.named(EventName::RawChunk).change(Change::append("/raw", *text))]
            }
            Event::Snapshot(snapshot) => {
                let message = self.message.named(EventName::Snapshot);
                // A value that can't be built, such as a number beyond f64's range, is an error at the attempt's end.
                let changes = snapshot.changes().filter_map(|op| Change::of_patch("/value", &op).ok());
                let mut events: Vec<_> = changes.map(|change| message.change(change)).collect();
                if self.open.as_deref() != snapshot.open {
                    self.open = snapshot.open.map(str::to_owned);
                    events.push(message.change(Change::set("/open", self.open.clone())));
                }
                events
            }
            Event::AttemptFailed { errors, .. } => ended(EventName::AttemptFailed, "failed", *errors),
            Event::FinalResult(Ok(_)) => ended(EventName::FinalResult, "complete", &[]),
            Event::FinalResult(Err(errors)) => ended(EventName::FinalResult, "given_up", errors),
        }
    }
}
