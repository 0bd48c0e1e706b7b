//! `true`, `false` and `null` (RFC 8259 §3).

use super::{Interest, Sink, State, Tokenizer, ValueKind};
use crate::error::{ErrorKind, Fault};

/// The literal that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenLiteral {
    literal: Literal,
    /// The number of its bytes that have been read.
    matched: u8,
    is_followed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Literal {
    #[default]
    Null,
    True,
    False,
}

impl Literal {
    #[inline]
    fn text(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True => "true",
            Self::False => "false",
        }
    }
}

impl OpenLiteral {
    /// The literal's whole text, if it is followed.
    pub(super) fn followed(&self) -> Option<&'static str> {
        self.is_followed.then_some(self.literal.text())
    }

    /// Returns the part of it that has been read.
    pub(super) fn so_far(&self) -> &'static str {
        &self.literal.text()[..usize::from(self.matched)]
    }

    /// `null`, of which the first letter has come.
    pub(super) fn null_begun(is_followed: bool) -> Self {
        Self { literal: Literal::Null, matched: 1, is_followed }
    }

    /// Returns true if the first letter of it has come, and no other.
    pub(super) fn has_begun(&self, text: &str) -> bool {
        self.literal.text() == text && self.matched == 1
    }

    pub(super) fn expected(&self) -> &'static str {
        match self.literal {
            Literal::Null => "expected `null`",
            Literal::True => "expected `true`",
            Literal::False => "expected `false`",
        }
    }
}

impl Tokenizer {
    #[inline]
    pub(super) fn begin_literal<S: Sink>(
        &mut self,
        kind: ValueKind,
        chunk: &[u8],
        pos: usize,
        sink: &mut S,
    ) -> Result<usize, Fault> {
        let literal = match (kind, chunk[pos]) {
            (ValueKind::Null, _) => Literal::Null,
            (_, b't') => Literal::True,
            _ => Literal::False,
        };
        let is_followed = self.is_followed() && sink.begin_atom(kind, self.at(pos))? == Interest::Follow;
        self.literal = OpenLiteral { literal, matched: 1, is_followed };
        self.state = State::Literal;
        self.literal(chunk, pos + 1, sink)
    }

    #[inline]
    pub(super) fn literal<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let OpenLiteral { literal, matched, is_followed } = self.literal;
        let text = literal.text();
        let missing = &text.as_bytes()[usize::from(matched)..];
        let came = &chunk[pos..chunk.len().min(pos + missing.len())];
        if let Some(wrong) = came.iter().zip(missing).position(|(byte, letter)| byte != letter) {
            return Err(Fault::new(ErrorKind::InvalidLiteral, self.at(pos + wrong), self.literal.expected()));
        }
        let end = pos + came.len();
        self.literal.matched += came.len() as u8;
        if came.len() == missing.len() {
            if is_followed {
                sink.end_atom(text, self.at(end))?;
            }
            self.state = self.after_value();
        }
        Ok(end)
    }
}
