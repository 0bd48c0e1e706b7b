//! Saved state of an envelope: what is held back, and the open payload.
//!
//! The progress of an opening delimiter is not saved: it is read again from what is held, which is all of it.

use alloc::vec::Vec;
use core::fmt::Write as _;

use jsonspigot::internal::saved::{self, Impossible, Kind, Owner, Reader, Writer};
use jsonspigot::{Error, RestoreError};

use super::any_fence::Fences;
use super::opening::Verdict;
use super::{Envelope, State};

/// The states as they are written: by their places.
const STATES: [State; 5] = [State::Inside, State::Text, State::Opening, State::Payload, State::Interrupted];

impl Envelope {
    /// Returns the envelope's state as bytes. [`restore`](Self::restore) makes an envelope of them that resumes as if
    /// nothing had happened, in another process or on another machine: between two chunks, at any time; see
    /// [`Parser::save`](jsonspigot::Parser::save).
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent};
    /// use jsonspigot::PatternSet;
    ///
    /// let fence = Delimiter::fence("json")?;
    /// let new = || Envelope::new([fence.clone()], &PatternSet::default());
    /// let mut envelope = new();
    /// envelope.feed("Here you are: ```json\n{\"a\": [1, ").check()?;
    /// let saved = envelope.save()?;
    ///
    /// // Later, elsewhere.
    /// let mut envelope = new().restore(&saved)?;
    /// let mut payload = None;
    /// envelope.feed("2]}\n```").check()?;
    /// envelope.finish_with(|event| {
    ///     if let EnvelopeEvent::End { payload: ended, .. } = event {
    ///         payload = ended.value().map(|value| value.to_string());
    ///     }
    /// });
    /// assert_eq!(payload.as_deref(), Some("{\"a\":[1,2]}"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None, as of [`ToolCalls::save`](crate::calls::ToolCalls::save).
    ///
    /// # Cost
    ///
    /// Linear in what is saved: the held text and, of an open payload, its text. Restoring feeds that to the
    /// parser once more.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        saved::save(&self.owner(), |out| {
            self.save_body(out);
            Ok(())
        })
    }

    /// Resumes where a [saved](Self::save) envelope was. This one is new, with the same patterns, delimiters and choices;
    /// what it has read is forgotten.
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope};
    /// use jsonspigot::{PatternSet, RestoreError};
    ///
    /// let patterns = PatternSet::default();
    /// let saved = Envelope::new([Delimiter::bare()], &patterns).save()?;
    /// let error = Envelope::new([Delimiter::tag("think")?], &patterns).restore(&saved).unwrap_err();
    /// assert_eq!(error, RestoreError::OtherChoices);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Parser::restore`](jsonspigot::Parser::restore); other delimiters are other choices.
    ///
    /// # Cost
    ///
    /// Linear in the length of the bytes.
    pub fn restore(mut self, bytes: &[u8]) -> Result<Self, RestoreError> {
        self.reset();
        saved::restore(&self.owner(), bytes, |reader| self.restore_body(reader))?;
        Ok(self)
    }

    pub(crate) fn owner(&self) -> Owner {
        let Owner { kind, patterns, choices } = self.payload.parser().owner(Kind::Envelope);
        let limits = choices.with_size(self.hold_limit).with(self.payload.limit());
        let choices = self.delimiters.iter().fold(limits, |mut digest, delimiter| {
            // Writing to a digest cannot fail. No delimiter has white space in its spelling but one whose lengths
            // follow.
            let _ = write!(digest, "{delimiter} ");
            let [open, close] = delimiter.lengths_between();
            if open > 0 { digest.with_size(open).with_size(close) } else { digest }
        });
        Owner { kind, patterns, choices: choices.with(self.starts_inside.into()) }
    }

    pub(crate) fn save_body(&self, out: &mut Writer<'_>) {
        out.byte(self.state as u8);
        out.number(self.offset);
        if let Some(fences) = self.fences {
            fences.save(out);
        }
        if self.state == State::Opening {
            out.text(&self.held);
        }
        if self.state == State::Payload {
            self.payload.save(out);
        }
    }

    pub(crate) fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.state = reader.choice(&STATES)?;
        self.offset = reader.place()?;
        Impossible::ensure(self.state != State::Inside || self.starts_inside && self.offset == 0)?;
        if self.fences.is_some() {
            self.fences = Some(Fences::restore(reader, self.hold_limit)?);
        }
        if self.state == State::Opening {
            self.held = reader.string()?;
            let first = self.held.bytes().next().filter(|first| self.first_bytes.contains(first));
            let (fences, first) = (self.fences.unwrap_or_default(), first.ok_or(Impossible)?);
            self.opening.begin(&self.delimiters, fences, first);
            let verdict = self.opening.advance(&self.delimiters, "", &self.held);
            Impossible::ensure(verdict == Verdict::Undecided)?;
        }
        if self.state == State::Payload {
            self.payload.restore(reader, &self.delimiters, self.hold_limit)?;
        }
        Ok(())
    }
}
