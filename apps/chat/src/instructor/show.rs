//! The form on the wire: each attempt a message that fills, named `attempt-1`, `attempt-2`, ….

use serde_json::json;

use super::{AttemptError, Event};
use crate::wire::{self, Change, Envelope, EventName, MessageType};

/// Turns the instructor's events into the wire's. One for each run of attempts.
///
/// An attempt is a message of type `form` with the props `attempt`, `value` (the form so far), `open` (the innermost
/// value that is partial, a pointer into `value`; null if all that is shown is complete), `raw` (what the model said),
/// `errors` (each with `kind`, `message` and, of the schema, `pointer`) and `status`: `filling`, `failed`, `complete`, or
/// `given_up` on the last attempt if no form came.
#[derive(Clone, Debug)]
pub struct Shown {
    block_id: String,
    attempt: u32,
    open: Option<String>,
}

impl Shown {
    /// In this block.
    #[must_use]
    pub fn in_block(block_id: impl Into<String>) -> Self {
        Self { block_id: block_id.into(), attempt: 0, open: None }
    }

    /// What an event is on the wire, not yet numbered.
    pub fn events<T>(&mut self, event: &Event<'_, T>) -> Vec<wire::Event> {
        match event {
            Event::AttemptStarted { attempt, .. } => {
                (self.attempt, self.open) = (*attempt, None);
                let props = json!({
                    "attempt": attempt, "status": "filling", "value": null, "open": null, "raw": "", "errors": []
                });
                let whole = Envelope::whole(MessageType::Form, props).of(self.message_id()).in_block(&self.block_id);
                vec![wire::Event::new(EventName::AttemptStarted, whole)]
            }
            Event::RawChunk(text) => vec![self.delta(EventName::RawChunk, Change::append("/raw", *text))],
            Event::Snapshot(snapshot) => {
                // What can't be built as a value, such as a number beyond f64's range, is an error at the attempt's end.
                let changes = snapshot.changes().filter_map(|op| Change::of_patch("/value", &op).ok());
                let mut events: Vec<_> = changes.map(|change| self.delta(EventName::Snapshot, change)).collect();
                if self.open.as_deref() != snapshot.open() {
                    self.open = snapshot.open().map(str::to_owned);
                    events.push(self.delta(EventName::Snapshot, Change::set("/open", self.open.clone())));
                }
                events
            }
            Event::AttemptFailed { errors, .. } => {
                let failed = json!({"status": "failed", "errors": shown(errors)});
                vec![self.delta(EventName::AttemptFailed, Change::merge("", failed))]
            }
            Event::FinalResult(result) => {
                let (status, errors) = match result {
                    Ok(_) => ("complete", &[][..]),
                    Err(errors) => ("given_up", &errors[..]),
                };
                let over = json!({"status": status, "errors": shown(errors)});
                vec![self.delta(EventName::FinalResult, Change::merge("", over))]
            }
        }
    }

    fn delta(&self, name: EventName, change: Change) -> wire::Event {
        wire::Event::new(name, Envelope::delta(MessageType::Form, self.message_id(), change).in_block(&self.block_id))
    }

    fn message_id(&self) -> String {
        format!("attempt-{}", self.attempt)
    }
}

fn shown(errors: &[AttemptError]) -> Vec<serde_json::Value> {
    let of = |error: &AttemptError| match error {
        AttemptError::Schema { pointer, message } => {
            json!({"kind": error.kind(), "message": message, "pointer": pointer})
        }
        AttemptError::Type { message }
        | AttemptError::InvalidJson { message }
        | AttemptError::CutStream { message }
        | AttemptError::Provider { message } => json!({"kind": error.kind(), "message": message}),
    };
    errors.iter().map(of).collect()
}
