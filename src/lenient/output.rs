//! The output of a translated text: events have offsets of the original text, but the text of complete values is taken
//! from the retained strict text.

use crate::error::{Error, Fault};
use crate::parser::{Kept, Output, Retained, Selected, SomeMatches, SomeText, TextPiece, TokenOutput};

pub(super) struct StrictTextOutput<'a, 'o> {
    pub(super) out: &'a mut (dyn TokenOutput + 'o),
    pub(super) retained: &'a Retained,
    pub(super) marks: &'a mut alloc::vec::Vec<u64>,
    /// The offset of the current piece minus its position in the strict text.
    pub(super) shift: u64,
}

impl Output for StrictTextOutput<'_, '_> {
    fn reads_later(&self) -> bool {
        self.out.reads_later()
    }

    fn begin(&mut self, selected: &Selected<'_>, at: u64) {
        if selected.level == 0 {
            self.marks.push(at.wrapping_sub(self.shift));
        }
        self.out.begin(selected, at);
    }

    fn delta(&mut self, selected: &Selected<'_>, text: &str, at: u64) {
        self.out.delta(selected, text, at);
    }

    fn delta_among_others(&mut self, selected: &Selected<'_>, text: &str, at: u64) {
        self.out.delta_among_others(selected, text, at);
    }

    fn some_delta(&mut self, matches: &mut SomeMatches, new: SomeText<'_>) {
        self.out.some_delta(matches, new);
    }

    fn end_atom(&mut self, selected: &Selected<'_>, text: &str, end: u64) {
        if selected.level == 0 {
            self.marks.pop();
        }
        self.out.end_atom(selected, text, end);
    }

    fn end_span(&mut self, selected: &Selected<'_>, end: u64, kept: Kept<'_>) {
        if selected.level > 0 {
            return self.out.end_span(selected, end, kept);
        }
        let range = self.marks.pop().map(|mark| mark..end.wrapping_sub(self.shift));
        let kept = range.filter(|_| self.retained.keeps_text()).and_then(|range| self.retained.find(range));
        self.out.end_span(selected, end, kept);
    }

    fn inner_error(&mut self, selected: &Selected<'_>, error: &Error) {
        self.out.inner_error(selected, error);
    }
}

impl TokenOutput for StrictTextOutput<'_, '_> {
    fn as_dyn(&mut self) -> &mut (dyn TokenOutput + '_) {
        self
    }

    fn read(&mut self, piece: TextPiece<'_>) -> Result<(), Fault> {
        // The text inside a string is kept as it is read.
        self.out.read(piece)
    }
}
