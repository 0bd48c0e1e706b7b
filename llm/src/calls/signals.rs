//! The effect of each signal on a stream's calls: the one way in, for the functions of [`ToolCalls`](crate::ToolCalls)
//! and for every wire format.
//!
//! # Which call a fragment belongs to
//!
//! A fragment names a slot, and [`CallIndex`](super::call_index::CallIndex) knows which call was started there. Three
//! cases are left, and none of them is guessed:
//!
//! - It names no slot, as from a server that leaves out the index. If exactly one call is open it can only be that
//!   one's; otherwise nobody knows.
//! - It names a slot in which no call was started, or one whose call has ended. The slot may be wrong, or the start may
//!   have been lost.
//! - It names a slot whose call was refused because of a limit. It is nobody else's, and is dropped.
//!
//! If nobody knows, the fragment is reported as an error, and every open call that might have been meant is *tainted*:
//! it can't be complete any more. A call that starts later in the same slot is tainted too.

use alloc::boxed::Box;

use super::error::{CallError, CallErrorKind};
use super::event::{CallEvent, CallListener};
use super::executor::Executor;
use super::open_call::{OpenCall, Phase};
use super::options::Options;
use super::slot::{Place, Slot};
use super::start::CallStart;
use super::state::State;
use super::values::PathValue;

/// The reason why a call is truncated that may have lost a fragment.
const UNPLACED: &str = "unplaced";

/// The calls, and who is reported about them, for the time of one signal or one event of a provider.
pub(crate) struct Signals<'a> {
    pub(super) calls: &'a mut State,
    pub(super) listener: &'a mut dyn CallListener,
}

impl Signals<'_> {
    /// A call starts, by a signal that means just that.
    pub(crate) fn start(&mut self, slot: Slot<'_>, start: CallStart<'_>) {
        if let Some(number) = self.calls.index.find(slot) {
            let (id, name) = (start.id_or_empty(), start.name_or_empty());
            if id.is_empty() && name.is_empty() {
                return;
            }
            let is_again = !id.is_empty() && self.calls.index.find_id(slot.choice, id) == Some(number);
            match self.calls.open.get(number) {
                // The same id with another name is another call.
                Some(call) if is_again && call.is_called_otherwise(name) => {}
                Some(call) if is_again && call.phase == Phase::Open => {
                    self.identify(number, id, name);
                    let input = start.input.unwrap_or_default();
                    return self.with(number, |call, _, listener| call.repeat_start_input(input, listener));
                }
                _ if is_again => return self.report_error(CallErrorKind::Ended, number),
                _ => {}
            }
        }
        self.start_new(slot, start);
    }

    /// A call starts, whatever was in its place.
    pub(crate) fn start_new(&mut self, slot: Slot<'_>, start: CallStart<'_>) {
        if let Some(number) = self.open(slot, start) {
            self.with(number, |call, options, listener| {
                call.keep_start_input(start.input.unwrap_or_default(), options);
                call.report_start(listener);
            });
        }
    }

    /// A call opens, unreported and without its input; `None` if a limit forbids it.
    pub(crate) fn open(&mut self, slot: Slot<'_>, start: CallStart<'_>) -> Option<u64> {
        let (id, name) = (start.id_or_empty(), start.name_or_empty());
        self.settle();
        let limits = self.calls.options.limits;
        let is_name_too_long = id.len().max(name.len()) > limits.name_bytes;
        if is_name_too_long || self.calls.open.len() >= limits.open_calls {
            let kind = if is_name_too_long { CallErrorKind::NameLimit } else { CallErrorKind::OpenCallsLimit };
            self.calls.index.refuse(slot, id, &limits);
            self.report_error(kind, None);
            return None;
        }
        // Calls are numbered in the order in which they are reported: one that waits for its id waits no longer.
        if let Some(unreported) = self.calls.unreported.take() {
            self.with(unreported, |call, _, listener| call.report_start(listener));
        }
        let number = self.calls.next;
        self.calls.next += 1;
        self.calls.unreported = Some(number);
        let mut call = OpenCall::new(number, slot, &start);
        if self.calls.index.take_orphan(slot, id) {
            call.leave_out(UNPLACED);
        }
        self.calls.open.insert(number, Box::new(call));
        self.calls.index.bind(slot, id, number);
        Some(number)
    }

    /// The call that a signal means: the one in the slot, or if the signal names none, the only one that is open.
    pub(crate) fn find(&mut self, slot: Slot<'_>) -> Option<u64> {
        if slot.place == Place::Nowhere { self.only_open(slot.choice) } else { self.calls.index.find(slot) }
    }

    /// The call in a slot has another id too, which some signals may go by.
    pub(crate) fn find_also(&mut self, slot: Slot<'_>, id: &str) {
        if let Some(number) = self.find(slot)
            && !id.is_empty()
            && id.len() <= self.calls.options.limits.name_bytes
            && self.takes_key(slot.choice, id, number)
        {
            self.calls.index.bind(Slot::new(slot.choice, Place::Latest), id, number);
        }
    }

    /// Returns true if a call can be found by this id too: besides an index and its own id, by one that no other call
    /// has. A server that changes the id with each event is not followed.
    fn takes_key(&self, choice: u64, id: &str, number: u64) -> bool {
        self.calls.index.find_id(choice, id).is_none() && self.calls.index.key_count(number) < 3
    }

    /// Returns true if any call is open.
    pub(crate) fn has_open(&self) -> bool {
        !self.calls.open.is_empty()
    }

    fn only_open(&self, choice: u64) -> Option<u64> {
        if self.calls.index.has_refused() {
            return None;
        }
        let mut open = self.calls.open.iter().filter(|(_, call)| call.choice() == choice && !call.is_answer());
        let (number, _) = open.next()?;
        open.next().is_none().then_some(number)
    }

    pub(crate) fn delta(&mut self, slot: Slot<'_>, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.find(slot) {
            Some(number) => self.append(number, text),
            None => self.unplaced(slot),
        }
    }

    /// A fragment of the call with this number, open or not.
    pub(crate) fn append(&mut self, number: u64, text: &str) {
        match self.calls.open.get_mut(number) {
            // Whatever is late, the input is whole.
            Some(call) if call.phase == Phase::Sealed => self.report_error(CallErrorKind::Ended, number),
            Some(call) if call.phase == Phase::Open => {
                if self.calls.options.is_cumulative {
                    call.append_to_all(text, &self.calls.options, self.listener);
                } else {
                    call.watch_fragment(text, self.listener);
                    call.append(text, &self.calls.options, self.listener);
                }
            }
            _ => self.late(number),
        }
    }

    /// A fragment of the call with this number, or all of its input so far, on a wire that sends either.
    pub(crate) fn append_so_far(&mut self, number: u64, text: &str) {
        let rest = self.calls.open.get(number).and_then(|call| call.rest_of(text));
        match rest {
            Some("") => {}
            Some(rest) => self.append(number, rest),
            None => self.append(number, text),
        }
    }

    /// A fragment for which there is no call: it may be any open one's, or one's that is still to start.
    pub(crate) fn unplaced(&mut self, slot: Slot<'_>) {
        if !self.calls.index.was_refused(slot) {
            let has_tainted = self.taint(self.calls.index.has_choice(slot.choice).then_some(slot.choice));
            self.calls.index.orphan(slot, !has_tainted, &self.calls.options.limits);
        }
        self.report_error(CallErrorKind::NotStarted, None);
    }

    /// A fragment for a call whose end was reported. It is dropped, and may be another open one's.
    pub(crate) fn late(&mut self, number: u64) {
        self.taint(self.calls.index.choice_of(number));
        self.report_error(CallErrorKind::Ended, number);
    }

    /// A fragment was dropped: nothing that may have lost it can be complete. Whether there is any such call.
    fn taint(&mut self, choice: Option<u64>) -> bool {
        let mut has_tainted = false;
        for call in self.calls.open.values_mut() {
            if choice.is_none_or(|choice| call.choice() == choice) && call.may_have_lost() {
                call.leave_out(UNPLACED);
                has_tainted = true;
            }
        }
        has_tainted
    }

    pub(crate) fn whole(&mut self, slot: Slot<'_>, text: &str) {
        match self.find(slot) {
            _ if text.is_empty() => {}
            Some(number) => self.whole_of(number, text),
            None => self.unplaced(slot),
        }
    }

    /// The wire says that a call's input is another one than what it gave before.
    pub(crate) fn contradict(&mut self, number: u64, whole: &str) {
        self.with(number, |call, _, listener| call.contradict(whole, listener));
    }

    /// Returns true if all of an open call's input has come, and a text is what validating it makes of it.
    pub(crate) fn is_validated_as(&mut self, number: u64, text: &str) -> bool {
        self.calls.open.get_mut(number).is_some_and(|call| call.is_validated_as(text))
    }

    /// The whole input of the call with this number, open or not.
    pub(crate) fn whole_of(&mut self, number: u64, text: &str) {
        match self.calls.open.get_mut(number) {
            Some(call) => call.whole(text, &self.calls.options, self.listener),
            None => self.late(number),
        }
    }

    /// A call that comes whole, in one piece.
    pub(crate) fn whole_call(&mut self, choice: u64, start: CallStart<'_>) {
        let slot = Slot::new(choice, Place::Latest);
        if let Some(number) = self.open(slot, start) {
            self.with(number, |call, _, listener| call.report_start(listener));
            self.whole(slot, start.input.unwrap_or_default());
            self.stop(slot);
        }
    }

    /// A value by its path, for the open call that was touched last.
    pub(crate) fn set(&mut self, choice: u64, path: &str, value: PathValue<'_>) {
        match self.calls.index.find(Slot::new(choice, Place::Latest)) {
            Some(number) => match self.calls.open.get_mut(number) {
                Some(call) => call.set(path, value, &self.calls.options, self.listener),
                // Its end has come too early: nothing said what all of it is.
                None => self.unplaced(Slot::new(choice, Place::Latest)),
            },
            None => self.unplaced(Slot::new(choice, Place::Latest)),
        }
    }

    /// The call that was last started in a slot, open or not.
    pub(crate) fn find_in(&mut self, slot: Slot<'_>) -> Option<u64> {
        self.calls.index.find(slot)
    }

    /// The call that a signal means, if it is open.
    pub(crate) fn find_open(&mut self, slot: Slot<'_>) -> Option<u64> {
        self.find(slot).filter(|number| self.calls.open.contains(*number))
    }

    /// Notes that what follows in this slot is for a call from before.
    pub(crate) fn resume(&mut self, slot: Slot<'_>, number: u64) {
        self.calls.index.bind(slot, "", number);
    }

    /// A piece of text that was put together here, for an open call: other than a fragment it is never cumulative.
    pub(crate) fn append_composed(&mut self, number: u64, text: &str) {
        self.with(number, |call, options, listener| call.append(text, options, listener));
    }

    /// Returns true if the call with an id is the open one in a slot.
    pub(crate) fn is_open(&mut self, slot: Slot<'_>, id: &str) -> bool {
        let number = self.calls.index.find_id(slot.choice, id);
        number.is_some_and(|number| self.calls.index.find(slot) == Some(number) && self.calls.open.contains(number))
    }

    /// Returns true if the call in a slot, or with an id, has ended.
    pub(crate) fn has_ended(&mut self, slot: Slot<'_>, id: &str) -> bool {
        let number = self.calls.index.find(slot).or_else(|| self.calls.index.find_id(slot.choice, id));
        number.is_some_and(|number| !self.calls.open.contains(number))
    }

    /// The input is whole, says the wire; the call's end is still to come, deltas are not.
    pub(crate) fn seal(&mut self, slot: Slot<'_>) {
        if let Some(call) = self.call_in(slot)
            && call.phase == Phase::Open
        {
            call.phase = Phase::Sealed;
        }
    }

    /// The wire says that what it gives is not all, or that by now it is.
    pub(crate) fn set_incomplete(&mut self, slot: Slot<'_>, is_incomplete: bool) {
        if let Some(call) = self.call_in(slot) {
            call.set_incomplete(is_incomplete);
        }
    }

    /// The wire says, after the start, who executes the call in a slot.
    pub(crate) fn set_executor(&mut self, slot: Slot<'_>, executor: Executor) {
        if let Some(call) = self.call_in(slot) {
            call.set_executor(executor);
        }
    }

    /// The first id and name that are not empty win. Another name contradicts.
    pub(crate) fn identify(&mut self, number: u64, id: &str, name: &str) {
        if id.len().max(name.len()) > self.calls.options.limits.name_bytes {
            return self.report_error(CallErrorKind::NameLimit, number);
        }
        let Some(call) = self.calls.open.get_mut(number) else { return };
        call.identify(id, name, self.listener);
        let (choice, is_own) = (call.choice(), call.id() == id);
        if !id.is_empty() && (is_own || self.takes_key(choice, id, number)) {
            self.calls.index.bind(Slot::new(choice, Place::Latest), id, number);
        }
        let Some(call) = self.calls.open.get_mut(number) else { return };
        if !call.id().is_empty() && !call.name().is_empty() {
            call.report_start(self.listener);
        }
    }

    /// Appends a piece of an open call's name. Returns false for what can't be one.
    pub(crate) fn extend_name(&mut self, number: u64, piece: &str) -> bool {
        let most = self.calls.options.limits.name_bytes;
        self.calls.open.get_mut(number).is_some_and(|call| call.extend_name(piece, most))
    }

    /// The choice may have ended for this reason, or there may be more.
    pub(crate) fn note(&mut self, choice: u64, reason: &str) {
        self.calls.index.note(choice, reason, &self.calls.options.limits);
    }

    /// Notes why all choices may have ended.
    pub(crate) fn note_all(&mut self, reason: &str) {
        self.calls.index.note_all(reason);
    }

    /// An event was left out unread: nothing that is open can be complete.
    pub(crate) fn leave_out(&mut self, reason: &'static str) {
        self.calls.leave_out(reason);
    }

    /// A piece of a message's own text, where that text is JSON.
    pub(crate) fn content(&mut self, choice: u64, text: &str) {
        let slot = Slot::new(choice, Place::Content);
        let found = self.calls.index.find(slot).filter(|number| self.calls.open.contains(*number));
        if let Some(number) = found.or_else(|| self.open(slot, CallStart::unnamed())) {
            self.with(number, |call, options, listener| call.append(text, options, listener));
        }
    }

    pub(crate) fn report_error(&mut self, kind: CallErrorKind, call: impl Into<Option<u64>>) {
        self.listener.on_call_event(CallEvent::Error(CallError::new(kind, call)));
    }

    fn call_in(&mut self, slot: Slot<'_>) -> Option<&mut OpenCall> {
        let number = self.find(slot)?;
        self.calls.open.get_mut(number).map(|call| &mut **call)
    }

    fn with(&mut self, number: u64, act: impl FnOnce(&mut OpenCall, &Options, &mut dyn CallListener)) {
        if let Some(call) = self.calls.open.get_mut(number) {
            act(call, &self.calls.options, self.listener);
        }
    }
}
