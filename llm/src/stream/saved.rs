//! Saved state of a provider's stream: its inputs as values, and the point from which they are buffered.

use alloc::vec::Vec;
use core::fmt::Write as _;
use core::mem;

use jsonspigot::internal::saved::{Digest, Impossible, Kind, Owner, Reader, Writer};
use jsonspigot::{Error, RestoreError};

use super::ProviderStream;
use super::provider::Provider;
use super::reading::{Dispatch, Input};
use crate::saved::{History, Replay, restore};

impl<'i> Input<'i> {
    fn save(self, out: &mut Writer<'_>) {
        let (kind, text) = match self {
            Self::Event(text) => (0, text),
            Self::Unreadable(text) => (1, text),
            Self::Oversized => (2, ""),
            Self::End(reason) => (3, reason),
        };
        out.byte(kind);
        out.text(text);
    }

    fn restore(reader: &mut Reader<'i>) -> Result<Self, Impossible> {
        let (kind, text) = (reader.byte()?, reader.text()?);
        match kind {
            0 => Ok(Self::Event(text)),
            1 => Ok(Self::Unreadable(text)),
            2 => Ok(Self::Oversized),
            3 => Ok(Self::End(text)),
            _ => Err(Impossible),
        }
    }
}

impl ProviderStream {
    /// Buffers the events since the message began, up to `limit` bytes, so that the stream can be [saved](Self::save).
    /// Once the limit is exceeded, events are read as before, but saving fails until the next message begins.
    /// [`SAVE_LIMIT`](crate::SAVE_LIMIT) is a good limit; `usize::MAX` stands for none. The limit is not part of a
    /// saved state.
    #[must_use]
    pub fn saveable(self, limit: usize) -> Self {
        Self { history: History::new(limit), ..self }
    }

    /// Returns the stream's state as bytes, from which [`restore`](Self::restore) makes a stream that resumes as if
    /// nothing had happened, in another process or on another machine. A stream can be saved between any two events;
    /// see [`Parser::save`](jsonspigot::Parser::save).
    ///
    /// The state consists of the events since the message began. Restoring reads them again.
    ///
    /// ```
    /// use jsonspigot::PatternSet;
    /// use jsonspigot_llm::{Provider, ProviderStream, SAVE_LIMIT, StreamEvent, ToolCalls};
    ///
    /// // What both processes have: provider, patterns and choices are not part of the state.
    /// let patterns = PatternSet::new(["city"])?;
    /// let new_stream = || {
    ///     ProviderStream::new(Provider::OpenaiChat, ToolCalls::new(&patterns)).with_message().saveable(SAVE_LIMIT)
    /// };
    ///
    /// let mut stream = new_stream();
    /// stream.push(r#"{"choices":[{"delta":{"content":"Let me"}}]}"#).check()?;
    /// let saved = stream.save()?;
    ///
    /// // Later, elsewhere.
    /// let mut stream = new_stream().restore(&saved)?;
    /// let reported: Vec<_> = stream.push(r#"{"choices":[{"delta":{"content":" see"}}]}"#).collect();
    /// // It is in the block that has begun before.
    /// assert!(matches!(&*reported, [StreamEvent::Text { block: 0, text, .. }] if text == " see"));
    /// stream.push(r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#).check()?;
    /// assert_eq!(stream.message().unwrap(), r#"{"role":"assistant","content":"Let me see"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotRetained`](jsonspigot::ErrorKind::NotRetained) if the stream is not [saveable](Self::saveable), or if the
    /// limit was exceeded and no message has begun since. [`Panicked`](jsonspigot::ErrorKind::Panicked) after a panic
    /// in a callback.
    ///
    /// # Cost
    ///
    /// Linear in the events since the message began. With [`with_message`](Self::with_message), a message's events are
    /// buffered until the next one begins, since the message is composed from them. All events are buffered for OpenAI
    /// Responses and Realtime, which number parts across responses, and once an agent other than the main one has
    /// begun.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        self.history.save(&self.owner())
    }

    /// Resumes where a [saved](Self::save) stream was. `self` must have been made in the same way: with the same
    /// provider or [detecting](Self::detecting), with or without [structured](Self::structured) text, [a
    /// message](Self::with_message) and an envelope, and with the same patterns and choices of the calls. Anything that
    /// it has read is discarded.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, SAVE_LIMIT, ToolCalls};
    /// use jsonspigot::RestoreError;
    ///
    /// let calls = || ToolCalls::default();
    /// let saved = ProviderStream::new(Provider::Anthropic, calls()).saveable(SAVE_LIMIT).save()?;
    /// let error = ProviderStream::new(Provider::Gemini, calls()).restore(&saved).unwrap_err();
    /// assert_eq!(error, RestoreError::OtherChoices);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Parser::restore`](jsonspigot::Parser::restore). The provider is one of the choices, or, in a
    /// detecting stream, all providers.
    ///
    /// # Cost
    ///
    /// The cost of pushing the saved events.
    pub fn restore(self, bytes: &[u8]) -> Result<Self, RestoreError> {
        let owner = self.owner();
        let Self { calls, reader, format_of, stream_state, composer_of, is_structured, with_events, history, .. } =
            self;
        let known = reader.filter(|_| format_of.is_none());
        let reader = known.map(|reader| Dispatch::new(reader.provider, reader.format, false));
        let new = Self::with(reader, format_of, calls);
        let mut new = Self { composer_of, is_structured, with_events, history: history.emptied(), ..new };
        new.stream_state.outlet.texts = stream_state.outlet.texts.map(|texts| texts.emptied());
        restore(&owner, new, bytes)
    }

    fn owner(&self) -> Owner {
        let is_detecting = self.format_of.is_some();
        let all = if is_detecting { Provider::ALL } else { &[] };
        let known = self.reader.as_ref().filter(|_| !is_detecting).map(|reader| reader.provider);
        let mut providers = Digest::new();
        for provider in known.iter().chain(all) {
            // Writing to a digest cannot fail.
            let _ = write!(providers, "{provider} ");
        }
        let small =
            u64::from(is_detecting) | u64::from(self.is_structured) << 1 | u64::from(self.composer_of.is_some()) << 2;
        let mut owner = self.calls.owner(Kind::ProviderStream);
        owner.choices = owner.choices.with_digest(providers).with(small);
        if let Some(envelope) = self.stream_state.outlet.texts.as_ref().map(|texts| texts.owner()) {
            owner.patterns = owner.patterns.with_digest(envelope.patterns);
            owner.choices = owner.choices.with_digest(envelope.choices);
        }
        owner
    }

    /// Buffers an input of at most one event, and reads it.
    pub(super) fn buffered(&mut self, input: Input<'_>, read: impl FnOnce(&mut Self)) {
        self.history.add(|out| input.save(out));
        read(self);
        if self.history.is_kept() {
            self.settle_history();
        }
    }

    /// Marks the history at the end of a message, and discards the part before the mark as soon as nothing of it is
    /// remembered: at the latest, once another message has begun.
    ///
    /// Another message begins with its first event. So the calls of the last message have no effect on the events after
    /// the mark, whether they are remembered or not.
    fn settle_history(&mut self) {
        let has_begun_anew = mem::take(&mut self.stream_state.has_begun_anew);
        let is_closed = self.is_closed();
        if self.knows_marked_calls && !has_begun_anew && !is_closed {
            self.history.unmark();
        }
        self.knows_marked_calls &= !has_begun_anew;
        self.cut_history();
        if is_closed {
            let mut base = Vec::new();
            self.save_base(&mut Writer::new(&mut base));
            self.history.mark(base);
            self.knows_marked_calls = !self.calls.state.is_new() || !self.stream_state.said.inputs.is_empty();
            self.cut_history();
        }
    }

    fn cut_history(&mut self) {
        let message = self.stream_state.message.as_ref();
        if !self.knows_marked_calls && !message.is_some_and(|message| message.is_over) {
            self.history.cut();
        }
    }

    /// Returns true if nothing of a message is remembered, except its ended calls, the message for the next request,
    /// and the output of [`save_base`](Self::save_base).
    fn is_closed(&self) -> bool {
        self.undecided.is_empty()
            && self.reader.as_ref().is_none_or(|reader| reader.format.forgets_messages)
            && self.calls.state.is_closed()
            && self.stream_state.is_closed()
            && self.stream_state.message.as_ref().is_none_or(|message| message.is_before_next())
            && self.agents.are_closed()
    }

    fn save_base(&self, out: &mut Writer<'_>) {
        out.option(self.reader.as_ref(), |out, reader| {
            out.text(reader.provider.name());
            out.flag(reader.has_begun);
        });
        out.flag(self.composer_of.is_some() && self.stream_state.message.is_none());
        self.calls.state.save_base(out);
        self.stream_state.save_base(out);
        self.agents.save_base(out);
    }
}

impl Replay for ProviderStream {
    fn history(&mut self) -> &mut History {
        &mut self.history
    }

    fn restore_base(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        if reader.flag()? {
            let provider: Provider = reader.text()?.parse().map_err(|_| Impossible)?;
            let known = self.reader.as_ref().filter(|reader| reader.provider == provider).map(|reader| reader.format);
            let format = known.or(self.format_of.map(|format_of| format_of(provider))).ok_or(Impossible)?;
            self.reader = Some(Dispatch::new(provider, format, reader.flag()?));
        }
        Impossible::ensure(self.format_of.is_some() || self.reader.is_some())?;
        let awaits_message = reader.flag()?;
        if !awaits_message {
            Impossible::ensure(self.composer_of.is_none() || self.reader.is_some())?;
            self.keep_message();
        }
        self.calls.state.restore_base(reader)?;
        let next = self.calls.state.next;
        self.stream_state.restore_base(reader, next)?;
        self.agents.restore_base(reader, next)
    }

    fn replay(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.take(Input::restore(reader)?, &mut |_| {});
        Ok(())
    }
}
