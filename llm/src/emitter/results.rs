//! Results of calls: results that the provider sends, and calls that wait for one.
//!
//! A provider may repeat a result. Every copy is reported, and a copy that differs from the previous one also as a
//! mismatch of its call.

use alloc::borrow::ToOwned;

use super::Emitter;
use crate::calls::{CallErrorKind, CallStart, Place, Slot, digest_of, present};
use crate::event::{StreamEvent, ToolResult};
use crate::json::Node;
use crate::message::Turn;

impl Emitter<'_> {
    /// Reports a result for the call with this id. `said` is the result itself, without members that describe the
    /// event.
    pub(crate) fn tool_result(&mut self, call_id: &str, is_error: bool, value: Node<'_>, said: &str) {
        let call = if call_id.is_empty() { None } else { self.known().find_id(0, call_id) };
        self.result_of(call, call_id, is_error, value);
        if call_id.is_empty() {
            return;
        }
        let digest = digest_of(&[if is_error { "error " } else { "" }, said].concat());
        let key = ["result/", call_id].concat();
        let before = self.remember(|state| &mut state.repeatable, 0, Place::Id(&key), digest);
        if before.is_some_and(|before| before != digest) {
            self.calls().report_error(CallErrorKind::Mismatch, call);
            self.state().change_message(Turn::refute);
        }
    }

    /// Reports a result, which ends its call if that is open.
    pub(crate) fn result_of(&mut self, call: Option<u64>, call_id: &str, is_error: bool, value: Node<'_>) {
        if let Some(call) = call {
            self.calls().end_early(call);
        }
        let (call_id, json) = (present(call_id), value.given().into());
        self.report(StreamEvent::ToolResult(ToolResult { call, call_id, is_error, json }));
    }

    /// Reports a complete call whose id identifies the request, and waits for its result. At most `open_calls` results
    /// are awaited.
    pub(crate) fn request(&mut self, id: &str, start: CallStart<'_>) {
        self.calls().whole_call(0, start.id(id));
        self.calls().settle();
        if let Some(call) = self.known_mut().find_in(Slot::new(0, Place::Latest)) {
            self.remember(|state| &mut state.results, 0, Place::Id(id), call);
        }
    }

    /// Returns the call that a response answers and stops waiting for its result; `None` if the response answers no
    /// call.
    pub(crate) fn take_request(&mut self, id: &str) -> Option<u64> {
        let call = self.user.stream_state.results.remove(0, Place::Id(id));
        if self.user.stream_state.results.is_empty() {
            self.user.stream_state.unfinished.clear();
        }
        call
    }

    /// Records that the result for the call with this id will be sent at this index.
    pub(crate) fn await_result(&mut self, index: u64, call_id: &str) {
        if let Some(call) = self.known().find_id(0, call_id) {
            self.remember(|state| &mut state.results, 0, Place::Index(index), call);
        }
    }

    /// Reports a result, or a part of one, for the call that was recorded for this index.
    pub(crate) fn piece_of_result(&mut self, index: u64, is_error: bool, value: Node<'_>) {
        let call = self.user.stream_state.results.get(0, Place::Index(index));
        if call.is_none() {
            // The event that names the call was lost.
            self.break_off("not-started");
        }
        // Only the first part of a result names its call, so the id is taken from the state.
        let call_id = call.and_then(|call| self.known().id_of(call)).unwrap_or_default().to_owned();
        self.result_of(call, &call_id, is_error, value);
    }
}
