//! Saved state of a provider's stream: its calls, what its wire format's reader knows, and what was reported.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use jsonspigot::internal::saved::{self, Digest, Impossible, Kind, Owner, Reader, Writer};
use jsonspigot::{Error, RestoreError};

use super::dispatch::Dispatch;
use super::provider::Provider;
use super::{MOST_UNDECIDED, ProviderStream};
use crate::emitter::failure::Failure;
use crate::json::Json;

impl ProviderStream {
    /// Returns the stream's state as bytes. [`restore`](Self::restore) makes a stream of them that resumes as if nothing
    /// had happened, in another process or on another machine: between two events, at any time; see
    /// [`Parser::save`](jsonspigot::Parser::save).
    ///
    /// ```
    /// use jsonspigot::PatternSet;
    /// use jsonspigot_llm::{StreamEvent, Provider, ProviderStream, ToolCalls};
    ///
    /// // What both processes have: provider, patterns and choices are not part of the state.
    /// let patterns = PatternSet::new(["city"])?;
    /// let new_stream = || ProviderStream::new(Provider::OpenaiChat, ToolCalls::new(&patterns)).with_message();
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
    /// As [`ToolCalls::save`](crate::calls::ToolCalls::save).
    ///
    /// # Cost
    ///
    /// Linear in what is saved: what [`ToolCalls::save`](crate::calls::ToolCalls::save) says of the calls, the open
    /// blocks, and the message as far as it has come, if [`with_message`](Self::with_message) has asked for it. Text is
    /// not in it.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        saved::save(&self.owner(), |out| {
            self.save_body(out);
            Ok(())
        })
    }

    /// Resumes where a [saved](Self::save) stream was. This one is new, made in the same way: with the same provider, or
    /// [detecting](Self::detecting), [structured](Self::structured), [with a message](Self::with_message) or an
    /// envelope, and with the patterns and choices of the calls; what it has read is forgotten.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, ToolCalls};
    /// use jsonspigot::RestoreError;
    ///
    /// let calls = || ToolCalls::default();
    /// let saved = ProviderStream::new(Provider::Anthropic, calls()).save()?;
    /// let error = ProviderStream::new(Provider::Gemini, calls()).restore(&saved).unwrap_err();
    /// assert_eq!(error, RestoreError::OtherChoices);
    /// # Ok::<(), jsonspigot::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Parser::restore`](jsonspigot::Parser::restore). A provider is a choice; where it has to be
    /// detected, all that are compiled in are.
    ///
    /// # Cost
    ///
    /// Linear in the length of the bytes.
    pub fn restore(self, bytes: &[u8]) -> Result<Self, RestoreError> {
        let owner = self.owner();
        let Self { calls, reader, is_detecting, stream_state, keeper, is_structured, with_events, .. } = self;
        let provider = reader.filter(|_| !is_detecting).map(|reader| reader.provider());
        let calls = calls.emptied();
        let new = match provider {
            Some(provider) => Self::new(provider, calls),
            None => Self::detecting(calls),
        };
        let mut new = Self { keeper, awaits_keeper: false, is_structured, with_events, ..new };
        new.stream_state.outlet.texts = stream_state.outlet.texts.map(|texts| texts.emptied());
        saved::restore(&owner, bytes, |reader| new.restore_body(reader))?;
        Ok(new)
    }

    fn owner(&self) -> Owner {
        let all = if self.is_detecting { Provider::ALL } else { &[] };
        let known = self.reader.as_ref().filter(|_| !self.is_detecting).map(Dispatch::provider);
        let mut providers = Digest::new();
        for provider in known.iter().chain(all) {
            // Writing to a digest cannot fail.
            let _ = write!(providers, "{provider} ");
        }
        let small =
            u64::from(self.is_detecting) | u64::from(self.is_structured) << 1 | u64::from(self.keeper.is_some()) << 2;
        let Owner { kind, patterns, choices } = self.calls.owner(Kind::ProviderStream);
        let choices = choices.with_digest(providers).with(small);
        match &self.stream_state.outlet.texts {
            Some(texts) => {
                let envelope = texts.owner();
                let (patterns, choices) =
                    (patterns.with_digest(envelope.patterns), choices.with_digest(envelope.choices));
                Owner { kind, patterns, choices }
            }
            None => Owner { kind, patterns, choices },
        }
    }

    fn save_body(&self, out: &mut Writer<'_>) {
        let Self { calls, reader, is_detecting, stream_state, keeper, awaits_keeper, undecided, .. } = self;
        calls.state().save(out);
        if *is_detecting {
            out.option(reader.as_ref(), |out, reader| out.text(reader.provider().name()));
        }
        match reader {
            Some(reader) => reader.save(out),
            None => {
                out.number(undecided.len() as u64);
                undecided.iter().for_each(|event| out.text(event));
            }
        }
        if keeper.is_some() {
            out.flag(*awaits_keeper);
        }
        stream_state.save(out);
        if self.terminal().is_some() {
            self.save_agents(out);
        }
    }

    fn restore_body(&mut self, reader: &mut Reader<'_>) -> Result<(), Impossible> {
        self.calls.restore_body(reader)?;
        let (limits, next) = (*self.calls.state().limits(), self.calls.state().next());
        if self.is_detecting
            && let Some(name) = reader.option(Reader::text)?
        {
            let provider = name.parse().map_err(|_| Impossible)?;
            self.reader = Some(Dispatch::new(provider));
        }
        match &mut self.reader {
            Some(own) => own.restore(reader, next)?,
            None => self.undecided = restore_undecided(reader, limits.event_bytes)?,
        }
        if let Some(keeper) = self.keeper {
            self.awaits_keeper = reader.flag()?;
            if !self.awaits_keeper {
                let provider = self.reader.as_ref().ok_or(Impossible)?;
                self.stream_state.message = provider.keep_message(keeper, limits.event_bytes);
            }
        }
        self.stream_state.restore(reader, &limits, next)?;
        if self.terminal().is_some() { self.restore_agents(reader) } else { Ok(()) }
    }
}

/// Reads the events that no provider was known by.
fn restore_undecided(reader: &mut Reader<'_>, most: usize) -> Result<Vec<String>, Impossible> {
    let count = reader.count()?;
    Impossible::ensure(count <= MOST_UNDECIDED)?;
    let mut undecided = Vec::new();
    for _ in 0..count {
        let text = reader.string()?;
        let is_undecided = |event: Json<'_>| {
            event.is_object()
                && event.spelt() == text
                && Provider::sender_of(event).is_none()
                && Failure::reported_by(event).is_none()
        };
        Impossible::ensure(Json::new(&text).is_some_and(is_undecided))?;
        undecided.push(text);
    }
    Impossible::ensure(undecided.iter().map(String::len).sum::<usize>() <= most)?;
    Ok(undecided)
}
