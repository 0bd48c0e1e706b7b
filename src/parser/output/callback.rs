//! The output of the callback form: each event is reported as soon as it is found.

use super::{Output, Report, Selected};
use crate::event::{CompleteValue, Event, EventKind};
use crate::path::Path;

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
        match what {
            Report::Delta { text, at } => self.each(value, at, |_| EventKind::Delta(text.into())),
            other => self.report_edge(value, &other),
        }
    }
}

impl<F: FnMut(Event<'_>) + ?Sized> Callback<'_, F> {
    /// Reports the begin or the end of a value.
    // Never inlined, so that what is inlined for a delta stays small.
    #[inline(never)]
    fn report_edge(&mut self, value: &Selected<'_>, what: &Report<'_>) {
        // Each kind has a loop of its own, because an event is large: only the parts that it has are written.
        match *what {
            Report::Begin { at } => self.each(value, at, |_| EventKind::Begin(value.kind)),
            Report::Delta { text, at } => self.each(value, at, |_| EventKind::Delta(text.into())),
            Report::EndAtom { text, end } => self.end(value, end, text.as_bytes()),
            Report::EndSpan { kept: Some((_, text)), end } => self.end(value, end, text),
            Report::EndSpan { kept: None, end } => self.each(value, end, |_| EventKind::End(None)),
            Report::InnerError(error) => {
                self.each(value, error.offset(), |_| EventKind::InnerError(error.clone()));
            }
        }
    }

    fn end(&mut self, value: &Selected<'_>, end: u64, text: &[u8]) {
        self.each(value, end, |path| {
            EventKind::End(Some(CompleteValue { kind: value.kind, end, text: text.into(), path: path.clone() }))
        });
    }

    /// Calls the closure with an event for each pattern that selects the value.
    #[inline]
    fn each<'a>(&mut self, value: &Selected<'a>, offset: u64, kind: impl Fn(&Path<'a>) -> EventKind<'a>) {
        for (pattern, match_id) in value.matches() {
            let path = value.paths.path(value.node);
            let kind = kind(&path);
            (self.on_event)(Event { pattern, match_id, path, kind, offset });
        }
    }
}
