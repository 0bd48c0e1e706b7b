//! Messages and their answers: which have begun, and how they end.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use super::Emitter;
use crate::calls::present;
use crate::event::StreamEvent;
use crate::event::stop::StopKind;

impl Emitter<'_> {
    /// An answer breaks off, though the stream goes on.
    pub(crate) fn break_off(&mut self, reason: &str) {
        self.report(StreamEvent::Incomplete { reason: reason.into() });
    }

    /// Notes whose message an event is of: with another id than those before it begins the next one.
    pub(crate) fn message_with_id(&mut self, id: &str) {
        if self.is_message(id) {
            return;
        }
        if self.has_message() {
            self.begin_message(id, "");
        } else {
            self.message(id, "");
        }
    }

    /// The same where some servers make an id for each event: with another id the next message begins only if this
    /// event says something, and the last message has ended, or has said something under an id that it had before.
    pub(crate) fn message_after_end(&mut self, id: &str, model: &str, says_anything: bool) {
        let says_more = says_anything && self.has_message();
        let is_another = says_more && !self.is_message(id);
        if is_another && (!self.has_unfinished() || self.user.stream_state.has_lasting_id) {
            self.begin_message(id, model);
        } else {
            self.user.stream_state.has_lasting_id |= says_more && !is_another && !id.is_empty();
            self.message(id, model);
        }
    }

    /// Returns true if the message has this id, or no other is known.
    fn is_message(&self, id: &str) -> bool {
        id.is_empty() || self.has_message_id(id)
    }

    /// Returns true if the message has this id, which is empty for one that began without any.
    pub(crate) fn has_message_id(&self, id: &str) -> bool {
        self.has_reported(&message_key(id))
    }

    /// The message goes by this id too.
    pub(crate) fn note_message_id(&mut self, id: &str) {
        self.note_reported(&message_key(id));
    }

    /// A message begins, with whatever is known of it. Another one that has not ended breaks off, and so does this one
    /// if it has begun before and said something.
    pub(crate) fn begin_message(&mut self, id: &str, model: &str) {
        let is_again = !id.is_empty() && self.is_message(id);
        if if is_again { self.user.stream_state.has_content } else { self.is_unfinished(0) } {
            self.break_off("superseded");
        }
        self.forget_calls();
        self.end_blocks();
        self.user.stream_state.forget_message();
        if let Some(message) = &mut self.user.stream_state.message {
            message.begin();
        }
        self.know_message(id, model);
    }

    /// What comes next is of other calls, whatever their ids and places.
    pub(crate) fn forget_calls(&mut self) {
        self.calls().begin_message();
        self.user.stream_state.said.forget_inputs();
        self.user.stream_state.has_begun_anew = true;
    }

    fn know_message(&mut self, id: &str, model: &str) {
        self.user.stream_state.has_message = true;
        self.user.stream_state.begin(0);
        self.note_message_id(id);
        self.report(StreamEvent::MessageStart { id: present(id), model: present(model) });
    }

    /// Notes what each event of a wire says of the message, on which no event says that it begins.
    pub(crate) fn message(&mut self, id: &str, model: &str) {
        let is_known = !id.is_empty() || !model.is_empty();
        if is_known && !self.user.stream_state.has_message {
            self.know_message(id, model);
        }
    }

    /// Something of an answer has come, be there anything to report of it or not.
    pub(crate) fn begin_answer(&mut self, choice: u64) {
        self.user.stream_state.begin(choice);
    }

    /// Returns true if an answer has begun and not stopped.
    pub(crate) fn is_unfinished(&self, choice: u64) -> bool {
        self.user.stream_state.unfinished.contains(&choice)
    }

    /// The answers that have begun and not stopped.
    pub(crate) fn unfinished_answers(&self) -> Vec<u64> {
        self.user.stream_state.unfinished.clone()
    }

    /// Returns true if any answer has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.user.stream_state.outlet.watch.has_ended()
    }

    /// Returns true if the message is known.
    pub(crate) fn has_message(&self) -> bool {
        self.user.stream_state.has_message
    }

    pub(crate) fn has_unfinished(&self) -> bool {
        !self.user.stream_state.unfinished.is_empty()
    }

    /// An answer goes on after its calls: they are not what it will stop for.
    pub(crate) fn go_on_after_calls(&mut self, choice: u64) {
        self.user.stream_state.with_client_calls.retain(|with_calls| *with_calls != choice);
    }

    pub(crate) fn stop_reason(&mut self, choice: u64, reason: &str) {
        self.stop(choice, reason, StopKind::of(reason), "", "");
    }

    /// An answer has stopped for this reason, if one was given.
    pub(crate) fn stop(&mut self, choice: u64, reason: &str, kind: StopKind, native_reason: &str, stop_sequence: &str) {
        if !reason.is_empty() {
            let is_known = choice == 0 && self.has_reported(&stop_key(reason));
            let stream_state = &mut *self.user.stream_state;
            stream_state.unfinished.retain(|unfinished| *unfinished != choice);
            if is_known {
                return;
            }
            // Not every wire has words for these.
            let kind = match kind {
                StopKind::Finished if !stop_sequence.is_empty() => StopKind::StopSequence,
                StopKind::Finished if stream_state.refused.contains(&choice) => StopKind::Refusal,
                StopKind::Finished if stream_state.with_client_calls.contains(&choice) => StopKind::ToolUse,
                kind => kind,
            };
            let (native_reason, stop_sequence) = (present(native_reason), present(stop_sequence));
            self.report(StreamEvent::Stop { choice, reason: reason.into(), kind, native_reason, stop_sequence });
        }
    }

    /// The only answer stops for this reason, which the wire says twice: whichever comes first.
    pub(crate) fn stop_once(&mut self, reason: &str, stop_sequence: &str) {
        self.stop(0, reason, StopKind::of(reason), "", stop_sequence);
        self.note_stop(reason);
    }

    /// Notes that this reason was reported, and may come once more.
    pub(crate) fn note_stop(&mut self, reason: &str) {
        if !reason.is_empty() {
            self.note_reported(&stop_key(reason));
        }
    }

    /// Something begins or goes on at an index, on a wire that says so when it ends.
    pub(crate) fn begin_index(&mut self, index: Option<u64>) {
        let begun = &mut self.user.stream_state.begun;
        *begun = index.map_or(u64::MAX, |index| index.saturating_add(1)).max(*begun);
    }

    /// Something ends at an index. If nothing that is known has begun there, its beginning was lost, and all that it
    /// said.
    pub(crate) fn end_index(&mut self, index: Option<u64>) {
        if index.is_some_and(|index| index >= self.user.stream_state.begun) {
            self.begin_index(index);
            self.break_off("not-started");
        }
    }

    /// The only answer has ended, for this reason if one was given.
    pub(crate) fn end_answer(&mut self, reason: &str) {
        self.end_answer_with(reason, "");
    }

    pub(crate) fn end_answer_with(&mut self, reason: &str, stop_sequence: &str) {
        self.end_blocks_of(0);
        self.calls().finish((!reason.is_empty()).then_some(reason));
        self.user.stream_state.unfinished.retain(|unfinished| *unfinished != 0);
        self.user.stream_state.outlet.watch.end();
        self.stop(0, reason, StopKind::of(reason), "", stop_sequence);
    }

    /// The provider says that nothing more comes, for this reason if one was given.
    pub(crate) fn end_unfinished(&mut self, reason: &str, kind: StopKind) {
        for choice in mem::take(&mut self.user.stream_state.unfinished) {
            self.end_blocks_of(choice);
            self.calls().finish_choice(choice, (!reason.is_empty()).then_some(reason));
            self.user.stream_state.outlet.watch.end();
            self.stop(choice, reason, kind, "", "");
        }
    }

    /// The provider's last word: whatever is open ends.
    pub(crate) fn end_stream(&mut self) {
        self.end_again(None);
        self.calls().finish(None);
        self.end_blocks();
        self.user.stream_state.forget_message();
        self.user.stream_state.has_ended = true;
        self.report(StreamEvent::End);
    }

    /// The input has ended, be the stream at its end or not.
    pub(crate) fn end_input(&mut self, reason: &str) {
        self.end_again(None);
        // Asked before a call that never got a name starts here: its answer may have stopped.
        let is_unfinished = self.has_unfinished();
        self.calls().cut(reason);
        self.end_blocks();
        self.user.stream_state.unfinished.clear();
        if is_unfinished || self.user.stream_state.outlet.watch.lacks_answer() {
            self.report(StreamEvent::Incomplete { reason: reason.into() });
        }
    }
}

/// The key under which the reason of a stop is remembered that may be said once more.
fn stop_key(reason: &str) -> String {
    ["stop/", reason].concat()
}

/// The key under which a message's id is remembered.
fn message_key(id: &str) -> String {
    ["message/", id].concat()
}
