//! A frame into a provider's stream: which of its entrances each kind of frame takes.

use jsonspigot_llm::{ProviderStream, StreamEvent};

use crate::frame::Frame;

impl Frame<'_> {
    /// Pushes the frame into a provider's stream, whatever kind of frame it is. With the feature `providers`.
    ///
    /// A frame that can't be read, was too long or damaged is an event of the stream too, and counts in its
    /// [`verdict`](ProviderStream::verdict); so does an error that the framing marks, even if the stream does not know it.
    ///
    /// ```
    /// use jsonspigot_llm::{ProviderStream, StreamEvent, ToolCalls};
    /// use jsonspigot_framing::Frames;
    ///
    /// let (mut frames, mut stream) = (Frames::new(), ProviderStream::detecting(ToolCalls::builder().build()));
    /// let mut said = String::new();
    /// let mut on_event = |event: StreamEvent<'_>| {
    ///     if let StreamEvent::Text { text, .. } = event {
    ///         said.push_str(text);
    ///     }
    /// };
    /// let body = concat!(
    ///     "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\n",
    ///     "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    /// );
    /// for chunk in body.as_bytes().chunks(7) {
    ///     frames.feed_with(chunk, |frame| frame.push_to(&mut stream, &mut on_event));
    /// }
    /// frames.finish_with(|frame| frame.push_to(&mut stream, &mut on_event));
    /// stream.finish(None).check()?;
    /// assert_eq!(said, "Hello");
    /// # Ok::<(), jsonspigot_llm::Unfinished>(())
    /// ```
    pub fn push_to(self, stream: &mut ProviderStream, mut on_event: impl FnMut(StreamEvent<'_>)) {
        match self {
            Self::Text(text) => stream.push_with(text, on_event),
            Self::Exception(text) => {
                let mut is_reported = false;
                stream.push_with(text, |event| {
                    is_reported |= matches!(event, StreamEvent::ProviderError { .. });
                    on_event(event);
                });
                if !is_reported {
                    stream.push_unreadable_with(text, on_event);
                }
            }
            Self::Unreadable(text) => stream.push_unreadable_with(text, on_event),
            Self::TooLong => stream.push_oversized_with(on_event),
            // What can be shown of it came before, as unreadable.
            Self::Damaged(_) => {}
        }
    }
}
