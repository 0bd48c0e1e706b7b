//! What a stream of calls tells: [`ToolEvent`], and the verdict on a call's arguments, [`Input`].

use core::fmt;

use super::error::CallError;
use crate::error::Error;
use crate::event::{CompleteValue, Event};

/// Something that became known about a provider's stream. Borrowed; it lives as long as the callback.
///
/// Calls are numbered from 0 as they start, over all messages. An empty id or name is an absent one.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot::adapters::{Calls, Provider, ToolCalls, ToolEvent};
///
/// let mut calls = ToolCalls::new(Provider::OpenaiChat, Calls::new(&PatternSet::empty()));
/// let mut shown = String::new();
/// for chunk in [
///     r#"{"choices":[{"index":0,"delta":{"content":"Let me "}}]}"#,
///     r#"{"choices":[{"index":0,"delta":{"content":"look."},"finish_reason":"stop"}]}"#,
///     "upstream timed out",
/// ] {
///     calls.push(chunk, |event| match event {
///         ToolEvent::Text { text, .. } => shown.push_str(text),
///         ToolEvent::Stop { reason, .. } => shown.push_str(&format!(" ({reason})")),
///         ToolEvent::BadFrame { text } => shown.push_str(&format!(" [{text}]")),
///         _ => {}
///     });
/// }
/// assert_eq!(shown, "Let me look. (stop) [upstream timed out]");
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ToolEvent<'a> {
    /// A call was started. In structured mode also a message whose text is JSON: it has neither id nor name.
    Call {
        /// The call's number.
        call: u64,
        /// The provider's id, with which the result is sent back.
        id: Option<&'a str>,
        /// The tool's name.
        name: Option<&'a str>,
        /// Which of several answers it belongs to; 0 where there is one.
        choice: u64,
    },
    /// A piece of a call's arguments, as it came: never empty. Joined they are the input's [`raw`](Input::raw) text.
    Fragment {
        /// The call's number.
        call: u64,
        /// The piece.
        text: &'a str,
    },
    /// A pattern's match in a call's arguments: its begin, delta or end.
    Match {
        /// The call's number.
        call: u64,
        /// The parser's event.
        event: Event<'a>,
    },
    /// A call's arguments are done, for better or worse.
    Input {
        /// The call's number.
        call: u64,
        /// As in [`Call`](ToolEvent::Call), or what came later.
        id: Option<&'a str>,
        /// As in [`Call`](ToolEvent::Call), or what came later.
        name: Option<&'a str>,
        /// The verdict.
        input: Input<'a>,
    },
    /// A piece of the assistant's text.
    Text {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// The piece.
        text: &'a str,
    },
    /// A piece of the assistant's reasoning.
    Reasoning {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// The piece.
        text: &'a str,
    },
    /// A piece of a refusal.
    Refusal {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// The piece.
        text: &'a str,
    },
    /// Token counts, as the provider's JSON text.
    Usage {
        /// The JSON text.
        json: &'a str,
    },
    /// An answer has ended, and why, in the provider's word.
    Stop {
        /// Which of several answers; 0 where there is one.
        choice: u64,
        /// `tool_use`, `stop`, `max_tokens`, …
        reason: &'a str,
        /// The reason of the provider behind a gateway that translates reasons. OpenRouter's `tool_calls` may stand for
        /// `length`; a call that was cut then names the latter.
        native_reason: Option<&'a str>,
    },
    /// The provider's last word has come: `message_stop`, `[DONE]`, `response.completed`, `message-end`, … A stream that
    /// ends without it was cut, so whoever acts on whole messages only waits for it. Gemini sends none, and some
    /// servers leave out their `[DONE]`: there, [`Stop`](ToolEvent::Stop) is the last word.
    End,
    /// The provider reports an error: in an event of its own, inside another event, or as the body of an HTTP error that
    /// was pushed as the only event.
    ProviderError {
        /// Its words; the JSON text if it has none.
        message: &'a str,
        /// Its type, as the provider spells it: `overloaded_error`, `INVALID_ARGUMENT`, `throttlingException`.
        kind: Option<&'a str>,
        /// Its code, as the provider spells it, be it a string or a number: `model_not_found`, `400`.
        code: Option<&'a str>,
    },
    /// A JSON object that is no known event of the provider. The stream goes on. Where the provider is not known yet,
    /// this is told by [`finish`](super::ToolCalls::finish).
    Unknown {
        /// The object's JSON text.
        text: &'a str,
    },
    /// A frame that is not a JSON object; the stream goes on.
    BadFrame {
        /// The frame.
        text: &'a str,
    },
    /// The stream got something about a call wrong, or passed a limit; the stream goes on.
    Error(CallError),
}

/// What a call's arguments came to.
///
/// ```
/// use jsonspigot::ErrorKind;
/// use jsonspigot::adapters::{Calls, InputStatus, ToolEvent};
///
/// let mut calls = Calls::builder().build();
/// let mut verdicts = 0;
/// calls.start(0, "call_1", "write_file", "", |_| {});
/// calls.delta(0, r#"{"path": "a", "content": "half of i"#, |_| {});
/// calls.finish(Some("max_tokens"), |event| {
///     if let ToolEvent::Input { input, .. } = event {
///         assert_eq!(input.status(), InputStatus::Truncated { reason: "max_tokens" });
///         assert!(input.value().is_none(), "what was cut is never handed out");
///         assert_eq!(input.raw(), r#"{"path": "a", "content": "half of i"#);
///         assert_eq!(input.error().unwrap().kind(), ErrorKind::Incomplete);
///         verdicts += 1;
///     }
/// });
/// assert_eq!(verdicts, 1);
/// ```
#[derive(Clone, Copy)]
pub struct Input<'a> {
    pub(super) status: InputStatus<'a>,
    pub(super) raw: &'a str,
    pub(super) value: Option<CompleteValue<'a>>,
    pub(super) error: Option<&'a Error>,
}

impl<'a> Input<'a> {
    /// The verdict.
    #[must_use]
    pub fn status(&self) -> InputStatus<'a> {
        self.status
    }

    /// Every fragment, joined, also those behind the first bad byte.
    #[must_use]
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// The value, if it is complete, or empty and so `{}`.
    #[must_use]
    pub fn value(&self) -> Option<CompleteValue<'a>> {
        self.value
    }

    /// What is wrong with the JSON: kind, offset and path, for malformed, trailing and truncated input.
    #[must_use]
    pub fn error(&self) -> Option<&'a Error> {
        self.error
    }
}

impl fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input")
            .field("status", &self.status)
            .field("raw", &self.raw)
            .field("value", &self.value)
            .field("error", &self.error)
            .finish()
    }
}

/// The verdicts on a call's arguments. Only the first two have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputStatus<'a> {
    /// One whole JSON value and nothing else; `null` is one too.
    Complete,
    /// No text at all, and the call ended as calls do: the value is `{}`.
    Empty,
    /// It ended before its time. Never a value, however much has come.
    Truncated {
        /// The provider's word (`max_tokens`, `length`, …), or one of ours: `superseded` by another message,
        /// `end-of-input` without an end, `incomplete` though its end was told, `limit` of our own, `bad-frame`: an
        /// event came while it was open that holds what can't be read; `unplaced`: a fragment may have been its own that
        /// names no call, or one that is not there; `mismatch`: the wire repeated the input, and it was another one;
        /// `mixed`: it came both as text and as values by path.
        reason: &'a str,
    },
    /// Not JSON, from the error's offset on.
    Malformed,
    /// A whole value with more behind it.
    Trailing,
    /// Not JSON by nature (a patch, a query, code): the raw text is all there is, and it is whole.
    Raw,
}

impl InputStatus<'_> {
    /// The status in lower case, as the command line prints it: `complete`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Empty => "empty",
            Self::Truncated { .. } => "truncated",
            Self::Malformed => "malformed",
            Self::Trailing => "trailing",
            Self::Raw => "raw",
        }
    }
}
