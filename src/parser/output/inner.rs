//! The output of a text inside a string: passes events on with the text's level, and finds the text of complete values
//! in what is kept of it.

use super::{LeveledOutput, Output, Selected};
use crate::parser::kept_text::KeptText;

/// The output for the values of a text inside a string.
pub(in crate::parser) struct InnerOutput<'a> {
    pub(in crate::parser) out: &'a mut dyn LeveledOutput,
    pub(in crate::parser) level: usize,
    pub(in crate::parser) kept: &'a mut KeptText,
}

impl Output for InnerOutput<'_> {
    fn reads_later(&self) -> bool {
        self.out.reads_later()
    }

    fn begin(&mut self, selected: &Selected<'_>, at: u64) {
        self.kept.begin_match(at);
        self.out.begin(selected, at);
    }

    fn delta(&mut self, selected: &Selected<'_>, text: &str, at: u64) {
        self.out.delta_among_others(self.level, selected, text, at);
    }

    fn end_atom(&mut self, selected: &Selected<'_>, text: &str, end: u64) {
        self.out.end_inner_atom(self.level, selected, text, end);
        self.kept.end_match();
    }

    fn end_span(&mut self, selected: &Selected<'_>, start: u64, end: u64, _text: Option<&[u8]>) {
        let kept = self.kept.find(start..end);
        self.out.end_inner_span(self.level, selected, end, kept);
        self.kept.end_match();
    }
}
