//! Saved state of a stream's calls: those that are open, and the way to find them and those that have ended.

use alloc::boxed::Box;
use alloc::vec::Vec;

use jsonspigot::internal::saved::{self, Impossible, Kind, Owner, Reader, Writer};
use jsonspigot::{Error, RestoreError};

use super::call_index::CallIndex;
use super::open_call::OpenCall;
use super::state::State;
use super::tool_calls::ToolCalls;

impl ToolCalls {
    /// Returns the state of the calls as bytes. [`restore`](Self::restore) makes calls of them that resume as if nothing
    /// had happened, in another process or on another machine; see [`Parser::save`](jsonspigot::Parser::save).
    ///
    /// ```
    /// use jsonspigot_llm::{CallEvent, CallStart, PayloadStatus, ToolCalls};
    /// use jsonspigot::PatternSet;
    ///
    /// let patterns = PatternSet::new(["city"])?;
    /// let mut calls = ToolCalls::new(&patterns);
    /// calls.start(0, CallStart::new("get_weather").id("call_1")).check()?;
    /// calls.delta(0, r#"{"city": "Par"#).check()?;
    /// let saved = calls.save()?;
    ///
    /// // Later, elsewhere.
    /// let mut calls = ToolCalls::new(&patterns).restore(&saved)?;
    /// let mut status = None;
    /// let mut on_event = |event: CallEvent<'_>| {
    ///     if let CallEvent::End { call, input } = event {
    ///         assert_eq!((call.id.as_deref(), input.raw()), (Some("call_1"), r#"{"city": "Paris"}"#));
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
    /// None: all that leads to a call is part of it, also after a panic. The type is that of the other `save` methods.
    ///
    /// # Cost
    ///
    /// Linear in what is saved: the input of each open call, as far as it has come, and its parser; the ids and places
    /// of those that have ended, as long as they are remembered.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        saved::save(&self.owner(Kind::ToolCalls), |out| {
            self.state.save(out);
            Ok(())
        })
    }

    /// Resumes where [saved](Self::save) calls were. These are new, built with the same patterns and choices; what they
    /// have read is forgotten.
    ///
    /// ```
    /// use jsonspigot::RestoreError;
    /// use jsonspigot_llm::{CallLimits, ToolCalls};
    ///
    /// let saved = ToolCalls::default().save()?;
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
    /// Linear in the length of the bytes.
    pub fn restore(self, bytes: &[u8]) -> Result<Self, RestoreError> {
        let mut calls = self.emptied();
        saved::restore(&calls.owner(Kind::ToolCalls), bytes, |reader| calls.state.restore(reader))?;
        Ok(calls)
    }
}

/// For what is around the calls.
impl ToolCalls {
    /// Returns new ones with the same choices.
    pub(crate) fn emptied(self) -> Self {
        Self { state: State::new(self.state.options) }
    }

    /// The next call has this number, or a later one: others have had those before.
    #[cfg(feature = "_provider-streams")]
    pub(crate) fn count_from(&mut self, next: u64) {
        if next > self.state.next {
            self.state.next = next;
            self.state.unreported = next.checked_sub(1);
        }
    }

    /// Reads what [`State::save`] wrote into calls that are new.
    #[cfg(feature = "_provider-streams")]
    pub(crate) fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.state.restore(reader)
    }

    /// Returns the owner of a state of the calls, or of something around them.
    pub(crate) fn owner(&self, kind: Kind) -> Owner {
        let options = &self.state.options;
        Owner { kind, patterns: options.patterns_digest(), choices: options.choices() }
    }
}

impl State {
    /// Returns the number of calls that have been numbered.
    #[cfg(feature = "_provider-streams")]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }
    /// Writes everything but the header.
    pub(crate) fn save(&self, out: &mut Writer<'_>) {
        let Self { options, index, open, waiting, next, unreported } = self;
        debug_assert_eq!(*unreported, next.checked_sub(1), "the newest call");
        out.number(*next);
        out.number(open.len() as u64);
        for (number, call) in open.iter() {
            out.number(number);
            call.save(options, out);
        }
        index.save(out);
        waiting.iter().for_each(|number| out.number(*number));
    }

    /// Reads what [`save`](Self::save) wrote into a state that is new.
    pub(crate) fn restore(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        let Self { options, index, open, waiting, next, unreported } = self;
        *next = reader.place()?;
        *unreported = next.checked_sub(1);
        let count = reader.count()?;
        Impossible::ensure(count <= options.limits.open_calls)?;
        let mut after_last = 0;
        for _ in 0..count {
            let number = reader.number()?;
            let call = OpenCall::restore(reader, number, options)?;
            // Calls are numbered in the order in which they are reported.
            let is_reported = call.is_reported() || *unreported == Some(number);
            Impossible::ensure((after_last..*next).contains(&number) && is_reported)?;
            after_last = number + 1;
            open.insert(number, Box::new(call));
        }
        *index = CallIndex::restore(reader, *next, open, options.limits.open_calls)?;
        Impossible::ensure(open.iter().all(|(number, call)| index.choice_of(number) == Some(call.choice())))?;
        // Each that is stopped waits, in the order of their ends.
        let stopped = open.iter().filter(|(_, call)| call.is_stopped()).count();
        *waiting = (0..stopped).map(|_| reader.number()).collect::<Result<_, _>>()?;
        let mut sorted = waiting.clone();
        sorted.sort_unstable();
        let is_stopped = |number: &u64| open.get(*number).is_some_and(|call| call.is_stopped());
        Impossible::ensure(sorted.is_sorted_by(|one, other| one < other) && sorted.iter().all(is_stopped))
    }
}
