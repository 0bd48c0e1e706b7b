//! White space between tokens (RFC 8259 §2): counts its lines and limits its length.

use super::{Read, Tokenizer};
use crate::error::{ErrorKind, Fault};

impl Tokenizer {
    /// Reads white space. Lines are counted here, because line feeds are allowed nowhere else.
    #[inline(never)]
    pub(super) fn white_space(&mut self, chunk: &[u8], mut pos: usize) -> Read {
        let start = self.limits.blank_start(self.at(pos));
        let limit = start.map_or(u64::MAX, |start| start.saturating_add(self.limits.blank));
        while let Some(&byte) = chunk.get(pos).filter(|&&byte| is_white_space(byte)) {
            if self.at(pos) == limit {
                return Err(Fault::new(ErrorKind::BlankLimit, limit, "expected no more white space than allowed"));
            }
            pos += 1;
            if byte == b'\n' {
                self.lines += 1;
                self.line_start = self.at(pos);
            }
        }
        if let Some(start) = start {
            self.limits.set_blank(start..self.at(pos));
        }
        Ok(pos)
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
