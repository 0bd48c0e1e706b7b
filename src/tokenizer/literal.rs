//! `true`, `false` and `null` (RFC 8259 §3).

use super::{Interest, Read, Sink, State, Tokenizer, ValueKind};
use crate::error::{ErrorKind, Fault};

/// The open literal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenLiteral {
    first: u8,
    /// The number of its bytes that have been read.
    matched: u8,
    is_followed: bool,
}

impl OpenLiteral {
    fn text(&self) -> &'static str {
        match self.first {
            b't' => "true",
            b'f' => "false",
            _ => "null",
        }
    }

    /// Returns the literal's whole text, if it is followed.
    pub(super) fn followed(&self) -> Option<&'static str> {
        self.is_followed.then_some(self.text())
    }

    /// Returns the part that has been read.
    pub(super) fn so_far(&self) -> &'static str {
        &self.text()[..usize::from(self.matched)]
    }

    /// Returns a `null` whose first letter has been read.
    pub(super) fn null_begun(is_followed: bool) -> Self {
        Self { first: b'n', matched: 1, is_followed }
    }

    pub(super) fn expected(&self) -> &'static str {
        match self.first {
            b't' => "expected `true`",
            b'f' => "expected `false`",
            _ => "expected `null`",
        }
    }
}

impl Tokenizer {
    /// Reads a literal from its first letter on.
    #[inline(never)]
    pub(super) fn begin_literal(&mut self, kind: ValueKind, chunk: &[u8], pos: usize, sink: &mut dyn Sink) -> Read {
        let is_followed = self.is_followed() && sink.begin_atom(kind, self.at(pos))? == Interest::Follow;
        self.literal = OpenLiteral { first: chunk[pos], matched: 1, is_followed };
        self.state = State::Literal;
        self.literal(chunk, pos + 1, sink)
    }

    /// Continues a literal.
    #[inline(never)]
    pub(super) fn literal(&mut self, chunk: &[u8], mut pos: usize, sink: &mut dyn Sink) -> Read {
        let text = self.literal.text();
        while let Some(&byte) = chunk.get(pos) {
            let matched = usize::from(self.literal.matched);
            if text.as_bytes().get(matched) != Some(&byte) {
                return Err(Fault::new(ErrorKind::InvalidLiteral, self.at(pos), self.literal.expected()));
            }
            self.literal.matched += 1;
            pos += 1;
            if matched + 1 == text.len() {
                if self.literal.is_followed {
                    sink.end_atom(text, self.at(pos))?;
                }
                self.state = State::AfterValue;
                break;
            }
        }
        Ok(pos)
    }
}
