//! `true`, `false` and `null` (RFC 8259 §3).

use super::{Interest, Sink, State, Tokenizer, ValueKind};
use crate::error::{ErrorKind, Fault};
use crate::saved::{Impossible, Reader, Writer};

/// The literal that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenLiteral {
    text: &'static str,
    /// How many of its bytes have been read.
    matched: usize,
    is_followed: bool,
}

impl OpenLiteral {
    /// The literal's whole text, if it is followed.
    pub(super) fn followed(&self) -> Option<&'static str> {
        self.is_followed.then_some(self.text)
    }

    pub(super) fn expected(&self) -> &'static str {
        match self.text {
            "true" => "expected `true`",
            "false" => "expected `false`",
            _ => "expected `null`",
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
        let text = match (kind, chunk[pos]) {
            (ValueKind::Null, _) => "null",
            (_, b't') => "true",
            _ => "false",
        };
        let is_followed = self.is_followed() && sink.begin_atom(kind, self.at(pos))? == Interest::Follow;
        self.literal = OpenLiteral { text, matched: 1, is_followed };
        self.state = State::Literal;
        self.literal(chunk, pos + 1, sink)
    }

    #[inline]
    pub(super) fn literal<S: Sink>(&mut self, chunk: &[u8], pos: usize, sink: &mut S) -> Result<usize, Fault> {
        let OpenLiteral { text, matched, is_followed } = self.literal;
        let missing = &text.as_bytes()[matched..];
        let came = &chunk[pos..chunk.len().min(pos + missing.len())];
        if let Some(wrong) = came.iter().zip(missing).position(|(byte, letter)| byte != letter) {
            return Err(Fault::new(ErrorKind::InvalidLiteral, self.at(pos + wrong), self.literal.expected()));
        }
        let end = pos + came.len();
        self.literal.matched += came.len();
        if came.len() == missing.len() {
            if is_followed {
                sink.end_atom(text, self.at(end))?;
            }
            self.state = self.after_value();
        }
        Ok(end)
    }
}

/// Saved state.
impl OpenLiteral {
    const TEXTS: [&'static str; 3] = ["null", "true", "false"];

    pub(super) fn save(&self, out: &mut Writer<'_>) {
        out.byte(Self::TEXTS.iter().position(|text| *text == self.text).unwrap_or_default() as u8);
        out.number(self.matched as u64);
    }

    pub(super) fn restore(reader: &mut Reader<'_>) -> Result<Self, Impossible> {
        let text = reader.choice(&Self::TEXTS)?;
        let matched = reader.size()?;
        Impossible::unless((1..text.len()).contains(&matched))?;
        Ok(Self { text, matched, is_followed: false })
    }

    pub(super) fn follow(&mut self, is_followed: bool) {
        self.is_followed = is_followed;
    }

    pub(super) fn kind(&self) -> ValueKind {
        if self.text == "null" { ValueKind::Null } else { ValueKind::Bool }
    }

    /// How many bytes of it have been read.
    pub(super) fn len(&self) -> u64 {
        self.matched as u64
    }
}
