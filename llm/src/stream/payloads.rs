//! Payloads in the assistant's text: an [`Envelope`] for each block of it that is open.
//!
//! Owns the envelopes, and how one is asked for. What is in a text, the envelope knows; when a block ends, the stream
//! does.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::iter;

use jsonspigot::internal::saved::Owner;

use super::ProviderStream;
use crate::emitter::outlet::ReadText;
use crate::envelope::{Envelope, EnvelopeEvent};
use crate::event::StreamEvent;
use crate::payload::{Payload, PayloadStatus};

impl ProviderStream {
    /// Looks for payloads in the assistant's text: fences, tags, hidden comments, as this envelope does, which is new.
    ///
    /// The text of each block goes through an envelope of its own. What is outside payloads is
    /// [`Text`](StreamEvent::Text), as ever, and everything else a [`Payload`](StreamEvent::Payload) with the number of
    /// its block. At the end of its block a payload that is still open is truncated, as is one during which an event
    /// could not be read or its text was repeated otherwise; it counts in the [`verdict`](Self::verdict) as a call
    /// does. Reasoning and refusals are not looked at, nor is text that is [structured](Self::structured).
    ///
    /// ```
    /// use jsonspigot_llm::{Delimiter, Envelope, EnvelopeEvent, Provider, ProviderStream, StreamEvent, ToolCalls};
    /// use jsonspigot::PatternSet;
    ///
    /// let patterns = PatternSet::new(["answer"])?;
    /// let mut stream = ProviderStream::new(Provider::Ollama, ToolCalls::new(&patterns))
    ///     .with_envelope(Envelope::new([Delimiter::fence("json")?], &patterns));
    /// let (mut shown, mut answer) = (String::new(), String::new());
    /// for line in [
    ///     r#"{"message":{"content":"Here it is: ```js"},"done":false}"#,
    ///     r#"{"message":{"content":"on\n{\"answer\": \"4"},"done":false}"#,
    ///     r#"{"message":{"content":"2\"}\n``` Done."},"done":true,"done_reason":"stop"}"#,
    /// ] {
    ///     stream.push_with(line, |event| match event {
    ///         StreamEvent::Text { text, .. } => shown.push_str(&text),
    ///         StreamEvent::Payload { event: EnvelopeEvent::Match { event, .. }, .. } => {
    ///             if let Some(text) = event.delta() {
    ///                 answer.push_str(text);
    ///             }
    ///         }
    ///         _ => {}
    ///     });
    /// }
    /// stream.finish().check()?;
    /// assert_eq!((shown.as_str(), answer.as_str()), ("Here it is:  Done.", "42"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Cost
    ///
    /// That of the [`Envelope`], and of what it keeps for each block that is open: at most as many as calls may be
    /// [open](crate::calls::CallLimits::open_calls).
    #[must_use]
    pub fn with_envelope(mut self, envelope: Envelope) -> Self {
        self.stream_state.outlet.texts = Some(Box::new(Payloads { new: envelope.emptied(), open: Vec::new() }));
        self
    }

    /// The envelope of a block of text that is open and in which something has come: for a look at the
    /// [parser](Envelope::parser) of its payload.
    #[must_use]
    pub fn envelope(&self, block: u64) -> Option<&Envelope> {
        self.texts().find_map(|texts| texts.envelope(block))
    }

    /// The blocks of text that are open and in which something has come, by their numbers, with their envelopes.
    #[must_use]
    pub fn envelopes(&self) -> Vec<(u64, &Envelope)> {
        let blocks = self.texts().flat_map(ReadText::blocks);
        blocks.filter_map(|block| self.envelope(block).map(|envelope| (block, envelope))).collect()
    }

    /// The texts that are searched: the main agent's, and those of sub-agents, whose blocks are numbered with its own.
    fn texts(&self) -> impl Iterator<Item = &dyn ReadText> {
        let states = iter::once(&self.stream_state).chain(self.agents.states());
        states.filter_map(|state| state.outlet.texts.as_deref())
    }
}

#[derive(Clone)]
struct Payloads {
    /// The envelope that a block begins with.
    new: Envelope,
    /// Those that something has come in, in the order of their numbers.
    open: Vec<Open>,
}

#[derive(Clone)]
struct Open {
    choice: u64,
    block: u64,
    envelope: Envelope,
    /// The reason why the payload that is open, or about to be, can't be complete.
    left_out: Option<&'static str>,
}

/// Passes on an envelope's events as events of the stream.
fn forward<'s>(
    choice: u64,
    block: u64,
    left_out: &'s mut Option<&'static str>,
    say: &'s mut (dyn FnMut(StreamEvent<'_>) + 's),
) -> impl FnMut(EnvelopeEvent<'_>) + 's {
    move |event| match event {
        EnvelopeEvent::Text(text) => {
            // It did not become a payload.
            *left_out = None;
            say(StreamEvent::Text { choice, block, text });
        }
        EnvelopeEvent::End { delimiter, payload, close, length } => {
            let payload = match left_out.take() {
                Some(reason) => cut(payload, reason),
                None => payload,
            };
            say(StreamEvent::Payload {
                choice,
                block,
                event: EnvelopeEvent::End { delimiter, payload, close, length },
            });
        }
        event => say(StreamEvent::Payload { choice, block, event }),
    }
}

/// A payload of which something is missing. What was wrong with the rest stays so.
fn cut<'p>(payload: Payload<'p>, reason: &'static str) -> Payload<'p> {
    match payload.status() {
        PayloadStatus::Malformed | PayloadStatus::Trailing | PayloadStatus::Truncated { reason: "limit" } => payload,
        _ => payload.truncated(reason),
    }
}

impl ReadText for Payloads {
    fn read(&mut self, choice: u64, block: u64, text: &str, say: &mut (dyn FnMut(StreamEvent<'_>) + '_)) {
        let Self { new, open } = self;
        let place = open.binary_search_by_key(&block, |open| open.block).unwrap_or_else(|place| {
            open.insert(place, Open { choice, block, envelope: new.clone(), left_out: None });
            place
        });
        let Open { envelope, left_out, .. } = &mut open[place];
        envelope.feed_with(text, forward(choice, block, left_out, say));
    }

    fn end(&mut self, block: u64, say: &mut (dyn FnMut(StreamEvent<'_>) + '_)) {
        if let Ok(place) = self.open.binary_search_by_key(&block, |open| open.block) {
            let Open { choice, mut envelope, mut left_out, .. } = self.open.remove(place);
            envelope.finish_with(forward(choice, block, &mut left_out, say));
        }
    }

    fn leave_out(&mut self, block: Option<u64>, reason: &'static str) {
        let is_meant = |open: &&mut Open| block.is_none_or(|block| block == open.block) && !open.envelope.is_in_text();
        for Open { left_out, .. } in self.open.iter_mut().filter(is_meant) {
            // Of two texts nobody can say which is right, whatever else is missing.
            if reason == "mismatch" || left_out.is_none() {
                *left_out = Some(reason);
            }
        }
    }

    fn emptied(&self) -> Box<dyn ReadText> {
        Box::new(Self { new: self.new.clone(), open: Vec::new() })
    }

    fn owner(&self) -> Owner {
        self.new.owner()
    }

    fn blocks(&self) -> Vec<u64> {
        self.open.iter().map(|open| open.block).collect()
    }

    fn envelope(&self, block: u64) -> Option<&Envelope> {
        let place = self.open.binary_search_by_key(&block, |open| open.block).ok()?;
        self.open.get(place).map(|open| &open.envelope)
    }

    fn boxed_clone(&self) -> Box<dyn ReadText> {
        Box::new(self.clone())
    }
}
