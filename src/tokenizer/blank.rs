//! White space between tokens (RFC 8259 §2): counts its lines and limits its length.

use super::{Read, Tokenizer};
use crate::error::{ErrorKind, Fault};

impl Tokenizer {
    /// Reads white space. Lines are counted here, because line feeds are allowed nowhere else.
    #[inline(never)]
    pub(super) fn white_space(&mut self, chunk: &[u8], pos: usize) -> Read {
        let Some(start) = self.limits.blank_start(self.at(pos)) else { return Ok(self.pass_white_space(chunk, pos)) };
        let limit = start.saturating_add(self.limits.blank);
        let room = usize::try_from(limit - self.at(pos)).unwrap_or(usize::MAX);
        let within = chunk.get(..pos.saturating_add(room)).unwrap_or(chunk);
        let end = self.pass_white_space(within, pos);
        self.limits.set_blank(start..self.at(end));
        if self.at(end) == limit && chunk.get(end).is_some_and(|&byte| is_white_space(byte)) {
            return Err(Fault::new(ErrorKind::BlankLimit, limit, "expected no more white space than allowed"));
        }
        Ok(end)
    }

    fn pass_white_space(&mut self, chunk: &[u8], mut pos: usize) -> usize {
        while let Some(&byte) = chunk.get(pos).filter(|&&byte| is_white_space(byte)) {
            pos += 1;
            if byte == b'\n' {
                self.lines += 1;
                self.line_start = self.at(pos);
            }
        }
        pos
    }
}

/// Returns true for white space, which is allowed between tokens (RFC 8259 §2).
#[inline]
pub(crate) fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns true if a byte after a number or literal surely does not belong to it: white space or a structural
/// character.
pub(crate) fn may_follow_atom(byte: u8) -> bool {
    is_white_space(byte) || matches!(byte, b'"' | b'[' | b']' | b'{' | b'}' | b',' | b':')
}
