//! Saved state of an envelope: the chunks since the text was last outside payloads.

use alloc::vec::Vec;
use core::fmt::Write as _;

use jsonspigot::internal::saved::{Impossible, Kind, Owner, Reader};
use jsonspigot::{Error, RestoreError};

use super::any_fence::Fences;
use super::{Envelope, State};
use crate::saved::{History, Replay, restore};

impl Envelope {
    /// Returns the envelope's state as bytes. [`restore`](Self::restore) turns them into an envelope that resumes where
    /// this one was, in another process or on another machine. The state can be saved between any two chunks. See
    /// [`Parser::save`](jsonspigot::Parser::save).
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent, SAVE_LIMIT};
    /// use jsonspigot::PatternSet;
    ///
    /// let fence = Delimiter::fence("json")?;
    /// let new = || Envelope::builder().saveable(SAVE_LIMIT).build([fence.clone()], &PatternSet::default());
    /// let mut envelope = new();
    /// envelope.feed("Here you are: ```json\n{\"a\": [1, ").check()?;
    /// let saved = envelope.save()?;
    ///
    /// // Later, elsewhere.
    /// let mut envelope = new().restore(&saved)?;
    /// envelope.feed("2]}\n```").check()?;
    /// let ended = envelope.finish().last();
    /// assert!(matches!(ended, Some(EnvelopeEvent::End { payload, .. }) if payload.value().is_some()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`NotRetained`](jsonspigot::ErrorKind::NotRetained) if the envelope was not built
    /// [saveable](crate::EnvelopeBuilder::saveable), or if the limit given there was exceeded and the payload has not
    /// ended. Returns [`Panicked`](jsonspigot::ErrorKind::Panicked) after a panic in a callback. The envelopes of a
    /// [`ProviderStream`](crate::ProviderStream) are saved with the stream, not on their own.
    ///
    /// # Cost
    ///
    /// Linear in the text since the chunk in which the open payload began. Outside payloads, a state has about 30
    /// bytes.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        self.history.save(&self.owner())
    }

    /// Resumes where a [saved](Self::save) envelope was. This envelope must have the same patterns, delimiters and
    /// options. Anything that it has read is discarded.
    ///
    /// # Errors
    ///
    /// As for [`Parser::restore`](jsonspigot::Parser::restore). Different delimiters give
    /// [`OtherChoices`](RestoreError::OtherChoices).
    ///
    /// # Cost
    ///
    /// The same as for feeding the text since the open payload began.
    pub fn restore(mut self, bytes: &[u8]) -> Result<Self, RestoreError> {
        self.reset();
        restore(&self.owner(), self, bytes)
    }

    pub(crate) fn owner(&self) -> Owner {
        let Owner { kind, patterns, choices } = self.payload.parser.owner(Kind::Envelope);
        let limits = choices.with_size(self.hold_limit).with(self.payload.limit);
        let choices = self.delimiters.iter().fold(limits, |mut digest, delimiter| {
            // Writing to a digest cannot fail. Only the spelling of a `between` delimiter may have white space, so its
            // lengths follow.
            let _ = write!(digest, "{delimiter} ");
            let is_between = delimiter.is_between();
            if is_between { digest.with_size(delimiter.name.len()).with_size(delimiter.close.len()) } else { digest }
        });
        Owner { kind, patterns, choices: choices.with(self.starts_inside.into()) }
    }

    /// Returns the envelope as if new, without a history of its own.
    #[cfg(feature = "providers")]
    pub(crate) fn emptied(mut self) -> Self {
        self.history = History::default();
        self.reset();
        self
    }

    /// Restarts the history at a place outside payloads.
    pub(super) fn restart_history(&mut self) {
        self.history.restart(|out| {
            out.number(self.offset);
            if let Some(fences) = self.fences {
                fences.save(out);
            }
        });
    }
}

impl Replay for Envelope {
    fn history(&mut self) -> &mut History {
        &mut self.history
    }

    fn restore_base(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.state = State::Text;
        self.offset = reader.place()?;
        if self.fences.is_some() {
            self.fences = Some(Fences::restore(reader, self.hold_limit)?);
        }
        Ok(())
    }

    fn replay(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.feed_with(reader.text()?, |_| {});
        Ok(())
    }
}
