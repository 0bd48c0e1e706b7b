//! The events of a provider's stream: [`StreamEvent`], and the line of each. Each is declared once, in `declared.rs`.
//! `table.rs` expands the declarations, and `parts.rs` has the types that several events share.
//!
//! There are few kinds, which are the same for every provider. Information without a field of its own is in `json`, the
//! provider's raw JSON text.

#[macro_use]
mod declared;
#[macro_use]
mod table;

mod parts;
pub(crate) mod retry;
pub(crate) mod stop;
pub(crate) mod usage;
pub(crate) mod verdict;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec;

use jsonspigot::Parser;
use jsonspigot::internal::{Line, Member, lines, owned_events};

pub use self::parts::{Block, BlockKind, OpaqueKind};
pub use self::retry::Retry;
pub use self::stop::StopKind;
pub use self::usage::TokenUsage;
pub use self::verdict::{Unfinished, UnfinishedKind};
use crate::calls::CallEvent;
pub(crate) use crate::calls::MismatchKind;
#[cfg(feature = "envelope")]
use crate::envelope::EnvelopeEvent;
use crate::payload::owned;

each_stream_event! { stream_events {
    /// An event of a provider's stream.
    ///
    /// ```
    /// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
    ///
    /// let mut stream = ProviderStream::new(Provider::OpenaiChat, ToolCalls::default());
    /// let mut shown = String::new();
    /// for chunk in [
    ///     r#"{"choices":[{"index":0,"delta":{"content":"Let me "}}]}"#,
    ///     r#"{"choices":[{"index":0,"delta":{"content":"look."},"finish_reason":"stop"}]}"#,
    ///     "upstream timed out",
    /// ] {
    ///     stream.push_with(chunk, |event| match event {
    ///         StreamEvent::Text { text, .. } => shown.push_str(&text),
    ///         StreamEvent::Stop { reason, .. } => shown.push_str(&format!(" ({reason})")),
    ///         StreamEvent::BadFrame { text } => shown.push_str(&format!(" [{text}]")),
    ///         _ => {}
    ///     });
    /// }
    /// assert_eq!(shown, "Let me look. (stop) [upstream timed out]");
    /// ```
    ///
    /// A callback receives an event that borrows its parts. [`into_owned`](Self::into_owned) makes it `'static`, like
    /// the events that [`ProviderStream::push`] returns.
    ///
    /// Values are raw JSON: numbers and escapes keep their spelling. An event serializes to the command's line, except
    /// that matches also have `match` and `offset`, and that the start and end of a call or payload always have `id`,
    /// `name` and `choice`. Fragments and the end of the stream, `{"event":"stream-end"}`, also serialize, but the
    /// command does not print them.
    ///
    /// ```
    /// use jsonspigot::PatternSet;
    /// use jsonspigot_llm::{CallEvent, Provider, ProviderStream, StreamEvent, ToolCalls};
    ///
    /// let mut stream = ProviderStream::new(Provider::Ollama, ToolCalls::new(&PatternSet::new(["city"])?));
    /// let line = r#"{"message":{"tool_calls":[{"function":{"name":"weather","arguments":{"city":"Paris"}}}]},"done":true}"#;
    /// let (sender, receiver) = std::sync::mpsc::channel::<StreamEvent<'static>>();
    /// for event in stream.push(line) {
    ///     sender.send(event)?; // or `.await`, or `?`
    /// }
    /// let mut received = receiver.try_iter();
    /// let start = serde_json::to_string(&received.next())?;
    /// assert_eq!(start, r#"{"event":"call","call":0,"id":null,"name":"weather","choice":0,"executed":"client"}"#);
    /// let input = received.find_map(|event| match event {
    ///     StreamEvent::Call(CallEvent::End { input, .. }) => Some(input),
    ///     _ => None,
    /// });
    /// assert_eq!(input.unwrap().value().unwrap().text(), r#"{"city":"Paris"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [`ProviderStream::push`]: crate::ProviderStream::push
    events;
}}

impl StreamEvent<'_> {
    /// Returns true if this is a [`BadFrame`](Self::BadFrame) that cannot have been an event, such as a program's
    /// notice between its lines, so that no part of an answer is lost. Returns false if the frame begins or ends like
    /// an object, because it may be a fragment of an event.
    #[must_use]
    pub fn is_noise(&self) -> bool {
        let Self::BadFrame { text } = self else { return false };
        let begins = text.trim_start_matches(['\u{feff}', ' ', '\t', '[']).starts_with('{');
        let ends = text.trim_end().ends_with('}') && text.as_bytes().windows(2).any(|pair| pair == b"{\"");
        !begins && !ends
    }

    /// Returns true if this is a part of an answer, as opposed to information about it.
    pub(crate) fn is_content(&self) -> bool {
        matches!(
            self,
            Self::Text { .. }
                | Self::Reasoning { .. }
                | Self::Refusal { .. }
                | Self::Media(_)
                | Self::ToolResult(_)
                | Self::Call(CallEvent::Start { .. })
        )
    }

    /// Returns true if this event has a meaning in the format of the stream's provider. A stream without such an event
    /// is not an answer. The end of the stream does not count, because several formats share it.
    #[must_use]
    pub fn means_something(&self) -> bool {
        match self {
            Self::Agent { event, .. } => event.means_something(),
            Self::BadFrame { .. } | Self::Unknown { .. } | Self::UnknownPart { .. } => false,
            event => !matches!(event, Self::ProviderEvent { .. } | Self::End),
        }
    }
}

impl<'a> From<CallEvent<'a>> for StreamEvent<'a> {
    fn from(event: CallEvent<'a>) -> Self {
        Self::Call(event)
    }
}

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

lines!(StreamEvent<'_>);

impl StreamEvent<'_> {
    fn line(&self) -> Line<'_> {
        match self {
            Self::Agent { agent, event } => event.line().of([("agent", (&**agent).into())]),
            Self::Call(event) => event.line(),
            #[cfg(feature = "envelope")]
            Self::Payload { choice, block, event } => event.line_in(Some((*choice, *block))),
            _ => self.declared_line(),
        }
    }

    /// Returns the members of a declared event.
    #[doc(hidden)]
    #[must_use]
    pub fn declared_line(&self) -> Line<'_> {
        let mut line = Line::new(self.name());
        self.put_members(&mut line);
        line
    }
}

/// Returns a provider's JSON text as a value. A text with half a surrogate pair or too many levels becomes a string,
/// since it would make the whole line unreadable.
fn value(json: &str) -> Member<'_> {
    let mut parser = Parser::default();
    let is_strict = parser.feed_dyn(json.as_bytes(), &mut |_| {}).and_then(|()| parser.finish_with(|_| {})).is_ok();
    if is_strict { Member::Json(json) } else { json.into() }
}
