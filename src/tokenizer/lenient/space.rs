//! What is passed over like white space: comments, and the byte order mark.

use super::{MARK_0, Step};
use crate::error::{DeviationKind, Fault};
use crate::tokenizer::{Sink, Tokenizer};

/// The byte order mark in UTF-8.
pub(super) const MARK: [u8; 3] = [MARK_0, 0xBB, 0xBF];

impl Tokenizer {
    pub(super) fn begin_comment<S: Sink>(&mut self, byte: u8, pos: usize, sink: &mut S) -> Result<usize, Fault> {
        if byte == b'/' {
            // The next byte says whether this is a comment.
            return self.wait(DeviationKind::Comments, Step::Slash, pos);
        }
        self.pass(DeviationKind::Comments, self.unexpected(pos), sink)?;
        self.enter(Step::LineComment);
        self.rewrite(self.at(pos), self.at(pos) + 1, "", sink);
        Ok(pos + 1)
    }

    /// The byte after a slash.
    pub(super) fn slash<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let step = match chunk[pos] {
            b'/' => Step::LineComment,
            b'*' => Step::BlockComment,
            _ => return Err(self.undecided()),
        };
        let fault = self.undecided();
        let slash = fault.offset;
        self.pass(DeviationKind::Comments, fault, sink)?;
        self.enter(step);
        self.rewrite(slash, self.at(pos) + 1, "", sink);
        Ok(pos + 1)
    }

    /// Reads up to the line feed, which is white space again.
    pub(super) fn line_comment<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> usize {
        let len = chunk[pos..].iter().position(|&byte| byte == b'\n');
        if len.is_some() {
            self.end_space();
        }
        let end = len.map_or(chunk.len(), |len| pos + len);
        self.rewrite(self.at(pos), self.at(end), "", sink);
        end
    }

    /// Reads up to the asterisk and slash that end the comment. Lines are counted, as in white space.
    pub(super) fn block_comment<S: Sink>(
        &mut self,
        chunk: &[u8],
        pos: usize,
        mut is_after_star: bool,
        sink: &mut S,
    ) -> usize {
        for (place, &byte) in chunk.iter().enumerate().skip(pos) {
            if is_after_star && byte == b'/' {
                self.end_space();
                self.rewrite(self.at(pos), self.at(place) + 1, "", sink);
                return place + 1;
            }
            is_after_star = byte == b'*';
            if byte == b'\n' {
                self.lines += 1;
                self.line_start = self.at(place) + 1;
            }
        }
        self.enter(if is_after_star { Step::BlockCommentStar } else { Step::BlockComment });
        self.rewrite(self.at(pos), self.at(chunk.len()), "", sink);
        chunk.len()
    }

    /// The second and third byte of a byte order mark.
    pub(super) fn mark<S: Sink>(
        &mut self,
        matched: u8,
        chunk: &[u8],
        pos: usize,
        sink: &mut S,
    ) -> Result<usize, Fault> {
        if chunk[pos] != MARK[usize::from(matched)] {
            return Err(self.undecided());
        }
        if matched == 1 {
            self.enter(Step::Mark(2));
        } else {
            self.pass(DeviationKind::ByteOrderMark, self.undecided(), sink)?;
            self.rewrite(0, 3, "", sink);
            self.end_space();
        }
        Ok(pos + 1)
    }

    /// Goes back to the state that was interrupted.
    fn end_space(&mut self) {
        self.state = self.interrupted;
    }
}
