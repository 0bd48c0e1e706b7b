//! The effect of each signal on a stream's calls, for the functions of [`ToolCalls`](crate::ToolCalls) and for every
//! wire format.
//!
//! # The call of a fragment
//!
//! A fragment names a slot, and [`CallIndex`](super::state::CallIndex) finds the call that was started there. In
//! three cases there is no such call, and none is guessed:
//!
//! - The fragment names no slot, because the server leaves out the index. If exactly one call is open, the fragment
//!   belongs to this call; otherwise its call is unknown.
//! - No call was started in the slot, or its call has ended. The slot may be wrong, or the start may have been lost, so
//!   the call is unknown.
//! - The slot's call was refused because of a limit. The fragment belongs to no other call and is dropped.
//!
//! A fragment whose call is unknown is reported as an error, and every open call that it may belong to is *tainted*:
//! this call can't be complete any more. A call that starts later in the same slot is tainted too.

use alloc::boxed::Box;

use super::builder::Options;
use super::error::{CallError, CallErrorKind};
use super::event::{CallEvent, CallListener};
use super::open_call::{OpenCall, Phase};
use super::start::{CallStart, Executor, Place, Slot};
use super::state::State;
use super::values::PathValue;

/// The reason of truncation for a call that may have lost a fragment.
const UNPLACED: &str = "unplaced";

/// The calls and the listener of their events, during one signal or one event of a provider.
pub(crate) struct Signals<'a> {
    pub(super) calls: &'a mut State,
    pub(super) listener: &'a mut dyn CallListener,
}

impl Signals<'_> {
    /// Starts a call, unless the signal repeats the start of the open call in this slot. Reports an error if that call
    /// is sealed or has ended.
    pub(crate) fn start(&mut self, slot: Slot<'_>, start: CallStart<'_>) {
        if let Some(number) = self.calls.find_in(slot) {
            let CallStart { id, name, .. } = start;
            if id.is_empty() && name.is_empty() {
                return;
            }
            let is_again = !id.is_empty() && self.calls.find_id(slot.choice, id) == Some(number);
            match self.calls.open.get(number) {
                // A different name means another call, even with the same id.
                Some(call) if is_again && call.is_called_otherwise(name) => {}
                Some(call) if is_again && call.phase == Phase::Open => {
                    self.identify(number, id, name);
                    return self.with(number, |call, _, listener| call.repeat_start_input(start.input, listener));
                }
                _ if is_again => return self.report_error(CallErrorKind::Ended, number),
                _ => {}
            }
        }
        self.start_new(slot, start);
    }

    /// Starts a call, even if there is a call in its slot.
    pub(crate) fn start_new(&mut self, slot: Slot<'_>, start: CallStart<'_>) {
        if let Some(number) = self.open(slot, start) {
            self.with(number, |call, options, listener| {
                call.keep_start_input(start.input, options);
                call.report_start(listener);
            });
        }
    }

    /// Opens a call without taking its input or reporting its start. Reports an error and returns `None` if a limit is
    /// exceeded.
    pub(crate) fn open(&mut self, slot: Slot<'_>, start: CallStart<'_>) -> Option<u64> {
        let CallStart { id, name, .. } = start;
        self.settle();
        let limits = self.calls.options.limits;
        let is_name_too_long = id.len().max(name.len()) > limits.name_bytes;
        if is_name_too_long || self.calls.open.len() >= limits.open_calls {
            let kind = if is_name_too_long { CallErrorKind::NameLimit } else { CallErrorKind::OpenCallsLimit };
            self.calls.refuse(slot, id);
            self.report_error(kind, None);
            return None;
        }
        // Calls are reported in the order of their numbers, so a call that still waits for its id is reported now.
        if let Some(newest) = self.calls.open.values_mut().next_back() {
            newest.report_start(self.listener);
        }
        let number = self.calls.next;
        self.calls.next += 1;
        let mut call = OpenCall::new(number, slot, &start);
        if self.calls.take_orphan(slot, id) {
            call.leave_out(UNPLACED);
        }
        self.calls.open.insert(number, Box::new(call));
        self.calls.bind(slot, id, number);
        Some(number)
    }

    /// Returns the call of a signal: the call in its slot or, if the signal names none, the only open call.
    pub(crate) fn find(&mut self, slot: Slot<'_>) -> Option<u64> {
        if slot.place == Place::Nowhere { self.only_open(slot.choice) } else { self.calls.find_in(slot) }
    }

    /// Makes the call in a slot findable by a second id, which some signals use.
    pub(crate) fn find_also(&mut self, slot: Slot<'_>, id: &str) {
        if let Some(number) = self.find(slot)
            && !id.is_empty()
            && id.len() <= self.calls.options.limits.name_bytes
            && self.takes_key(slot.choice, id, number)
        {
            self.calls.bind(Slot::new(slot.choice, Place::Latest), id, number);
        }
    }

    /// Returns true if a call may be found by this id too: no call has this id, and besides its index and its own id
    /// the call has no other key. If a server changes the id with each event, the later ids are ignored.
    fn takes_key(&self, choice: u64, id: &str, number: u64) -> bool {
        self.calls.find_id(choice, id).is_none() && self.calls.place_count(number) < 3
    }

    fn only_open(&self, choice: u64) -> Option<u64> {
        if self.calls.has_refused() {
            return None;
        }
        let mut open = self.calls.open.iter().filter(|(_, call)| call.known.choice == choice && !call.known.is_answer);
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

    /// Appends a fragment to the call with this number. Reports an error if the call is sealed or has ended.
    pub(crate) fn append(&mut self, number: u64, text: &str) {
        match self.calls.open.get_mut(number) {
            // The call is not tainted, since its whole input has arrived.
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

    /// Appends a fragment to the call with this number, on a wire that sends either new text or all of the input so
    /// far.
    pub(crate) fn append_so_far(&mut self, number: u64, text: &str) -> bool {
        let rest = self.calls.open.get(number).and_then(|call| call.rest_of(text));
        match rest {
            Some("") => {}
            Some(rest) => self.append(number, rest),
            None => self.append(number, text),
        }
        rest.is_none_or(|rest| rest.len() == text.len())
    }

    /// Drops a fragment that has no call. It may belong to an open call or to a later one.
    pub(crate) fn unplaced(&mut self, slot: Slot<'_>) {
        if !self.calls.was_refused(slot) {
            let has_tainted = self.taint(self.calls.has_choice(slot.choice).then_some(slot.choice));
            self.calls.orphan(slot, !has_tainted);
        }
        self.report_error(CallErrorKind::NotStarted, None);
    }

    /// Drops a fragment for a call that has ended. It may belong to another open call.
    pub(crate) fn late(&mut self, number: u64) {
        self.taint(self.calls.choice_of(number));
        self.report_error(CallErrorKind::Ended, number);
    }

    /// Taints the open calls of a choice, or of all choices, that a dropped fragment may belong to. Returns false if
    /// no call is tainted.
    fn taint(&mut self, choice: Option<u64>) -> bool {
        let mut has_tainted = false;
        for call in self.calls.open.values_mut() {
            if choice.is_none_or(|choice| call.known.choice == choice) && call.may_have_lost() {
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

    /// Reports a mismatch: the wire sent a different input for a call.
    pub(crate) fn contradict(&mut self, number: u64, whole: &str) {
        self.with(number, |call, _, listener| call.contradict(whole, listener));
    }

    /// Returns true if the whole input of an open call has arrived, and `text` is what validation may have made of it.
    pub(crate) fn is_validated_as(&mut self, number: u64, text: &str) -> bool {
        self.calls.open.get_mut(number).is_some_and(|call| call.is_validated_as(text))
    }

    /// Takes the whole input of the call with this number. Reports an error if the call has ended.
    pub(crate) fn whole_of(&mut self, number: u64, text: &str) {
        match self.calls.open.get_mut(number) {
            Some(call) => call.whole(text, &self.calls.options, self.listener),
            None => self.late(number),
        }
    }

    /// Starts and ends a call that is sent whole, in one piece.
    pub(crate) fn whole_call(&mut self, choice: u64, start: CallStart<'_>) {
        let slot = Slot::new(choice, Place::Latest);
        if let Some(number) = self.open(slot, start) {
            self.with(number, |call, _, listener| call.report_start(listener));
            self.whole(slot, start.input);
            self.stop(slot);
        }
    }

    /// Takes in a value by its path, for the call that was used last. Reports an error if that call has ended or does not
    /// exist.
    pub(crate) fn set(&mut self, choice: u64, path: &str, value: PathValue<'_>) {
        let number = self.calls.find_in(Slot::new(choice, Place::Latest));
        match number.and_then(|number| self.calls.open.get_mut(number)) {
            Some(call) => call.set(path, value, &self.calls.options, self.listener),
            // Each call has a start before its values, so this one's start is lost, or its end came too early.
            None => {
                self.taint(Some(choice));
                self.calls.index.has_lost = true;
                self.report_error(CallErrorKind::NotStarted, None);
            }
        }
    }

    /// Returns the call of a signal if it is open.
    pub(crate) fn find_open(&mut self, slot: Slot<'_>) -> Option<u64> {
        self.find(slot).filter(|number| self.calls.open.contains(*number))
    }

    /// Appends text that a wire format has composed for an open call. Unlike a fragment, it is never cumulative.
    pub(crate) fn append_composed(&mut self, number: u64, text: &str) {
        self.with(number, |call, options, listener| call.append(text, options, listener));
    }

    /// Returns true if the call in a slot, or with an id, has ended.
    pub(crate) fn has_ended(&mut self, slot: Slot<'_>, id: &str) -> bool {
        let number = self.calls.find_in(slot).or_else(|| self.calls.find_id(slot.choice, id));
        number.is_some_and(|number| !self.calls.open.contains(number))
    }

    /// Records that the wire reported the input as whole. The call's end is still to come; a later fragment is an
    /// error.
    pub(crate) fn seal(&mut self, slot: Slot<'_>) {
        if let Some(call) = self.call_in(slot)
            && call.phase == Phase::Open
        {
            call.phase = Phase::Sealed;
        }
    }

    /// Sets whether the wire has marked the input of a call as incomplete.
    pub(crate) fn set_incomplete(&mut self, slot: Slot<'_>, is_incomplete: bool) {
        if let Some(call) = self.call_in(slot) {
            call.is_incomplete = is_incomplete;
        }
    }

    /// Sets the executor of a call, which some wires send after the start.
    pub(crate) fn set_executor(&mut self, slot: Slot<'_>, executor: Executor) {
        if let Some(call) = self.call_in(slot) {
            call.known.executor = executor;
        }
    }

    /// Sets the id and the name of a call unless they are known. A different name is reported as a mismatch.
    pub(crate) fn identify(&mut self, number: u64, id: &str, name: &str) {
        if id.len().max(name.len()) > self.calls.options.limits.name_bytes {
            return self.report_error(CallErrorKind::NameLimit, number);
        }
        let Some(call) = self.calls.open.get_mut(number) else { return };
        call.identify(id, name, self.listener);
        let (choice, is_own) = (call.known.choice, call.id() == id);
        if !id.is_empty() && (is_own || self.takes_key(choice, id, number)) {
            self.calls.bind(Slot::new(choice, Place::Latest), id, number);
        }
        let Some(call) = self.calls.open.get_mut(number) else { return };
        if !call.id().is_empty() && !call.name().is_empty() {
            call.report_start(self.listener);
        }
    }

    /// Appends a piece of an open call's name. Returns false if `piece` can't be one.
    pub(crate) fn extend_name(&mut self, number: u64, piece: &str) -> bool {
        let most = self.calls.options.limits.name_bytes;
        self.calls.open.get_mut(number).is_some_and(|call| call.extend_name(piece, most))
    }

    /// Appends a piece of the message's own text, where that text is JSON.
    pub(crate) fn content(&mut self, choice: u64, text: &str) {
        let slot = Slot::new(choice, Place::Content);
        let found = self.calls.find_in(slot).filter(|number| self.calls.open.contains(*number));
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

/// A signal to [`ToolCalls`](super::ToolCalls).
#[derive(Clone, Copy, Debug)]
pub(super) enum Signal<'a> {
    Start(Slot<'a>, CallStart<'a>),
    Delta(Slot<'a>, &'a str),
    Whole(Slot<'a>, &'a str),
    Stop(Slot<'a>),
    CutCall(Slot<'a>, &'a str),
    Finish(Option<&'a str>),
    FinishChoice(u64, Option<&'a str>),
    Cut(&'a str),
    BeginMessage,
}

impl Signal<'_> {
    pub(super) fn give(self, calls: &mut Signals<'_>) {
        match self {
            Self::Start(slot, start) => calls.start(slot, start),
            Self::Delta(slot, text) => calls.delta(slot, text),
            Self::Whole(slot, text) => calls.whole(slot, text),
            Self::Stop(slot) => calls.stop(slot),
            Self::CutCall(slot, reason) => calls.cut_call(slot, reason),
            Self::Finish(reason) => calls.finish(reason),
            Self::FinishChoice(choice, reason) => calls.finish_choice(choice, reason),
            Self::Cut(reason) => calls.cut(reason),
            Self::BeginMessage => calls.begin_message(),
        }
    }
}
