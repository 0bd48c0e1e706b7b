//! Saved state of a rewriter of calls: the events since no call was open.

use alloc::vec::Vec;

use jsonspigot::internal::saved::{Impossible, Kind, Owner, Reader};
use jsonspigot::{Error, RestoreError};

use super::CallRewriter;
use crate::saved::{History, Replay, restore};

impl CallRewriter {
    /// Buffers the events since no call was open, up to `limit` bytes, so that the rewriter can be [saved](Self::save).
    /// Past the limit they are rewritten as before, and saving fails until no call is open.
    /// [`SAVE_LIMIT`](crate::SAVE_LIMIT) is a good one; `usize::MAX` stands for none. It is not part of a state.
    #[must_use]
    pub fn saveable(self, limit: usize) -> Self {
        Self { history: History::new(limit), ..self }
    }

    /// Returns the state as bytes, between two events; see [`Rewriter::save`](jsonspigot::Rewriter::save).
    ///
    /// # Errors
    ///
    /// [`NotRetained`](jsonspigot::ErrorKind::NotRetained) unless the rewriter is [saveable](Self::saveable), and past
    /// the limit that was given there. [`Panicked`](jsonspigot::ErrorKind::Panicked) after a panic in a closure.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        self.history.save(&self.owner())
    }

    /// Resumes where a [saved](Self::save) one was. This one is new, for the same provider, with the same patterns,
    /// rules and choices; what it has read is forgotten. The closures of its rules are called once more for the values
    /// in open calls.
    ///
    /// ```
    /// use jsonspigot::Rule;
    /// use jsonspigot_llm::{CallRewriter, Provider, SAVE_LIMIT};
    ///
    /// let new = || {
    ///     let calls = CallRewriter::new(Provider::Anthropic, [("password", Rule::redact())])?;
    ///     Ok::<_, jsonspigot::RuleError>(calls.saveable(SAVE_LIMIT))
    /// };
    /// let event = |json: &str| format!(r#"{{"type":"content_block_delta","delta":{{"partial_json":"{json}"}}}}"#);
    /// let mut calls = new()?;
    /// calls.push(r#"{"type":"content_block_start","content_block":{"type":"tool_use","id":"1","name":"f"}}"#)?;
    /// calls.push(&event(r#"{\"password\": \"hun"#))?;
    ///
    /// let mut calls = new()?.restore(&calls.save()?)?;
    /// assert_eq!(calls.push(&event(r#"ter2\"}"#))?, event("}"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Rewriter::restore`](jsonspigot::Rewriter::restore); another provider is another choice.
    pub fn restore(mut self, bytes: &[u8]) -> Result<Self, RestoreError> {
        self.reset();
        restore(&self.owner(), self, bytes)
    }

    fn owner(&self) -> Owner {
        let choices = self.readers.provider as u64 * 2 + u64::from(self.passes_unknown);
        self.texts.strings.owner(Kind::CallRewriter).with_choice(choices)
    }
}

impl Replay for CallRewriter {
    fn history(&mut self) -> &mut History {
        &mut self.history
    }

    fn restore_base(&mut self, _: &mut Reader<'_>) -> Result<(), Impossible> {
        // Without an open call it is as new.
        Err(Impossible)
    }

    fn replay(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        // Errors were reported when the event was pushed first.
        let _ = self.push(reader.text()?);
        Ok(())
    }
}
