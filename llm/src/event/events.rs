//! The owned events of one push: [`StreamEvents`].

use jsonspigot::internal::owned_events;

use super::StreamEvent;
use super::verdict::Unfinished;

owned_events! {
    /// The events of one push, in order. Returned by [`ProviderStream::push`](crate::ProviderStream::push) and
    /// [`ProviderStream::finish`](crate::ProviderStream::finish), which have read all of the input by then. Borrows
    /// nothing.
    StreamEvents of StreamEvent<'static>, verdict: Result<(), Unfinished>
}

impl StreamEvents {
    /// Returns the verdict on the stream so far, for callers who need none of the events. After
    /// [`finish`](crate::ProviderStream::finish), this is the stream's [`verdict`](crate::ProviderStream::verdict).
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
    /// Returns the first problem of the stream, whether or not its event is among the remaining ones.
    pub fn check(self) -> Result<(), Unfinished> {
        self.verdict
    }
}
