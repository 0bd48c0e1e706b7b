//! Saved states of calls: the signals since the message began, and a signal as a value.

use alloc::vec::Vec;

use jsonspigot::internal::saved::{Impossible, Kind, Owner, Reader, Writer};
use jsonspigot::{Error, RestoreError};

use super::signals::Signal;
use super::start::{CallStart, Executor, Place, Slot};
use super::state::State;
use super::tool_calls::ToolCalls;
use crate::saved::{History, Replay, restore};

impl ToolCalls {
    /// Returns the state of the calls as bytes, from which [`restore`](Self::restore) resumes in another process or on
    /// another machine; see [`Parser::save`](jsonspigot::Parser::save).
    ///
    /// The state consists of the signals since the last [`begin_message`](Self::begin_message), or of all signals
    /// without one.
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
    /// calls.delta(0, r#"is"}"#).check()?;
    /// for event in calls.end_message("tool_calls") {
    ///     let CallEvent::End { call, input } = event else { panic!("one call is open") };
    ///     assert_eq!((call.id, input.raw()), (Some("call_1".into()), r#"{"city": "Paris"}"#));
    ///     assert_eq!(input.status(), PayloadStatus::Complete);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with [`NotRetained`](jsonspigot::ErrorKind::NotRetained) unless the calls were built
    /// [saveable](crate::ToolCallsBuilder::saveable), or if the limit given there was exceeded. Fails with
    /// [`Panicked`](jsonspigot::ErrorKind::Panicked) after a panic in a callback. The next message can be saved again.
    ///
    /// The calls of a [`ProviderStream`](crate::ProviderStream) are saved with the stream, not separately.
    ///
    /// # Cost
    ///
    /// Linear in the text of the signals.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        self.history.save(&self.owner(Kind::ToolCalls))
    }

    /// Resumes from [saved](Self::save) calls. `self` has to be built with the same patterns and options; its own state
    /// is discarded.
    ///
    /// # Errors
    ///
    /// Fails like [`Parser::restore`](jsonspigot::Parser::restore). Different limits give
    /// [`OtherChoices`](RestoreError::OtherChoices).
    ///
    /// # Cost
    ///
    /// Linear in the text of the signals.
    pub fn restore(self, bytes: &[u8]) -> Result<Self, RestoreError> {
        let new = Self { history: self.history.emptied(), ..self.emptied() };
        restore(&new.owner(Kind::ToolCalls), new, bytes)
    }

    /// Returns the owner of a saved state of the calls, or of a type that contains them.
    pub(crate) fn owner(&self, kind: Kind) -> Owner {
        let options = &self.state.options;
        Owner { kind, patterns: options.patterns_digest(), choices: options.choices() }
    }

    /// Returns new calls with the same options, whose signals are not buffered.
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
        self.take(Signal::restore(reader)?, &mut |_: super::CallEvent<'_>| {});
        Ok(())
    }
}

/// State that outlives a message.
impl State {
    /// Returns true if no call is known, so that [`save_base`](Self::save_base) writes the whole state.
    pub(crate) fn is_new(&self) -> bool {
        self.open.is_empty() && self.has_new_index()
    }

    /// Returns true if no call is open and no fragment waits for one, so that a new message would forget all calls.
    #[cfg(feature = "providers")]
    pub(crate) fn is_closed(&self) -> bool {
        self.open.is_empty() && !self.awaits_start()
    }

    /// Continues the numbering of calls at `next`, unless it is already further.
    pub(crate) fn count_from(&mut self, next: u64) {
        self.next = self.next.max(next);
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

/// Saved state.
impl<'a> Signal<'a> {
    pub(super) fn save(self, out: &mut Writer<'_>) {
        let mut slot_and_text = |kind, slot, text| {
            out.byte(kind);
            save_slot(slot, out);
            out.text(text);
        };
        match self {
            Self::Start(slot, CallStart { id, name, input, is_raw, executor }) => {
                out.byte(0);
                save_slot(slot, out);
                [id, name, input].into_iter().for_each(|text| out.text(text));
                out.flag(is_raw);
                out.byte(executor as u8);
            }
            Self::Delta(slot, text) => slot_and_text(1, slot, text),
            Self::Whole(slot, text) => slot_and_text(2, slot, text),
            Self::Stop(slot) => {
                out.byte(3);
                save_slot(slot, out);
            }
            Self::CutCall(slot, reason) => slot_and_text(4, slot, reason),
            Self::Finish(reason) => {
                out.byte(5);
                out.option(reason, Writer::text);
            }
            Self::FinishChoice(choice, reason) => {
                out.byte(6);
                out.number(choice);
                out.option(reason, Writer::text);
            }
            Self::Cut(reason) => {
                out.byte(7);
                out.text(reason);
            }
            Self::BeginMessage => out.byte(8),
        }
    }

    pub(super) fn restore(reader: &mut Reader<'a>) -> Result<Self, Impossible> {
        Ok(match reader.byte()? {
            0 => {
                let slot = restore_slot(reader)?;
                let [id, name, input] = [reader.text()?, reader.text()?, reader.text()?];
                let (is_raw, executor) = (reader.flag()?, reader.choice(Executor::ALL)?);
                Self::Start(slot, CallStart { id, name, input, is_raw, executor })
            }
            1 => Self::Delta(restore_slot(reader)?, reader.text()?),
            2 => Self::Whole(restore_slot(reader)?, reader.text()?),
            3 => Self::Stop(restore_slot(reader)?),
            4 => Self::CutCall(restore_slot(reader)?, reader.text()?),
            5 => Self::Finish(reader.option(Reader::text)?),
            6 => Self::FinishChoice(reader.number()?, reader.option(Reader::text)?),
            7 => Self::Cut(reader.text()?),
            8 => Self::BeginMessage,
            _ => return Err(Impossible),
        })
    }
}

/// Writes the slot of a public function, which is always an index or an id.
fn save_slot(Slot { choice, place }: Slot<'_>, out: &mut Writer<'_>) {
    out.number(choice);
    match place {
        Place::Index(index) => {
            out.flag(false);
            out.number(index);
        }
        Place::Id(id) => {
            out.flag(true);
            out.text(id);
        }
        Place::Content | Place::Latest | Place::Nowhere => {}
    }
}

fn restore_slot<'a>(reader: &mut Reader<'a>) -> Result<Slot<'a>, Impossible> {
    let choice = reader.number()?;
    let place = if reader.flag()? { Place::Id(reader.text()?) } else { Place::Index(reader.number()?) };
    Ok(Slot::new(choice, place))
}
