//! The output of the callback form: each event is reported as soon as it is found.

use alloc::borrow::Cow;

use super::{Output, Report, Selected};
use crate::event::{CompleteValue, Event, EventKind};

/// An output that calls a closure for each event. With `dyn FnMut`, the engine is compiled once, not once per closure.
pub(in crate::parser) struct Callback<'a, F: ?Sized> {
    on_event: &'a mut F,
}

impl<'a, F: FnMut(Event<'_>) + ?Sized> Callback<'a, F> {
    pub(in crate::parser) fn new(on_event: &'a mut F) -> Self {
        Self { on_event }
    }
}

impl<F: FnMut(Event<'_>) + ?Sized> Output for Callback<'_, F> {
    // Always inlined, so that only the code for a delta is inlined where one is reported.
    #[inline(always)]
    fn report(&mut self, value: &Selected<'_>, what: Report<'_>) {
        let path = || value.paths.path(value.node);
        let complete =
            |end, text| CompleteValue { kind: value.kind, end, text: Cow::<[u8]>::Borrowed(text), path: path() };
        for (pattern, match_id) in value.matches() {
            let (offset, kind) = match what {
                Report::Begin { at } => (at, EventKind::Begin(value.kind)),
                Report::Delta { text, at } => (at, EventKind::Delta(text.into())),
                Report::EndAtom { text, end } => (end, EventKind::End(Some(complete(end, text.as_bytes())))),
                Report::EndSpan { ref kept, end } => {
                    (end, EventKind::End(kept.as_ref().map(|(_, text)| complete(end, text))))
                }
                Report::InnerError(error) => (error.offset(), EventKind::InnerError(error.clone())),
            };
            (self.on_event)(Event { pattern, match_id, path: path(), kind, offset });
        }
    }
}
