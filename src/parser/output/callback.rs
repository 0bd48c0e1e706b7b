//! The output of the callback form: each event is reported as soon as it is found.

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
    #[inline]
    fn report(&mut self, value: &Selected<'_>, what: Report<'_>) {
        let path = value.paths.path(value.node);
        let complete = |text, end| CompleteValue { kind: value.kind, end, text, path };
        let (kind, offset) = match what {
            Report::Begin { at } => (EventKind::Begin(value.kind), at),
            Report::Delta { text, at } => (EventKind::Delta(text), at),
            Report::EndAtom { text, end } => (EventKind::End(Some(complete(text.as_bytes(), end))), end),
            Report::EndSpan { kept, end } => (EventKind::End(kept.map(|(_, text)| complete(text, end))), end),
            Report::InnerError(error) => (EventKind::InnerError(error), error.offset()),
        };
        for (pattern, match_id) in value.matches() {
            (self.on_event)(Event { pattern, match_id, path, kind, offset });
        }
    }
}
