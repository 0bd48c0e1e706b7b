//! The output of a translated text: events have offsets of the original text, but the text of complete values is taken
//! from the retained strict text.

use crate::error::Fault;
use crate::parser::{DOCUMENT, Output, Report, Retained, Selected, TextPiece, TokenOutput};

pub(super) struct StrictTextOutput<'a, 'o> {
    pub(super) out: &'a mut (dyn TokenOutput + 'o),
    pub(super) retained: &'a Retained,
    pub(super) marks: &'a mut alloc::vec::Vec<u64>,
    /// The offset of the current piece minus its position in the strict text.
    pub(super) shift: u64,
}

impl Output for StrictTextOutput<'_, '_> {
    fn report(&mut self, value: &Selected<'_>, what: Report<'_>) {
        if value.level > DOCUMENT {
            return self.out.report(value, what);
        }
        let what = match what {
            Report::Begin { at } => {
                self.marks.push(at.wrapping_sub(self.shift));
                what
            }
            Report::EndAtom { .. } => {
                self.marks.pop();
                what
            }
            Report::EndSpan { end, .. } => {
                let range = self.marks.pop().map(|mark| mark..end.wrapping_sub(self.shift));
                let kept = range.filter(|_| self.retained.keeps_text()).and_then(|range| self.retained.find(range));
                Report::EndSpan { kept, end }
            }
            Report::Delta { .. } | Report::InnerError(_) => what,
        };
        self.out.report(value, what);
    }

    fn reads_later(&self) -> bool {
        self.out.reads_later()
    }
}

impl TokenOutput for StrictTextOutput<'_, '_> {
    fn as_dyn(&mut self) -> &mut (dyn TokenOutput + '_) {
        self
    }

    fn read(&mut self, piece: &mut TextPiece<'_>) -> Result<(), Fault> {
        // The text inside a string is kept as it is read.
        self.out.read(piece)
    }
}
