//! Unknown parts: events and parts of new types, and members that no field names.

use super::Emitter;
use super::failure::{BASE_RESP, Failure};
use crate::calls::Slot;
use crate::event::{StreamEvent, UnfinishedKind};
use crate::json::{Mark, Node};
use crate::message::Turn;

impl Emitter<'_> {
    /// Reports an event, or a part of one, of an unknown type.
    pub(crate) fn unknown_part(&mut self, kind: &str, value: Node<'_>) {
        self.user.stream_state.outlet.watch.see_unknown(kind, value);
        self.report(StreamEvent::UnknownPart { kind: kind.into(), json: value.given().into() });
    }

    /// Reports an event that belongs to no answer.
    pub(crate) fn unknown_event(&mut self, event: Node<'_>) {
        self.user.stream_state.outlet.watch.see_unknown("", event);
        self.report(StreamEvent::Unknown { text: event.spelt().into() });
    }

    /// Reports a piece of an unknown type. If its slot has an open call, that call cannot be complete.
    pub(crate) fn unknown_piece(&mut self, slot: Slot<'_>, kind: &str, value: Node<'_>) {
        if self.calls().find_open(slot).is_some() {
            self.leave_out("unknown-part");
        }
        self.unknown_part(kind, value);
    }

    /// Reports the members of an event beside its error.
    pub(crate) fn unread_beside(&mut self, failure: &Failure<'_>, event: Node<'_>) {
        if failure.json == event.spelt() {
            return;
        }
        for member in event.members().filter(|member| member.says_something() && !failure.has(member.key(), *member)) {
            self.unread(member.key(), member, Mark::Unread);
        }
    }

    /// Records a member of an object that is reported as a whole, so that a repetition of the member is not reported.
    pub(crate) fn note_member(&mut self, name: &str, value: Node<'_>) {
        if value.says_something() && !is_silent(name) {
            self.user.stream_state.is_new_member(name, value.spelt());
        }
    }

    /// Reports a member that no row of a table has read, and records what may be missing because of it.
    pub(crate) fn unread(&mut self, name: &str, value: Node<'_>, mark: Mark) {
        if mark == Mark::Unread {
            if !is_silent(name) && self.user.stream_state.is_new_member(name, value.given()) {
                self.unknown_member(name, value);
            }
            return;
        }
        self.report(StreamEvent::UnknownPart { kind: name.into(), json: value.given().into() });
        if mark == Mark::Torn || self.is_structured {
            self.known_mut().leave_out("unknown-part");
        }
        self.user.stream_state.outlet.leave_out("unknown-part");
        self.state().change_message(Turn::spoil);
        self.user.stream_state.outlet.watch.lose(UnfinishedKind::BadFrame);
    }

    /// Reports the provider's error in a member that no field names, or the member itself if it has any content.
    fn unknown_member(&mut self, name: &str, value: Node<'_>) {
        match Failure::in_member(name, value) {
            Some(failure) => self.fail(&failure),
            None if name == BASE_RESP && Failure::is_fine(value) => {}
            None if says_anything_inside(value) => self.unknown_part(name, value),
            None => {}
        }
    }
}

/// Returns true if a value contains anything but empty values and zeros.
fn says_anything_inside(value: Node<'_>) -> bool {
    let is_plain = |value: &Node<'_>| !value.is_object() && !value.is_list();
    value.nodes().filter(is_plain).any(|value| !value.is_nothing() && value.spelt() != "0")
}

/// Returns true if a member of this name has no information about the answer in any format: an id, or an echo of the
/// request.
pub(crate) fn is_silent(name: &str) -> bool {
    SILENT.contains(&name) || name.ends_with("id") || name.ends_with("Id")
}

/// See `tests/providers/laws/strings.rs` for the reasons.
const SILENT: [&str; 27] = [
    "amazon-bedrock-invocationMetrics",
    "caller",
    "copilot_usage",
    "cost",
    "createTime",
    "created",
    "created_at",
    "event_type",
    "format",
    "logprobs",
    "metrics",
    "model",
    "modelVersion",
    "object",
    "obfuscation",
    "p",
    "phase",
    "provider",
    "role",
    "server_label",
    "server_name",
    "service_tier",
    "status",
    "system_fingerprint",
    "timings",
    "type",
    "updated",
];
