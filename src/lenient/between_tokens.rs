//! Deviations between tokens, which are omitted from the strict text: trailing commas, comments, a byte order mark.

use super::state::{MARK, Step};
use super::translation::Translation;
use crate::error::{DeviationKind, Fault};

impl Translation<'_> {
    /// Removes the trailing comma before the bracket at `pos`.
    pub(super) fn trailing_comma(&mut self, fault: Fault, pos: usize) -> Result<usize, Fault> {
        self.tolerate(DeviationKind::TrailingCommas, fault)?;
        self.document.tokenizer.take_back_comma();
        self.document.kept.take_back_comma();
        Ok(pos)
    }

    /// Reads the byte after a slash.
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

    /// Skips a comment up to its line feed, which is white space.
    pub(super) fn line_comment(&mut self, pos: usize) -> usize {
        let len = self.chunk[pos..].iter().position(|&byte| byte == b'\n');
        if len.is_some() {
            self.lenient.step = Step::Strict;
        }
        len.map_or(self.chunk.len(), |len| pos + len)
    }

    /// Skips a comment up to and including `*/`. Lines are counted as in white space.
    pub(super) fn block_comment(&mut self, pos: usize, mut is_after_star: bool) -> usize {
        for (place, &byte) in self.chunk.iter().enumerate().skip(pos) {
            if is_after_star && byte == b'/' {
                self.lenient.step = Step::Strict;
                return place + 1;
            }
            is_after_star = byte == b'*';
            if byte == b'\n' {
                self.document.tokenizer.begin_line(self.start + place as u64 + 1);
            }
        }
        self.lenient.step = if is_after_star { Step::BlockCommentStar } else { Step::BlockComment };
        self.chunk.len()
    }

    /// Reads the second or third byte of a byte order mark.
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
