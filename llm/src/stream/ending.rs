//! The end of a stream: the verbs that end the input, the verdict, and the kind of the last stop.

use core::mem;

use super::saved::Input;
use super::{ProviderStream, agents};
use crate::emitter::OnEvent;
use crate::emitter::failure::Failure;
use crate::event::verdict::Unfinished;
use crate::event::{StopKind, StreamEvent, StreamEvents};
use crate::json::Json;

/// The reason why what is open is cut where the input ends.
const END_OF_INPUT: &str = "end-of-input";

impl ProviderStream {
    /// Ends the input: what is still open ends, truncated unless it is complete. Returns what that reports;
    /// [`check`](StreamEvents::check) on it is the stream's [`verdict`](Self::verdict).
    ///
    /// If the provider is still unknown, its events are reported now, as errors of the provider or as unknown:
    ///
    /// ```
    /// use jsonspigot_llm::{ProviderStream, StreamEvent, ToolCalls};
    ///
    /// let mut stream = ProviderStream::detecting(ToolCalls::default());
    /// stream.push(r#"{"message":"Too many requests"}"#).check()?;
    /// let is_error = |event| matches!(event, StreamEvent::ProviderError { message, .. } if message == "Too many requests");
    /// assert!(stream.finish().any(is_error));
    /// # Ok::<(), jsonspigot_llm::Unfinished>(())
    /// ```
    pub fn finish(&mut self) -> StreamEvents {
        self.cut(END_OF_INPUT)
    }

    /// [`finish`](Self::finish), with a callback in place of the iterator: nothing is copied.
    pub fn finish_with(&mut self, on_event: impl FnMut(StreamEvent<'_>)) {
        self.cut_with(END_OF_INPUT, on_event);
    }

    /// Ends the input for a reason of yours, such as `cancelled`: as [`finish`](Self::finish) does, but the calls that
    /// are cut name that reason, unless the provider gave one before. An empty reason is `end-of-input`.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
    ///
    /// let mut stream = ProviderStream::new(Provider::Ollama, ToolCalls::default());
    /// stream.push(r#"{"message":{"content":"Hel"},"done":false}"#).check()?;
    /// let is_cut = |event| matches!(event, StreamEvent::Incomplete { reason, .. } if reason == "cancelled");
    /// assert!(stream.cut("cancelled").any(is_cut));
    /// # Ok::<(), jsonspigot_llm::Unfinished>(())
    /// ```
    pub fn cut(&mut self, reason: &str) -> StreamEvents {
        let events = self.events_of(|stream, on_event| stream.cut_with(reason, on_event));
        StreamEvents::new(events, self.verdict())
    }

    /// [`cut`](Self::cut), with a callback in place of the iterator: nothing is copied.
    pub fn cut_with(&mut self, reason: &str, mut on_event: impl FnMut(StreamEvent<'_>)) {
        self.take(Input::End(reason), &mut on_event);
    }

    pub(super) fn end_input(&mut self, reason: &str, on_event: &mut OnEvent<'_>) {
        for event in mem::take(&mut self.undecided) {
            match Json::new(&event).and_then(Failure::alone) {
                Some(failure) => self.emitter(on_event).fail(&failure),
                None => on_event(StreamEvent::Unknown { text: (&*event).into() }),
            }
        }
        let reason = if reason.is_empty() { END_OF_INPUT } else { reason };
        self.finish_agents(reason, on_event);
        self.emitter(on_event).end_input(reason);
    }

    /// Returns `Ok` if everything that the provider sent was reported and has ended, even if the provider cut the answer
    /// off at a token limit: [`stop`](Self::stop) returns the kind of its end.
    ///
    /// Call this after [`finish`](Self::finish); before that, an open answer is `Incomplete`.
    ///
    /// It is `Ok` if and only if at least one event meant something, every message that began has ended (by the
    /// provider's own end, `[DONE]` or a stop reason), every call is complete, accepted, empty or raw, and so is every
    /// payload in the text, nothing was repeated otherwise than reported, no frame was damaged and the provider
    /// reported no error: a stop of the kind [`Error`](crate::StopKind::Error) is one. What is late after a whole
    /// changes nothing, nor does a stray fragment of a call that then came whole.
    ///
    /// The verdict does not judge the reason to stop, apart from errors: an answer that was cut or filtered passes.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, ToolCalls, UnfinishedKind};
    ///
    /// let mut stream = ProviderStream::new(Provider::Ollama, ToolCalls::default());
    /// stream.push(r#"{"message":{"content":"Hel"},"done":false}"#).check()?;
    /// assert_eq!(stream.verdict().unwrap_err().kind(), UnfinishedKind::Incomplete);
    /// stream.push(r#"{"message":{"content":"lo"},"done":true,"done_reason":"stop"}"#).check()?;
    /// stream.finish().check()?;
    /// assert_eq!(stream.verdict(), Ok(()));
    /// # Ok::<(), jsonspigot_llm::Unfinished>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, as an [`Unfinished`].
    pub fn verdict(&self) -> Result<(), Unfinished> {
        let calls = self.calls.state();
        let is_open = !agents::is_idle(&self.calls, &self.stream_state);
        self.stream_state.outlet.watch.verdict(is_open, calls.has_strays(), self.is_program_s())?;
        self.verdict_on_agents()
    }

    /// Returns the kind of the last [`Stop`](StreamEvent::Stop) of the main agent; `None` if there was none.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, StopKind, ToolCalls};
    ///
    /// let mut stream = ProviderStream::new(Provider::OpenaiChat, ToolCalls::default());
    /// stream.push(r#"{"choices":[{"delta":{"content":"It was a"},"finish_reason":"length"}]}"#).check()?;
    /// stream.finish().check()?; // nothing that was sent is missing
    /// assert_eq!(stream.stop(), Some(StopKind::Length)); // but the answer is not whole
    /// # Ok::<(), jsonspigot_llm::Unfinished>(())
    /// ```
    #[must_use]
    pub fn stop(&self) -> Option<StopKind> {
        self.stream_state.outlet.watch.stop()
    }
}
