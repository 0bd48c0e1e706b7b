//! The signals that end calls: the end of one call, of an answer, of a message, and of the input.

use alloc::vec::Vec;

use super::ending::Ending;
use super::open_call::{OpenCall, Phase};
use super::signals::Signals;
use super::start::Slot;

impl Signals<'_> {
    pub(crate) fn stop(&mut self, slot: Slot<'_>) {
        let Some(number) = self.find(slot) else { return };
        let Some(call) = self.calls.open.get_mut(number) else { return };
        if call.stop(&self.calls.options, self.listener) {
            call.phase = Phase::Stopped;
        } else {
            self.end_call(number, Ending::Announced);
        }
    }

    /// Ends an open call that receives no more input, because its result has arrived or another call has begun.
    pub(crate) fn end_early(&mut self, number: u64) {
        if self.calls.open.contains(number) {
            self.end_call(number, Ending::Announced);
        }
    }

    /// Ends the calls that wait for a reason. The stream continues, so the message's end has not cut them.
    pub(crate) fn settle(&mut self) {
        self.end_all(&|call| (call.phase == Phase::Stopped).then_some(Ending::Announced));
    }

    pub(crate) fn finish(&mut self, reason: Option<&str>) {
        let noted = self.calls.take_noted();
        self.end_all(&|call| {
            let reason = reason.or_else(|| noted.get(call.known.choice).map(|noted| &**noted));
            Some(reason.map_or(Ending::Announced, Ending::Reason))
        });
    }

    pub(crate) fn finish_choice(&mut self, choice: u64, reason: Option<&str>) {
        let ending = reason.map_or(Ending::Announced, Ending::Reason);
        self.end_all(&|call| (call.known.choice == choice).then_some(ending));
    }

    /// Ends the calls of a choice for this reason, on a wire whose last pieces may follow the reason. After a regular
    /// reason, a call whose text may not be whole stays open, and ends for this reason with the message. No pieces
    /// follow a reason that cuts.
    pub(crate) fn stop_choice(&mut self, choice: u64, reason: &str) {
        let ending = Ending::Reason(reason);
        let may_go_on = |call: &OpenCall| ending.is_regular() && call.may_lack_text();
        self.end_all(&|call| (call.known.choice == choice && !may_go_on(call)).then_some(ending));
        self.calls.note(choice, reason);
    }

    pub(crate) fn begin_message(&mut self) {
        self.cut("superseded");
        self.calls.clear_index();
    }

    /// Ends all open calls for this reason, although the stream has not reported its end. Noted reasons take
    /// precedence.
    pub(crate) fn cut(&mut self, reason: &str) {
        let noted = self.calls.take_noted();
        self.end_all(&|call| {
            Some(
                noted.get(call.known.choice).map(|noted| &**noted).map_or_else(|| abrupt(call, reason), Ending::Reason),
            )
        });
    }

    /// Ends one open call for this reason.
    pub(crate) fn cut_call(&mut self, slot: Slot<'_>, reason: &str) {
        if let Some(number) = self.find_open(slot) {
            self.end_call(number, Ending::Abrupt(reason));
        }
    }

    /// Ends the open calls for which `ending` returns an ending, in the order of their starts.
    fn end_all<'e>(&mut self, ending: &dyn Fn(&OpenCall) -> Option<Ending<'e>>) {
        let open = self.calls.open.iter();
        let endings: Vec<_> = open.filter_map(|(number, call)| Some((number, ending(call)?))).collect();
        for (number, ending) in endings {
            self.end_call(number, ending);
        }
    }

    /// Ends a call, whether or not it waits for a reason.
    pub(super) fn end_call(&mut self, number: u64, ending: Ending<'_>) {
        if let Some(call) = self.calls.open.remove(number) {
            self.calls.note_end(number);
            call.end(ending, &self.calls.options, self.listener);
        }
    }
}

/// Returns the ending of a call without the message's end. If the wire reported the call's own end, that counts.
fn abrupt<'r>(call: &OpenCall, reason: &'r str) -> Ending<'r> {
    if call.phase == Phase::Stopped { Ending::Announced } else { Ending::Abrupt(reason) }
}
