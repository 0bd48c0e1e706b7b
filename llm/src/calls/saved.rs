//! Saved state of calls: the signals since the message began.

use alloc::vec::Vec;

use jsonspigot::internal::saved::{Impossible, Kind, Owner, Reader, Writer};
use jsonspigot::{Error, RestoreError};

use super::signal::Signal;
use super::state::State;
use super::tool_calls::ToolCalls;
use crate::saved::{History, Replay, restore};

impl ToolCalls {
    /// Returns the state of the calls as bytes. [`restore`](Self::restore) makes calls of them that resume as if nothing
    /// had happened, in another process or on another machine; see [`Parser::save`](jsonspigot::Parser::save).
    ///
    /// The state is made of the signals since the message began, or of all if nothing says that another one has begun.
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, SAVE_LIMIT, ToolCalls};
    /// use jsonspigot::PatternSet;
    ///
    /// let patterns = PatternSet::new(["city"])?;
    /// let new = || ToolCalls::builder().patterns(&patterns).saveable(SAVE_LIMIT).build();
    /// let mut calls = new();
    /// calls.start(0, CallStart::new("get_weather").id("call_1")).check()?;
    /// calls.delta(0, r#"{"city": "Par"#).check()?;
    /// let saved = calls.save()?;
    ///
    /// // Later, elsewhere.
    /// let mut calls = new().restore(&saved)?;
    /// let mut status = None;
    /// let mut on_event = |event: CallEvent<'_>| {
    ///     if let CallEvent::End { call, input } = event {
    ///         assert_eq!((call.id, input.raw()), (Some("call_1".into()), r#"{"city": "Paris"}"#));
    ///         status = Some(input.status() == PayloadStatus::Complete);
    ///     }
    /// };
    /// calls.delta_with(0, r#"is"}"#, &mut on_event);
    /// calls.end_message_with("tool_calls", &mut on_event);
    /// assert_eq!(status, Some(true));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotRetained`](jsonspigot::ErrorKind::NotRetained) unless the calls were built
    /// [saveable](crate::ToolCallsBuilder::saveable), and past the limit that was given there, until the next message
    /// begins. [`Panicked`](jsonspigot::ErrorKind::Panicked) after a panic in a callback, likewise. The calls of a
    /// [`ProviderStream`](crate::ProviderStream) are saved with it, and not by themselves.
    ///
    /// # Cost
    ///
    /// Linear in the text of the signals.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        self.history.save(&self.owner(Kind::ToolCalls))
    }

    /// Resumes where [saved](Self::save) calls were. These are new, built with the same patterns and choices; what they
    /// have read is forgotten.
    ///
    /// ```
    /// use jsonspigot::RestoreError;
    /// use jsonspigot_llm::{CallLimits, SAVE_LIMIT, ToolCalls};
    ///
    /// let saved = ToolCalls::builder().saveable(SAVE_LIMIT).build().save()?;
    /// let other = ToolCalls::builder().limits(CallLimits::new().open_calls(8)).build();
    /// assert_eq!(other.restore(&saved).unwrap_err(), RestoreError::OtherChoices);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Parser::restore`](jsonspigot::Parser::restore).
    ///
    /// # Cost
    ///
    /// That of the signals.
    pub fn restore(self, bytes: &[u8]) -> Result<Self, RestoreError> {
        let new = Self { history: self.history.emptied(), ..self.emptied() };
        restore(&new.owner(Kind::ToolCalls), new, bytes)
    }

    /// Returns the owner of a state of the calls, or of something around them.
    pub(crate) fn owner(&self, kind: Kind) -> Owner {
        let options = &self.state.options;
        Owner { kind, patterns: options.patterns_digest(), choices: options.choices() }
    }

    /// Returns new ones with the same choices, which are not saved by themselves.
    pub(crate) fn emptied(self) -> Self {
        Self { state: State::new(self.state.options), history: History::default() }
    }
}

impl Replay for ToolCalls {
    fn history(&mut self) -> &mut History {
        &mut self.history
    }

    fn restore_base(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.state.restore_base(reader)
    }

    fn replay(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.signal(Signal::restore(reader)?, &mut |_: super::CallEvent<'_>| {});
        Ok(())
    }
}

/// What outlives a message.
impl State {
    /// Returns true if nothing is known of any call, but for what [`save_base`](Self::save_base) writes.
    pub(crate) fn is_new(&self) -> bool {
        self.open.is_empty() && self.waiting.is_empty() && self.index.is_new()
    }

    /// Returns true if no call is open and no fragment waits for one, so that a new message forgets what is known of
    /// the calls.
    #[cfg(feature = "_provider-streams")]
    pub(crate) fn is_closed(&self) -> bool {
        self.open.is_empty() && self.waiting.is_empty() && !self.index.awaits_start()
    }

    /// Returns the number of calls that have been numbered.
    #[cfg(feature = "_provider-streams")]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// The next call has this number, or a later one: others have had those before.
    pub(crate) fn count_from(&mut self, next: u64) {
        if next > self.next {
            self.next = next;
            self.unreported = next.checked_sub(1);
        }
    }

    pub(crate) fn save_base(&self, out: &mut Writer<'_>) {
        out.number(self.next);
        out.flag(self.index.has_lost);
    }

    pub(crate) fn restore_base(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.count_from(reader.place()?);
        self.index.has_lost = reader.flag()?;
        Ok(())
    }
}
