//! The output of the callback form: each event is reported as soon as it is found.

use super::{Kept, Output, Selected, SomeMatches, SomeText};
use crate::error::Error;
use crate::event::{CompleteValue, Event, EventKind};

/// Calls back for each event. Over `dyn FnMut` the engine is compiled once, not once per closure.
pub(in crate::parser) struct Callback<'a, F: ?Sized> {
    on_event: &'a mut F,
}

impl<'a, F: FnMut(Event<'_>) + ?Sized> Callback<'a, F> {
    pub(in crate::parser) fn new(on_event: &'a mut F) -> Self {
        Self { on_event }
    }

    #[inline]
    fn report(&mut self, selected: &Selected<'_>, kind: EventKind<'_>, offset: u64) {
        let path = selected.paths.path(selected.node);
        for (pattern, match_id) in selected.matches() {
            (self.on_event)(Event { pattern, match_id, path, kind, offset });
        }
    }

    #[inline]
    fn report_end(&mut self, selected: &Selected<'_>, text: Option<&[u8]>, end: u64) {
        let path = selected.paths.path(selected.node);
        let value = text.map(|text| CompleteValue { kind: selected.kind, end, text, path });
        self.report(selected, EventKind::End(value), end);
    }
}

impl<F: FnMut(Event<'_>) + ?Sized> Output for Callback<'_, F> {
    #[inline]
    fn reads_later(&self) -> bool {
        false
    }

    #[inline]
    fn begin(&mut self, selected: &Selected<'_>, at: u64) {
        self.report(selected, EventKind::Begin(selected.kind), at);
    }

    #[inline]
    fn delta(&mut self, selected: &Selected<'_>, text: &str, at: u64) {
        self.report(selected, EventKind::Delta(text), at);
    }

    #[inline]
    fn some_delta(&mut self, matches: &mut SomeMatches, new: SomeText<'_>) {
        let (path, kind, offset) = (new.paths.path(new.node), EventKind::Delta(new.text), new.at);
        for &(pattern, match_id) in &matches.matches {
            (self.on_event)(Event { pattern, match_id, path, kind, offset });
        }
    }

    #[inline]
    fn end_atom(&mut self, selected: &Selected<'_>, text: &str, end: u64) {
        self.report_end(selected, Some(text.as_bytes()), end);
    }

    #[inline]
    fn end_span(&mut self, selected: &Selected<'_>, end: u64, kept: Kept<'_>) {
        self.report_end(selected, kept.map(|(_, text)| text), end);
    }

    fn inner_error(&mut self, selected: &Selected<'_>, error: &Error) {
        self.report(selected, EventKind::InnerError(error), error.offset());
    }
}
