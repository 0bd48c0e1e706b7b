//! The beginnings and ends of messages and their answers.

use super::Emitter;
use super::blocks::Which;
use crate::calls::present;
use crate::event::StreamEvent;
use crate::event::stop::StopKind;
use crate::message::Turn;

/// The reason why an answer stops. Texts that the provider does not send are empty.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stop<'s> {
    pub(crate) reason: &'s str,
    /// The meaning of the reason; `None` for the usual one.
    pub(crate) kind: Option<StopKind>,
    pub(crate) native_reason: &'s str,
    pub(crate) stop_sequence: &'s str,
    /// True if the provider may repeat the reason.
    pub(crate) may_repeat: bool,
}

impl<'s> From<&'s str> for Stop<'s> {
    fn from(reason: &'s str) -> Self {
        Self { reason, ..Self::default() }
    }
}

impl Emitter<'_> {
    /// Reports that an answer broke off although the stream continues.
    pub(crate) fn break_off(&mut self, reason: &str) {
        self.report(StreamEvent::Incomplete { reason: reason.into() });
    }

    /// Sets the id of the message for servers that may send a new id with each event. A new id begins the next message
    /// only if this event has content, and the last message has either ended or sent content under an id that it had
    /// used before.
    pub(crate) fn message_after_end(&mut self, id: &str, model: &str, says_anything: bool) {
        let says_more = says_anything && self.user.stream_state.has_message;
        let is_another = says_more && !id.is_empty() && !self.has_message_id(id);
        if is_another && (self.user.stream_state.unfinished.is_empty() || self.user.stream_state.has_lasting_id) {
            // Another answer than the first may be open.
            if !self.user.stream_state.unfinished.is_empty() && !self.user.stream_state.unfinished.contains(&0) {
                self.break_off("superseded");
            }
            self.begin_message(id, model);
        } else {
            self.user.stream_state.has_lasting_id |= says_more && !is_another && !id.is_empty();
            self.message(id, model);
        }
    }

    /// Begins a message with each new id, and the first one even without an id.
    pub(crate) fn message_by_id(&mut self, id: &str, model: &str) {
        if self.user.stream_state.has_message && !id.is_empty() && !self.has_message_id(id) {
            self.begin_message(id, model);
        } else {
            self.message(id, model);
        }
    }

    /// Returns true if the message has this id. A message that began without an id has the empty one.
    pub(crate) fn has_message_id(&self, id: &str) -> bool {
        self.has_reported(&["message/", id].concat())
    }

    /// Adds an id to the message.
    pub(crate) fn note_message_id(&mut self, id: &str) {
        self.note_reported(&["message/", id].concat());
    }

    /// Begins a message and clears the state of the previous one. Reports that the previous message broke off if its
    /// answer is unfinished. If both have the same id, it broke off if it had any content.
    pub(crate) fn begin_message(&mut self, id: &str, model: &str) {
        let is_again = !id.is_empty() && self.has_message_id(id);
        self.end_again(None);
        if if is_again { self.user.stream_state.has_content } else { self.user.stream_state.unfinished.contains(&0) } {
            self.break_off("superseded");
        }
        self.forget_calls();
        self.end_blocks(Which::All);
        self.user.stream_state.forget_message();
        self.state().change_message(Turn::begin);
        self.know_message(id, model);
    }

    /// Forgets the calls, so the following calls are new ones whatever their ids and slots are.
    pub(crate) fn forget_calls(&mut self) {
        self.calls().begin_message();
        self.user.stream_state.said.inputs.clear();
        self.user.stream_state.has_begun_anew = true;
    }

    fn know_message(&mut self, id: &str, model: &str) {
        self.user.stream_state.has_message = true;
        self.user.stream_state.begin(0);
        self.note_message_id(id);
        self.report(StreamEvent::MessageStart { id: present(id), model: present(model) });
    }

    /// Begins the message once its id or model is known, for formats that repeat these in each event and have no event
    /// for the beginning.
    pub(crate) fn message(&mut self, id: &str, model: &str) {
        let is_known = !id.is_empty() || !model.is_empty();
        if is_known && !self.user.stream_state.has_message {
            self.know_message(id, model);
        }
    }

    /// Returns true if any answer has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.user.stream_state.outlet.watch.has_ended
    }

    /// Stops an answer and reports the reason, unless that was reported before. Does nothing if the reason is empty.
    pub(crate) fn stop<'s>(&mut self, choice: u64, stop: impl Into<Stop<'s>>) {
        let Stop { reason, kind, native_reason, stop_sequence, may_repeat } = stop.into();
        if reason.is_empty() {
            return;
        }
        let key = ["stop/", reason].concat();
        let is_known = if may_repeat { self.note_reported(&key) } else { choice == 0 && self.has_reported(&key) };
        let stream_state = &mut *self.user.stream_state;
        stream_state.unfinished.retain(|unfinished| *unfinished != choice);
        if is_known {
            return;
        }
        // Not every format has reasons for these.
        let kind = match kind.unwrap_or_else(|| StopKind::of(reason)) {
            StopKind::Finished if !stop_sequence.is_empty() => StopKind::StopSequence,
            StopKind::Finished if stream_state.refused.contains(&choice) => StopKind::Refusal,
            StopKind::Finished if stream_state.with_client_calls.contains(&choice) => StopKind::ToolUse,
            kind => kind,
        };
        let (native_reason, stop_sequence) = (present(native_reason), present(stop_sequence));
        self.report(StreamEvent::Stop { choice, reason: reason.into(), kind, native_reason, stop_sequence });
    }

    /// Records that a part begins or continues at an index, for formats that report the end of each part.
    pub(crate) fn begin_index(&mut self, index: Option<u64>) {
        let begun = &mut self.user.stream_state.begun;
        *begun = index.map_or(u64::MAX, |index| index.saturating_add(1)).max(*begun);
    }

    /// Ends the part at an index. Reports an incomplete answer if no part has begun there, since its start and content
    /// were lost.
    pub(crate) fn end_index(&mut self, index: Option<u64>) {
        if index.is_some_and(|index| index >= self.user.stream_state.begun) {
            self.begin_index(index);
            self.break_off("not-started");
        }
    }

    /// Ends one of several answers with its calls, or the only answer with all calls. Reports the reason, unless that
    /// is empty.
    pub(crate) fn end_answer<'s>(&mut self, choice: Option<u64>, stop: impl Into<Stop<'s>>) {
        let stop = stop.into();
        let reason = Some(stop.reason).filter(|reason| !reason.is_empty());
        let number = choice.unwrap_or(0);
        self.end_blocks(Which::Of(number));
        match choice {
            Some(choice) => self.calls().finish_choice(choice, reason),
            None => self.calls().finish(reason),
        }
        self.user.stream_state.unfinished.retain(|unfinished| *unfinished != number);
        self.user.stream_state.outlet.watch.has_ended = true;
        self.stop(number, stop);
    }

    /// Ends the stream, and everything that is still open, after the provider's last event.
    pub(crate) fn end_stream(&mut self) {
        self.end_again(None);
        self.calls().finish(None);
        self.end_blocks(Which::All);
        self.user.stream_state.forget_message();
        self.user.stream_state.has_ended = true;
        self.report(StreamEvent::End);
    }

    /// Ends the input, whether or not the stream has ended.
    pub(crate) fn end_input(&mut self, reason: &str) {
        self.end_again(None);
        // Read before `cut`, which may start a call without a name in an answer that has already stopped.
        let is_unfinished = !self.user.stream_state.unfinished.is_empty();
        self.calls().cut(reason);
        self.end_blocks(Which::All);
        self.user.stream_state.unfinished.clear();
        if is_unfinished || self.user.stream_state.outlet.watch.lacks_answer() {
            self.report(StreamEvent::Incomplete { reason: reason.into() });
        }
    }
}
