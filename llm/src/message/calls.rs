//! The calls of the message for the next request, as they were reported.

use alloc::borrow::ToOwned;

use jsonspigot::internal::on_one_line;

use super::{Ended, MOST_PARTS, PART_LEN, Shape, Turn, push_element, quoted};
use crate::calls::{Executor, ToolCall};
use crate::payload::{Payload, PayloadStatus};

impl Turn {
    /// Adds a member to the open call with this number, unless it has one already.
    pub(crate) fn extra(&mut self, call: u64, member: &str, value: &str) {
        if !value.is_empty() && self.takes(value.len() + PART_LEN) && !self.extras.contains(call) {
            if self.extras.len() >= MOST_PARTS {
                return self.spoil();
            }
            self.extras.insert(call, [",", &quoted(member), ":", value].concat());
        }
    }

    /// Adds a call of the only answer that has ended.
    pub(super) fn add_call(&mut self, call: &ToolCall<'_>, input: &Payload<'_>) {
        self.begin_next();
        let is_whole = match input.status() {
            PayloadStatus::Complete | PayloadStatus::Accepted => {
                value_of(input).is_some_and(|value| value.starts_with('{'))
            }
            status => matches!(status, PayloadStatus::Empty | PayloadStatus::Raw),
        };
        let extra = self.extras.remove(call.number).unwrap_or_default();
        let name = call.name.as_deref().unwrap_or_default();
        let id = call.id.as_deref().map(|id| ["\"id\":", &quoted(id), ","].concat()).unwrap_or_default();
        match (self.shape, self.pending.take()) {
            // Servers also refuse a call without a name.
            _ if !is_whole || name.is_empty() => self.has_bad_call = true,
            (Shape::WithCalls { .. }, _) if call.executor == Executor::Client => {
                // An empty input means no arguments, which servers expect as an object.
                let arguments = match (input.status(), value_of(input)) {
                    (PayloadStatus::Empty, _) => "{}",
                    (PayloadStatus::Complete, Some("{}")) => "{}",
                    // The original text is not valid JSON.
                    (PayloadStatus::Accepted, Some(value)) => value,
                    _ => input.raw(),
                };
                let (name, arguments) = (quoted(name), quoted(arguments));
                let (kind, member) = match input.status() {
                    PayloadStatus::Raw => (quoted("custom"), quoted("input")),
                    _ => (quoted("function"), quoted("arguments")),
                };
                let called = ["{\"name\":", &name, ",", &member, ":", &arguments, "}"].concat();
                let entry = ["{", &id, "\"type\":", &kind, ",", &kind, ":", &called, &extra, "}"].concat();
                if self.takes(entry.len() + 1) {
                    push_element(&mut self.calls, &entry);
                }
            }
            (Shape::WithCalls { .. }, _) => {}
            (_, Some(place)) if input.value().is_some() => {
                let args = on_one_line(value_of(input).unwrap_or_default());
                let whole = ["{", &id, "\"name\":", &quoted(name), ",\"args\":", &args, "}"].concat();
                self.set(Some(place), "functionCall", &whole);
                self.note_call(call, input);
            }
            (_, Some(_)) => self.spoil(),
            (_, None) => self.note_call(call, input),
        }
    }

    /// Records a reported call. All of them together are limited to the length of a message.
    fn note_call(&mut self, call: &ToolCall<'_>, input: &Payload<'_>) {
        let [id, name] = [&call.id, &call.name].map(|text| text.as_deref().unwrap_or_default().to_owned());
        let input = value_of(input).unwrap_or(input.raw()).to_owned();
        self.ended_len += id.len() + name.len() + input.len() + PART_LEN;
        if self.ended_len > self.most {
            return self.spoil();
        }
        self.ended.push(Ended { id, name, input, is_client_s: call.executor == Executor::Client });
    }
}

/// Returns the JSON text of an input's value as servers accept it: some send `null` for a tool without arguments, but
/// refuse it.
fn value_of<'a>(input: &'a Payload<'_>) -> Option<&'a str> {
    input.value().map(|value| if value.text() == "null" { "{}" } else { value.text() })
}
