//! Passes frames to a provider's stream or to a rewriter of its calls: selects the method for each kind of frame.

use alloc::borrow::Cow;
use alloc::string::String;

use jsonspigot_llm::{BadEvent, CallRewriter, ProviderStream, StreamEvent};

use crate::frame::{Damage, Frame};

impl Frame<'_> {
    /// Pushes the frame, of whatever kind, into a provider's stream. Requires the feature `providers`.
    ///
    /// A frame that is unreadable, too long or damaged is reported by the stream too, and counts in its
    /// [`verdict`](ProviderStream::verdict). So does an error that the framing marks, even if the stream does not
    /// recognize it.
    ///
    /// ```
    /// use jsonspigot_llm::{ProviderStream, StreamEvent, ToolCalls};
    /// use jsonspigot_framing::Frames;
    ///
    /// let (mut frames, mut stream) = (Frames::new(), ProviderStream::detecting(ToolCalls::default()));
    /// let mut said = String::new();
    /// let mut on_event = |event: StreamEvent<'_>| {
    ///     if let StreamEvent::Text { text, .. } = event {
    ///         said.push_str(&text);
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
    /// stream.finish().check()?;
    /// assert_eq!(said, "Hello");
    /// # Ok::<(), jsonspigot_llm::Unfinished>(())
    /// ```
    pub fn push_to(&self, stream: &mut ProviderStream, mut on_event: impl FnMut(StreamEvent<'_>)) {
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
            // The panic may have happened outside the stream.
            Self::Damaged(Damage::Panicked) => stream.push_unreadable_with("", on_event),
            // The part that can be shown was an unreadable frame before this one.
            Self::Damaged(_) => {}
        }
    }

    /// Rewrites the arguments of calls in the frame. Returns the new text of the frame, or `None` if it stays the same.
    /// For [`EventEditor::feed`](crate::EventEditor::feed). Requires the feature `providers`.
    ///
    /// ```
    /// use jsonspigot::Rule;
    /// use jsonspigot_framing::EventEditor;
    /// use jsonspigot_llm::{CallRewriter, Provider};
    ///
    /// let mut calls = CallRewriter::new(Provider::Anthropic, [("password", Rule::redact())])?;
    /// let (mut body, mut out) = (EventEditor::new(), String::new());
    /// let start = r#"data: {"type":"content_block_start","content_block":{"type":"tool_use","id":"1","name":"f"}}"#;
    /// let start = start.to_owned() + "\n\n";
    /// let piece = |json: &str| format!("data: {{\"type\":\"content_block_delta\",\"delta\":{{\"partial_json\":\"{json}\"}}}}\n\n");
    /// for chunk in [start.clone(), piece(r#"{\"password\":\"hun"#), piece(r#"ter2\"}"#)] {
    ///     body.feed(
    ///         chunk,
    ///         // An event that is refused has a text to forward instead.
    ///         |frame| frame.rewrite(&mut calls).unwrap_or_else(|event| Some(event.instead().to_owned())),
    ///         |bytes| out.push_str(str::from_utf8(bytes).unwrap()),
    ///     );
    /// }
    /// assert_eq!(out, start + &piece(r#"{\"password\":\"[redacted]\""#) + &piece("}"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`CallRewriter::push`]. An unreadable frame fails too, unless no rule redacts and it does not
    /// start like JSON.
    pub fn rewrite(&self, calls: &mut CallRewriter) -> Result<Option<String>, BadEvent> {
        match self {
            Self::Text(text) | Self::Exception(text) => {
                calls.push(text).map(|event| if let Cow::Owned(event) = event { Some(event) } else { None })
            }
            Self::Unreadable(text) => calls.pass_unreadable(text).map(|()| None),
            Self::TooLong | Self::Damaged(_) => Ok(None),
        }
    }
}
