//! The events of one push, which own their parts.

use jsonspigot::internal::owned_events;

use super::StreamEvent;
use super::verdict::Unfinished;

owned_events! {
    /// The events of one push, in order: what [`ProviderStream::push`](crate::ProviderStream::push) and
    /// [`ProviderStream::finish`](crate::ProviderStream::finish) return. What was pushed has been read when this is
    /// made, and nothing is borrowed.
    StreamEvents of StreamEvent<'static>, verdict: Result<(), Unfinished>
}

impl StreamEvents {
    /// Returns the verdict on the stream so far, for callers who need none of the events. Those of
    /// [`finish`](crate::ProviderStream::finish) return the stream's [`verdict`](crate::ProviderStream::verdict).
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, ToolCalls, UnfinishedKind};
    ///
    /// let mut stream = ProviderStream::new(Provider::Ollama, ToolCalls::default());
    /// stream.push(r#"{"message":{"content":"Hel"},"done":false}"#).check()?;
    /// assert_eq!(stream.finish().check().unwrap_err().kind(), UnfinishedKind::Incomplete);
    /// # Ok::<(), jsonspigot_llm::Unfinished>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, whether or not it is among the events that are left.
    pub fn check(self) -> Result<(), Unfinished> {
        self.verdict
    }
}
