//! A message beside a delta, with all so far: what it says once more, and what of it is compared.

use alloc::string::String;

use super::{Delta, Said};
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::event::MismatchKind;
use crate::json::{Piece, TextOrList};

impl<'a> Delta<'a> {
    /// Returns true if a message has the words of the delta beside it, or those of all before that.
    pub(super) fn is_said_by(&self, choice: u64, delta: &Self, emit: &Emitter<'_>) -> bool {
        let texts = |said: &Self| {
            let text =
                if let TextOrList::Text(text) = &said.content { text.clone().into_owned() } else { String::new() };
            let reasoning = [&said.reasoning_content, &said.reasoning].map(Piece::as_str);
            let reasoning = reasoning.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
            [
                (MismatchKind::Text, text),
                (MismatchKind::Reasoning, reasoning.into()),
                (MismatchKind::Refusal, said.refusal.as_str().into()),
            ]
        };
        texts(self).iter().zip(texts(delta)).all(|((kind, said), (_, piece))| {
            let part = Said { kind: *kind, choice, at: At::Run };
            said.is_empty() || *said == piece || emit.has_said_this(part, said)
        })
    }

    /// The words alone.
    pub(super) fn words(self) -> Self {
        let Self { content, refusal, reasoning_content, reasoning, .. } = self;
        Self { content, refusal, reasoning_content, reasoning, ..Self::default() }
    }
}
