//! What each signal does: the one way into [`Calls`], for the neutral door and for every provider.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use super::body::PathValue;
use super::builder::{ArgumentsMode, CallsBuilder};
use super::call::{Call, Ending, Nature, OnEvent, Phase};
use super::calls::Calls;
use super::error::{CallError, CallErrorKind};
use super::event::ToolEvent;
use super::slots::{Place, Slot};
use super::wire::Payload;

/// Why a call is truncated that may have lost a fragment.
const UNPLACED: &str = "unplaced";

/// Calls, and where their events are told, for the time of one signal or provider event.
pub(super) struct Door<'a> {
    pub(super) calls: &'a mut Calls,
    pub(super) on_event: &'a mut OnEvent<'a>,
}

impl Door<'_> {
    /// A call starts, by a signal that means just that.
    pub(super) fn start(&mut self, slot: Slot<'_>, id: &str, name: &str, input: &str, nature: Nature) {
        if let Some(number) = self.calls.slots.find(slot) {
            if id.is_empty() && name.is_empty() {
                return;
            }
            let is_again = !id.is_empty() && self.calls.slots.find_id(slot.choice, id) == Some(number);
            match self.calls.open.get(&number) {
                Some(call) if is_again && call.phase == Phase::Open => return self.identify(number, id, name),
                _ if is_again => return self.tell_error(CallErrorKind::Ended, number),
                _ => {}
            }
        }
        if let Some(number) = self.open(slot, id, name, nature) {
            self.with(number, |call, choices, on_event| {
                call.keep_start_input(input, choices);
                call.tell_start(on_event);
            });
        }
    }

    /// A call opens, untold; `None` if a limit forbids it.
    pub(super) fn open(&mut self, slot: Slot<'_>, id: &str, name: &str, nature: Nature) -> Option<u64> {
        self.settle();
        let limits = self.calls.choices.limits;
        let is_name_too_long = id.len().max(name.len()) > limits.name_bytes;
        if is_name_too_long || self.calls.open.len() >= limits.open_calls {
            let kind = if is_name_too_long { CallErrorKind::NameLimit } else { CallErrorKind::OpenCallsLimit };
            self.calls.slots.refuse(slot, id, &limits);
            self.tell_error(kind, None);
            return None;
        }
        let number = self.calls.next;
        self.calls.next += 1;
        let mut call = Call::new(number, slot, id, name, nature);
        if self.calls.slots.take_orphan(slot, id) {
            call.leave_out(UNPLACED);
        }
        self.calls.open.insert(number, Box::new(call));
        self.calls.slots.bind(slot, id, number);
        Some(number)
    }

    /// The call that a signal means: the one in the slot, or if the signal names none, the only one that is open.
    pub(super) fn find(&mut self, slot: Slot<'_>) -> Option<u64> {
        if slot.place == Place::Nowhere { self.only_open(slot.choice) } else { self.calls.slots.find(slot) }
    }

    /// The call in a slot has another id too, which some signals may go by.
    pub(super) fn find_also(&mut self, slot: Slot<'_>, id: &str) {
        if let Some(number) = self.find(slot)
            && !id.is_empty()
            && id.len() <= self.calls.choices.limits.name_bytes
            && self.calls.slots.find_id(slot.choice, id).is_none()
            // An index, its own id, and this one: a server that changes it with each event is not followed.
            && self.calls.slots.key_count(number) < 3
        {
            self.calls.slots.bind(Slot::new(slot.choice, Place::Latest), id, number);
        }
    }

    /// Whether any call is open.
    pub(super) fn has_open(&self) -> bool {
        !self.calls.open.is_empty()
    }

    fn only_open(&self, choice: u64) -> Option<u64> {
        if self.calls.slots.has_refused() {
            return None;
        }
        let mut open = self.calls.open.iter().filter(|(_, call)| call.choice() == choice && !call.is_content());
        let (number, _) = open.next()?;
        open.next().is_none().then_some(*number)
    }

    pub(super) fn delta(&mut self, slot: Slot<'_>, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.find(slot) {
            Some(number) => self.append(number, text),
            None => self.unplaced(slot),
        }
    }

    /// A fragment of the call with this number, open or not.
    pub(super) fn append(&mut self, number: u64, text: &str) {
        match self.calls.open.get_mut(&number) {
            Some(call) if call.phase == Phase::Open => match self.calls.choices.arguments {
                ArgumentsMode::Delta => call.append(text, &self.calls.choices, self.on_event),
                ArgumentsMode::Cumulative => call.append_to_all(text, &self.calls.choices, self.on_event),
            },
            _ => self.late(number),
        }
    }

    /// A fragment for which there is no call: it may be any open one's, or one's that is still to start.
    pub(super) fn unplaced(&mut self, slot: Slot<'_>) {
        if !self.calls.slots.was_refused(slot) {
            let has_tainted = self.taint(self.calls.slots.has_choice(slot.choice).then_some(slot.choice));
            self.calls.slots.orphan(slot, !has_tainted, &self.calls.choices.limits);
        }
        self.tell_error(CallErrorKind::NotStarted, None);
    }

    /// A fragment for a call whose end was told. It is dropped, and may be another open one's.
    pub(super) fn late(&mut self, number: u64) {
        self.taint(self.calls.slots.choice_of(number));
        self.tell_error(CallErrorKind::Ended, number);
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

    pub(super) fn whole(&mut self, slot: Slot<'_>, text: &str) {
        match self.find(slot) {
            _ if text.is_empty() => {}
            Some(number) => self.whole_of(number, text),
            None => self.unplaced(slot),
        }
    }

    /// What a server has made of the whole input, which may differ.
    pub(super) fn derived(&mut self, slot: Slot<'_>, text: &str) {
        let Some(number) = self.find(slot).filter(|_| !text.is_empty()) else { return };
        match self.calls.open.get_mut(&number) {
            Some(call) => call.derived(text, &self.calls.choices, self.on_event),
            None => self.late(number),
        }
    }

    /// The wire says that a call's input is another one than what it gave before.
    pub(super) fn contradict(&mut self, number: u64) {
        self.with(number, |call, _, on_event| call.contradict(on_event));
    }

    /// A piece of JSON text, or, where a server gives the JSON itself, the whole of it.
    pub(super) fn payload(&mut self, slot: Slot<'_>, payload: &Payload<'_>) {
        match payload {
            Payload::Text(text) => self.delta(slot, text),
            Payload::Json(json) => self.whole(slot, json),
        }
    }

    /// The whole input of the call with this number, open or not.
    pub(super) fn whole_of(&mut self, number: u64, text: &str) {
        match self.calls.open.get_mut(&number) {
            Some(call) => call.whole(text, &self.calls.choices, self.on_event),
            None => self.late(number),
        }
    }

    /// A call that comes whole, in one piece.
    pub(super) fn whole_call(&mut self, choice: u64, id: &str, name: &str, input: &str) {
        let slot = Slot::new(choice, Place::Latest);
        if let Some(number) = self.open(slot, id, name, Nature::Json) {
            self.with(number, |call, _, on_event| call.tell_start(on_event));
            self.whole(slot, input);
            self.stop(slot);
        }
    }

    /// A value by its path, for the open call that was touched last.
    pub(super) fn set(&mut self, choice: u64, path: &str, value: PathValue<'_>) {
        match self.calls.slots.find(Slot::new(choice, Place::Latest)) {
            Some(number) => match self.calls.open.get_mut(&number) {
                Some(call) => call.set(path, value, &self.calls.choices, self.on_event),
                None => self.late(number),
            },
            None => self.unplaced(Slot::new(choice, Place::Latest)),
        }
    }

    /// Whether the call with an id is the open one in a slot.
    pub(super) fn is_open(&mut self, slot: Slot<'_>, id: &str) -> bool {
        let number = self.calls.slots.find_id(slot.choice, id);
        number
            .is_some_and(|number| self.calls.slots.find(slot) == Some(number) && self.calls.open.contains_key(&number))
    }

    /// Whether the call in a slot, or with an id, has ended.
    pub(super) fn has_ended(&mut self, slot: Slot<'_>, id: &str) -> bool {
        let number = self.calls.slots.find(slot).or_else(|| self.calls.slots.find_id(slot.choice, id));
        number.is_some_and(|number| !self.calls.open.contains_key(&number))
    }

    /// The input is whole, says the wire; the call's end is still to come, deltas are not.
    pub(super) fn seal(&mut self, slot: Slot<'_>) {
        if let Some(call) = self.open_call(slot)
            && call.phase == Phase::Open
        {
            call.phase = Phase::Sealed;
        }
    }

    /// The wire says that what it gives is not all.
    pub(super) fn set_incomplete(&mut self, slot: Slot<'_>) {
        if let Some(call) = self.open_call(slot) {
            call.set_incomplete();
        }
    }

    /// The first id and name that are not empty win.
    pub(super) fn identify(&mut self, number: u64, id: &str, name: &str) {
        if id.len().max(name.len()) > self.calls.choices.limits.name_bytes {
            return self.tell_error(CallErrorKind::NameLimit, number);
        }
        let Some(call) = self.calls.open.get_mut(&number) else { return };
        call.identify(id, name);
        if !id.is_empty() {
            let choice = call.choice();
            self.calls.slots.bind(Slot::new(choice, Place::Latest), id, number);
        }
        if !call.id().is_empty() && !call.name().is_empty() {
            call.tell_start(self.on_event);
        }
    }

    pub(super) fn stop(&mut self, slot: Slot<'_>) {
        let Some(number) = self.find(slot) else { return };
        let Some(call) = self.calls.open.get_mut(&number) else { return };
        if call.stop(&self.calls.choices, self.on_event) {
            if mem::replace(&mut call.phase, Phase::Stopped) != Phase::Stopped {
                self.calls.waiting.push(number);
            }
        } else {
            self.end_call(number, Ending::Told);
        }
    }

    /// The stream has moved on: what waits for a reason was not cut by the message's end.
    fn settle(&mut self) {
        for number in mem::take(&mut self.calls.waiting) {
            self.end_call(number, Ending::Told);
        }
    }

    pub(super) fn finish(&mut self, reason: Option<&str>) {
        let noted = self.calls.slots.take_noted();
        self.end_all(
            |_| true,
            |call| match reason.or_else(|| noted.get(&call.choice()).map(String::as_str)) {
                Some(reason) => Ending::Reason(reason),
                None => Ending::Told,
            },
        );
    }

    pub(super) fn finish_choice(&mut self, choice: u64, reason: Option<&str>) {
        let ending = reason.map_or(Ending::Told, Ending::Reason);
        self.end_all(|call| call.choice() == choice, |_| ending);
    }

    pub(super) fn begin_message(&mut self) {
        self.end_all(|_| true, |call| abrupt(call, "superseded"));
        self.calls.slots.clear();
    }

    pub(super) fn end_of_input(&mut self) {
        let noted = self.calls.slots.take_noted();
        self.end_all(
            |_| true,
            |call| match noted.get(&call.choice()) {
                Some(reason) => Ending::Reason(reason),
                None => abrupt(call, "end-of-input"),
            },
        );
    }

    /// The choice may have ended for this reason, or there may be more.
    pub(super) fn note(&mut self, choice: u64, reason: &str) {
        self.calls.slots.note(choice, reason, &self.calls.choices.limits);
    }

    /// An event was left out unread: nothing that is open can be complete.
    pub(super) fn leave_out(&mut self, reason: &'static str) {
        self.calls.open.values_mut().for_each(|call| call.leave_out(reason));
    }

    pub(super) fn text(&mut self, choice: u64, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.calls.choices.is_structured {
            return self.tell(ToolEvent::Text { choice, text });
        }
        let slot = Slot::new(choice, Place::Content);
        let found = self.calls.slots.find(slot).filter(|number| self.calls.open.contains_key(number));
        if let Some(number) = found.or_else(|| self.open(slot, "", "", Nature::Json)) {
            self.with(number, |call, choices, on_event| call.append(text, choices, on_event));
        }
    }

    pub(super) fn reasoning(&mut self, choice: u64, text: &str) {
        if !text.is_empty() {
            self.tell(ToolEvent::Reasoning { choice, text });
        }
    }

    pub(super) fn refusal(&mut self, choice: u64, text: &str) {
        if !text.is_empty() {
            self.tell(ToolEvent::Refusal { choice, text });
        }
    }

    pub(super) fn usage(&mut self, json: &str) {
        self.tell(ToolEvent::Usage { json });
    }

    /// The provider's last word: whatever is open ends.
    pub(super) fn end_stream(&mut self) {
        self.finish(None);
        self.tell(ToolEvent::End);
    }

    /// The only answer has ended, for this reason if one was given.
    pub(super) fn end(&mut self, reason: &str) {
        self.finish((!reason.is_empty()).then_some(reason));
        self.reason(0, reason);
    }

    pub(super) fn reason(&mut self, choice: u64, reason: &str) {
        if !reason.is_empty() {
            self.tell(ToolEvent::Stop { choice, reason, native_reason: None });
        }
    }

    pub(super) fn tell(&mut self, event: ToolEvent<'_>) {
        (self.on_event)(event);
    }

    pub(super) fn tell_error(&mut self, kind: CallErrorKind, call: impl Into<Option<u64>>) {
        self.tell(ToolEvent::Error(CallError::new(kind, call)));
    }

    fn open_call(&mut self, slot: Slot<'_>) -> Option<&mut Call> {
        let number = self.find(slot)?;
        self.calls.open.get_mut(&number).map(|call| &mut **call)
    }

    fn with(&mut self, number: u64, act: impl FnOnce(&mut Call, &CallsBuilder, &mut OnEvent<'_>)) {
        if let Some(call) = self.calls.open.get_mut(&number) {
            act(call, &self.calls.choices, self.on_event);
        }
    }

    /// Ends all open calls that are meant, in the order of their starts.
    fn end_all<'e>(&mut self, is_meant: impl Fn(&Call) -> bool, ending: impl Fn(&Call) -> Ending<'e>) {
        let meant = self.calls.open.iter().filter(|(_, call)| is_meant(call));
        let endings: Vec<_> = meant.map(|(number, call)| (*number, ending(call))).collect();
        for (number, ending) in endings {
            self.end_call(number, ending);
        }
        let open = &self.calls.open;
        self.calls.waiting.retain(|number| open.contains_key(number));
    }

    fn end_call(&mut self, number: u64, ending: Ending<'_>) {
        if let Some(call) = self.calls.open.remove(&number) {
            self.calls.slots.end(number, self.calls.choices.limits.open_calls);
            call.end(ending, &self.calls.choices, self.on_event);
        }
    }
}

/// The wire's word for a call's end counts, also where the message's end is missing.
fn abrupt(call: &Call, reason: &'static str) -> Ending<'static> {
    if call.phase == Phase::Stopped { Ending::Told } else { Ending::Abrupt(reason) }
}
