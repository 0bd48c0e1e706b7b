//! What still comes out once the text has deviated: the begins and deltas of strings, and nothing that claims to be
//! complete.

use super::{Output, Selected};
use crate::tokenizer::ValueKind;

/// An output with a filter before it, and whether the text has deviated from JSON.
pub(in crate::parser) struct DeviationFilter<'a, O: ?Sized> {
    pub(in crate::parser) out: &'a mut O,
    pub(in crate::parser) has_deviated: bool,
}

impl<O: Output + ?Sized> Output for DeviationFilter<'_, O> {
    #[inline]
    fn reads_later(&self) -> bool {
        self.out.reads_later()
    }

    #[inline]
    fn begin(&mut self, selected: &Selected<'_>, at: u64) {
        if !self.has_deviated || selected.kind == ValueKind::String {
            self.out.begin(selected, at);
        }
    }

    #[inline]
    fn delta(&mut self, selected: &Selected<'_>, text: &str, at: u64) {
        self.out.delta(selected, text, at);
    }

    #[inline]
    fn end_atom(&mut self, selected: &Selected<'_>, text: &str, end: u64) {
        if !self.has_deviated {
            self.out.end_atom(selected, text, end);
        }
    }

    #[inline]
    fn end_span(&mut self, selected: &Selected<'_>, start: u64, end: u64, text: Option<&[u8]>) {
        if !self.has_deviated {
            self.out.end_span(selected, start, end, text);
        }
    }
}
