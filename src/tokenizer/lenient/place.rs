//! Where a text is that is inside a deviation.

use alloc::vec::Vec;

use super::{Step, space};
use crate::tokenizer::{Place, Tokenizer};

impl Tokenizer {
    #[cold]
    pub(in crate::tokenizer) fn lenient_place(&self) -> Place {
        let Some(lenient) = &self.lenient else { return Place::Value };
        match lenient.step {
            Step::Word => Place::Atom,
            Step::BareKey => Place::Key,
            Step::LoneLow(_) if self.string.is_key() => Place::Key,
            Step::LoneLow(_) => Place::String,
            _ => self.interrupted_place(),
        }
    }

    pub(in crate::tokenizer) fn is_in_bare_key(&self) -> bool {
        let step = self.lenient.as_ref().map(|lenient| lenient.step);
        self.state == crate::tokenizer::State::Lenient && step == Some(Step::BareKey)
    }

    /// Appends the last bytes, which have led into the deviation.
    #[cold]
    pub(in crate::tokenizer) fn push_lenient_tail(&self, out: &mut Vec<u8>) {
        let Some(lenient) = &self.lenient else { return };
        let text: &[u8] = match lenient.step {
            Step::Mark(read) => &space::MARK[..usize::from(read)],
            Step::Slash => b"/",
            Step::LineComment => b"#",
            Step::BlockComment => b"/*",
            Step::BlockCommentStar => b"/**",
            Step::NoneOrNan => b"N",
            Step::Word => {
                if lenient.at + lenient.word.len() < self.offset {
                    out.push(b'-');
                }
                lenient.word.so_far().as_bytes()
            }
            Step::BareKey if self.scratch.is_empty() => b"_",
            Step::BareKey => self.scratch.as_bytes(),
            Step::LoneLow(2) => b"\\uDC",
            Step::LoneLow(_) => b"\\uDC0",
        };
        out.extend_from_slice(text);
    }
}
