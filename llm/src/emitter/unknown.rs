//! Parts that no reader knows: events and parts of new kinds, and members that no field waits for.

use alloc::vec;

use super::Emitter;
use super::failure::{BASE_RESP, Failure};
use super::stream_state::StreamState;
use crate::calls::Slot;
use crate::event::{Opaque, Source, StreamEvent, ToolResult};
use crate::json::{Json, Mark, Others, Unread};

impl Emitter<'_> {
    /// A part of an event, or all of it, is of a kind that is not known.
    pub(crate) fn unknown_part(&mut self, kind: &str, json: Json<'_>) {
        self.user.stream_state.outlet.watch.see_unknown(kind, json.spelt());
        self.report(StreamEvent::UnknownPart { kind: kind.into(), json: json.spelt().into() });
    }

    /// A piece of a kind that is not known. What it was a piece of, if that is a call, is not whole.
    pub(crate) fn unknown_piece(&mut self, slot: Slot<'_>, kind: &str, json: Json<'_>) {
        if self.calls().find_open(slot).is_some() {
            self.leave_out("unknown-part");
        }
        self.unknown_part(kind, json);
    }

    /// Reports the members of an event that its reader had no field for.
    pub(crate) fn unread_members(&mut self, unread: &Unread, event: Json<'_>) {
        for (name, json, is_reported) in unread.members(event, &mut self.user.spelt) {
            // Many are the same with each event, or repeated with the whole.
            let word = name.word();
            let is_news = !is_silent(&word) && self.user.stream_state.is_new_member(name.spelt(), json.spelt());
            if is_news && !is_reported {
                self.unknown_member(&word, json);
            }
        }
    }

    /// Notes a member of an object that is reported as a whole, so that it is not reported where it is repeated.
    pub(crate) fn note_member(&mut self, name: &str, json: Json<'_>) {
        if json.says_something() && !is_silent(name) {
            self.user.stream_state.is_new_member(name, json.spelt());
        }
    }

    /// Reports a member that no row of a table has read.
    pub(crate) fn unread(&mut self, name: &str, json: Json<'_>, mark: Mark) {
        let is_news = |state: &mut StreamState| !is_silent(name) && state.is_new_member(name, json.spelt());
        match mark {
            Mark::Unread if is_news(self.user.stream_state) => return self.unknown_member(name, json),
            Mark::Unread => return,
            _ => self.report(StreamEvent::UnknownPart { kind: name.into(), json: json.spelt().into() }),
        }
        match mark {
            Mark::Torn => self.leave_out("unknown-part"),
            Mark::Odd if self.is_structured => self.leave_out("unknown-part"),
            Mark::Odd => {
                self.user.stream_state.outlet.leave_out("unknown-part");
                self.spoil_message();
            }
            _ => return,
        }
        self.user.stream_state.outlet.watch.lose_part();
    }

    /// A member that nobody knows: the provider's error, something unknown, or nothing.
    fn unknown_member(&mut self, name: &str, json: Json<'_>) {
        match Failure::in_member(name, json) {
            Some(failure) => self.fail(&failure),
            None if name != BASE_RESP && says_anything_inside(json) => {
                self.report(StreamEvent::UnknownPart { kind: name.into(), json: json.spelt().into() });
            }
            None => {}
        }
    }

    /// The members of a part that nobody knows, but for these, which say nothing of it.
    pub(crate) fn unknown_members(&mut self, others: &Others<'_>, silent: &[&str]) {
        for (name, json) in &others.0 {
            let word = name.word();
            // Many are the same with each piece.
            if !silent.contains(&&*word) && self.user.stream_state.is_new_member(name.spelt(), json.spelt()) {
                self.unknown_member(&word, *json);
            }
        }
    }
}

/// The JSON text of an event that has all of it as it came.
pub(super) fn json_of<'e>(event: &'e StreamEvent<'_>) -> Option<&'e str> {
    match event {
        StreamEvent::Opaque(Opaque { json, .. })
        | StreamEvent::ToolResult(ToolResult { json, .. })
        | StreamEvent::Source(Source { json, .. })
        | StreamEvent::ApprovalRequest { json, .. }
        | StreamEvent::CallCancelled { json, .. }
        | StreamEvent::ContentFilter { json, .. }
        | StreamEvent::Usage { json, .. }
        | StreamEvent::Data { json, .. }
        | StreamEvent::UnknownPart { json, .. } => Some(json),
        StreamEvent::ProviderError { json, .. } => json.as_deref(),
        _ => None,
    }
}

/// Returns true if there is more in a value than lists and objects of nothing.
fn says_anything_inside(json: Json<'_>) -> bool {
    let mut values = vec![json];
    while let Some(value) = values.pop() {
        values.extend(value.elements().chain(value.members().map(|(_, member)| member)));
        let is_container = value.is_object() || value.inside('[').is_some();
        if !is_container && !value.is_nothing() && value.spelt() != "0" {
            return true;
        }
    }
    false
}

/// Returns true if a member of this name says nothing of the answer, on any wire: ids, and echoes of the request.
fn is_silent(name: &str) -> bool {
    SILENT.contains(&name) || ["id", "_id", "Id"].iter().any(|end| name.ends_with(end))
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
