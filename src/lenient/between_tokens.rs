//! Bytes between tokens that are left out: trailing commas, comments, a byte order mark.

use super::run::Run;
use super::state::{MARK, Step};
use crate::error::{DeviationKind, Fault};

impl Run<'_, '_> {
    /// The bracket after a trailing comma: the comma goes, and the bracket is read.
    pub(super) fn trailing_comma(&mut self, fault: Fault, pos: usize) -> Result<usize, Fault> {
        self.pass(DeviationKind::TrailingCommas, fault)?;
        self.parts.tokenizer.take_back_comma();
        self.parts.retained.take_back_comma();
        self.place = self.place.wrapping_sub(1);
        Ok(pos)
    }

    /// The byte after a slash.
    pub(super) fn slash(&mut self, pos: usize) -> Result<usize, Fault> {
        let step = match self.chunk[pos] {
            b'/' => Some(Step::LineComment),
            b'*' => Some(Step::BlockComment),
            _ => None,
        };
        self.decide(step.map(|_| DeviationKind::Comments))?;
        self.lenient.step = step.unwrap_or_default();
        Ok(pos + 1)
    }

    /// Reads up to the line feed, which is white space again.
    pub(super) fn line_comment(&mut self, pos: usize) -> usize {
        let len = self.chunk[pos..].iter().position(|&byte| byte == b'\n');
        if len.is_some() {
            self.lenient.step = Step::Strict;
        }
        len.map_or(self.chunk.len(), |len| pos + len)
    }

    /// Reads up to the asterisk and slash that end the comment. Lines are counted, as in white space.
    pub(super) fn block_comment(&mut self, pos: usize, mut is_after_star: bool) -> usize {
        for (place, &byte) in self.chunk.iter().enumerate().skip(pos) {
            if is_after_star && byte == b'/' {
                self.lenient.step = Step::Strict;
                return place + 1;
            }
            is_after_star = byte == b'*';
            if byte == b'\n' {
                self.parts.tokenizer.begin_line(self.start + place as u64 + 1);
            }
        }
        self.lenient.step = if is_after_star { Step::BlockCommentStar } else { Step::BlockComment };
        self.chunk.len()
    }

    /// The second and third byte of a byte order mark.
    pub(super) fn mark(&mut self, matched: u8, pos: usize) -> Result<usize, Fault> {
        let is_mark = self.chunk[pos] == MARK[usize::from(matched)];
        if is_mark && matched == 1 {
            self.lenient.step = Step::Mark(2);
        } else {
            self.decide(is_mark.then_some(DeviationKind::ByteOrderMark))?;
            self.lenient.step = Step::Strict;
        }
        Ok(pos + 1)
    }
}
