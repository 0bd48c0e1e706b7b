//! Payloads in the assistant's text: an [`Envelope`] for each open block of text.
//!
//! Owns the envelopes and the methods that set and return them. An envelope finds payloads in a text; the stream
//! decides when a block ends.

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
    /// Searches the assistant's text for the payloads that `envelope` describes, such as fences, tags or hidden
    /// comments. Anything that `envelope` has read before is discarded.
    ///
    /// Each block of text is read by an envelope of its own. Text outside payloads is reported as
    /// [`Text`](StreamEvent::Text), everything else as a [`Payload`](StreamEvent::Payload) with the number of its
    /// block. A payload is truncated if its block ends before it does, if an event could not be read in the meantime,
    /// or if its text was repeated differently. Payloads count in the [`verdict`](Self::verdict) as calls do.
    /// Reasoning, refusals and [structured](Self::structured) text are not searched.
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
    /// The cost of the [`Envelope`], and its buffers for each open block. At most as many blocks are open as calls may
    /// be [open](crate::calls::CallLimits::open_calls).
    #[must_use]
    pub fn with_envelope(mut self, envelope: Envelope) -> Self {
        self.stream_state.outlet.texts = Some(Box::new(Payloads { new: envelope.emptied(), open: Vec::new() }));
        self
    }

    /// Returns the envelope of an open block of text, for access to the [parser](Envelope::parser) of its payload.
    /// Returns `None` if the block is not open or none of its text has arrived.
    #[must_use]
    pub fn envelope(&self, block: u64) -> Option<&Envelope> {
        self.envelopes().into_iter().find_map(|(number, envelope)| (number == block).then_some(envelope))
    }

    /// Returns the envelopes of the open blocks of text in which text has arrived, with the numbers of the blocks.
    #[must_use]
    pub fn envelopes(&self) -> Vec<(u64, &Envelope)> {
        // Blocks are numbered across agents.
        let states = iter::once(&self.stream_state).chain(self.agents.states());
        states.filter_map(|state| state.outlet.texts.as_deref()).flat_map(ReadText::envelopes).collect()
    }
}

#[derive(Clone)]
struct Payloads {
    /// The new envelope that is copied for each block.
    new: Envelope,
    /// The blocks in which text has arrived, in ascending order of their numbers.
    open: Vec<Open>,
}

#[derive(Clone)]
struct Open {
    choice: u64,
    block: u64,
    envelope: Envelope,
    /// The reason why the open payload, or the next one, can't be complete.
    left_out: Option<&'static str>,
}

/// Returns a callback that reports an envelope's events as events of the stream.
fn forward<'s>(
    choice: u64,
    block: u64,
    left_out: &'s mut Option<&'static str>,
    say: &'s mut (dyn FnMut(StreamEvent<'_>) + 's),
) -> impl FnMut(EnvelopeEvent<'_>) + 's {
    move |event| match event {
        EnvelopeEvent::Text(text) => {
            // The suspected payload was text.
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

/// Truncates a payload, unless it is malformed, trailing or over a limit already.
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
            // A mismatch replaces other reasons, since neither of its two texts is known to be right.
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

    fn envelopes(&self) -> Vec<(u64, &Envelope)> {
        self.open.iter().map(|open| (open.block, &open.envelope)).collect()
    }

    fn boxed_clone(&self) -> Box<dyn ReadText> {
        Box::new(self.clone())
    }
}
