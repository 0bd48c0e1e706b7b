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

    /// Calls the closure for each pattern that selects the value.
    #[inline(always)]
    fn call<'e>(&mut self, value: &Selected<'e>, offset: u64, kind: impl Fn() -> EventKind<'e>) {
        for (pattern, match_id) in value.matches() {
            (self.on_event)(Event { pattern, match_id, path: value.path(), kind: kind(), offset });
        }
    }
}

impl<F: FnMut(Event<'_>) + ?Sized> Output for Callback<'_, F> {
    // Always inlined, so that only the code for a delta is inlined where one is reported.
    #[inline(always)]
    fn report(&mut self, value: &Selected<'_>, what: Report<'_>) -> bool {
        let complete = |end, text| {
            let value = CompleteValue { kind: value.kind, end, text: Cow::Borrowed(text), path: value.path() };
            EventKind::End(Some(value))
        };
        match what {
            Report::Begin { at } => self.call(value, at, || EventKind::Begin(value.kind)),
            Report::Delta { text, at } => self.call(value, at, || EventKind::Delta(text.into())),
            Report::EndAtom { text, end } => self.call(value, end, || complete(end, text.as_bytes())),
            Report::EndSpan { kept: Some((_, text)), end } => self.call(value, end, || complete(end, text)),
            Report::EndSpan { kept: None, end } => self.call(value, end, || EventKind::End(None)),
            Report::InnerError(error) => self.call(value, error.offset(), || EventKind::InnerError(error.clone())),
        }
        false
    }
}
