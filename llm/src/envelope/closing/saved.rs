//! Saved state of the search for a closing delimiter: what may be the beginning of one.

use jsonspigot::internal::saved::{Impossible, Reader, Writer};

use super::{Closing, ClosingText};
use crate::envelope::delimiter::Delimiter;

impl Closing {
    pub(in crate::envelope) fn save(&self, out: &mut Writer<'_>) {
        let Self { text, held, is_line_start } = self;
        if let ClosingText::Run { least, .. } = text {
            out.number(*least as u64);
        }
        out.text(held);
        out.flag(*is_line_start);
    }

    /// Reads what was saved of the search for the end of a payload that this delimiter has opened.
    pub(in crate::envelope) fn restore(
        reader: &mut Reader<'_>,
        delimiter: &Delimiter,
        longest: usize,
    ) -> Result<Self, Impossible> {
        let mut closing = Self::of(delimiter, "", longest);
        if let ClosingText::Run { least, most, .. } = &mut closing.text {
            *least = reader.size()?;
            // A longer run would not have opened.
            Impossible::ensure((3..=*most).contains(least))?;
        }
        closing.held = reader.string()?;
        closing.is_line_start = reader.flag()?;
        let held = &closing.held;
        Impossible::ensure(match &closing.text {
            ClosingText::Nothing => held.is_empty(),
            ClosingText::Literal(text) => held.len() < text.len() && text.starts_with(&**held),
            ClosingText::Run { most, .. } => held.len() < *most && held.bytes().all(|byte| byte == b'`'),
        })?;
        Ok(closing)
    }

    /// Returns the possible beginning of the closing delimiter.
    pub(in crate::envelope) fn held(&self) -> &str {
        &self.held
    }
}
