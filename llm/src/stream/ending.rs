//! The end of a stream: the methods that end the input, the verdict, and the kind of the last stop.

use core::mem;

use super::reading::Input;
use super::{ProviderStream, agents};
use crate::emitter::OnEvent;
use crate::emitter::failure::Failure;
use crate::event::verdict::Unfinished;
use crate::event::{StopKind, StreamEvent, StreamEvents};
use crate::json::Tree;
use crate::verbs::verbs;

/// The reason that calls and answers have if they are cut by the end of input.
const END_OF_INPUT: &str = "end-of-input";

verbs! {
    ProviderStream, StreamEvent in StreamEvents;

    /// Ends the input. Calls that are still open end, truncated unless they are complete. Returns the last events;
    /// [`check`](StreamEvents::check) on them returns the stream's [`verdict`](Self::verdict).
    ///
    /// If the provider is still unknown, the buffered events are reported now, as provider errors or as unknown:
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
    finish, finish_with() => Input::End(END_OF_INPUT);

    /// Ends the input like [`finish`](Self::finish), for a reason of the caller's, such as `cancelled`. Calls and
    /// answers that are cut have this reason, unless the provider gave one before. An empty reason stands for
    /// `end-of-input`.
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
    cut, cut_with(reason: &str) => Input::End(reason);
}

impl ProviderStream {
    pub(super) fn end_input(&mut self, reason: &str, on_event: &mut OnEvent<'_>) {
        for event in mem::take(&mut self.undecided) {
            let tree = Tree::new(&event);
            match Failure::alone(tree.root()) {
                Some(failure) => self.emitter(on_event).fail(&failure),
                None => on_event(StreamEvent::Unknown { text: (&*event).into() }),
            }
        }
        let reason = if reason.is_empty() { END_OF_INPUT } else { reason };
        self.finish_agents(reason, on_event);
        self.emitter(on_event).end_input(reason);
    }

    /// Returns `Ok` if everything that the provider sent was reported and has ended.
    ///
    /// Call this after [`finish`](Self::finish); before that, an open answer is `Incomplete`.
    ///
    /// It is `Ok` if and only if all of these hold:
    ///
    /// - At least one event had a meaning.
    /// - Every message that began has ended, by the provider's own end, `[DONE]` or a stop reason.
    /// - Every call, and every payload in the text, is complete, accepted, empty or raw.
    /// - No repetition differs from what was reported.
    /// - No frame was damaged, and no limit was exceeded.
    /// - No call, text or error was left in a part of the stream that the reader does not know.
    /// - The provider reported no error. A stop of the kind [`Error`](crate::StopKind::Error) is one.
    ///
    /// Late fragments of a complete call change nothing, nor does a stray fragment of a call that then arrived whole.
    ///
    /// Apart from errors, the reason to stop does not matter: an answer that was filtered, or cut off at a token limit,
    /// passes. [`stop`](Self::stop) returns the kind of the stop.
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
    /// Returns the first fault as an [`Unfinished`].
    pub fn verdict(&self) -> Result<(), Unfinished> {
        let calls = &self.calls.state;
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
        self.stream_state.outlet.watch.stop
    }
}
