//! The events of a stream's tool calls: [`CallEvent`], and the call of each, [`ToolCall`].

use alloc::borrow::Cow;

use jsonspigot::Event;
use jsonspigot::internal::{names, owned_events};

use super::error::CallError;
use super::executor::Executor;
use crate::payload::{Payload, owned};

/// A tool call's identity, as far as it is known.
///
/// Some servers send the id or the name only after the first fragment, so an early event may lack what a later one has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall<'a> {
    /// The call's number: calls are counted from 0 as they start, over all messages.
    pub number: u64,
    /// The provider's id, with which the result is sent back.
    pub id: Option<Cow<'a, str>>,
    /// The tool's name. Where a server sends it in pieces, as much as has arrived; it is whole at the first fragment.
    pub name: Option<Cow<'a, str>>,
    /// The index of the answer that it belongs to; 0 where there is only one.
    pub choice: u64,
    /// The party that executes it. Some servers say so only with a later event, so ask at the call's end.
    pub executor: Executor,
    /// True if its input is the message's own text, which nobody executes and which has neither id nor name.
    pub is_answer: bool,
}

impl ToolCall<'_> {
    /// Returns a call that owns its id and name. Copies them, unless it owns them already.
    #[must_use]
    pub fn into_owned(self) -> ToolCall<'static> {
        let Self { number, id, name, choice, executor, is_answer } = self;
        ToolCall { number, id: id.map(owned), name: name.map(owned), choice, executor, is_answer }
    }
}

/// Something that happened to a tool call.
///
/// Each call is started once and ends once, and everything else about it is reported in between.
///
/// A callback receives an event that borrows its parts. [`into_owned`](Self::into_owned) makes it `'static`, for
/// channels and other threads, as the iterators return it.
///
/// ```
/// use jsonspigot_llm::{CallEvent, CallStart, ToolCalls};
///
/// let mut calls = ToolCalls::default();
/// let (sender, receiver) = std::sync::mpsc::channel::<CallEvent<'static>>();
/// for event in calls.start(0, CallStart::new("search").id("call_1")) {
///     sender.send(event)?; // or `.await`
/// }
/// for event in calls.whole(0, r#"{"query": "json"}"#).chain(calls.end_message("tool_calls")) {
///     sender.send(event)?;
/// }
/// let value = receiver.try_iter().find_map(|event| match event {
///     CallEvent::End { call, input } => Some((call.id, input.value()?.to_string())),
///     _ => None,
/// });
/// assert_eq!(value, Some((Some("call_1".into()), r#"{"query":"json"}"#.to_owned())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallEvent<'a> {
    /// A call has started. Where a message's own text is JSON, that text is a call with neither id nor name.
    Start {
        /// The call.
        call: ToolCall<'a>,
    },
    /// A piece of a call's input, as it was received: never empty. Joined, the pieces are the input's
    /// [`raw`](Payload::raw) text.
    Fragment {
        /// The call that it belongs to.
        call: ToolCall<'a>,
        /// The piece.
        text: Cow<'a, str>,
    },
    /// A pattern's match in a call's input: its begin, delta or end.
    Match {
        /// The call that it belongs to.
        call: ToolCall<'a>,
        /// The parser's event.
        event: Event<'a>,
    },
    /// A call has ended, and this is what its input came to.
    End {
        /// The call.
        call: ToolCall<'a>,
        /// The verdict and, if it is complete, the value.
        input: Payload<'a>,
    },
    /// The stream got something about a call wrong, or passed a limit; the stream goes on.
    Error(CallError),
    /// The first fragments of a call look as if each held all of the input so far. If so, build the calls with
    /// [`cumulative`](crate::ToolCallsBuilder::cumulative); the fragments are read as they are, since genuine ones may
    /// look the same.
    LooksCumulative {
        /// The call.
        call: ToolCall<'a>,
    },
    /// The provider repeats a call's whole input or its name, and contradicts what came before. An error of the kind
    /// [`Mismatch`](crate::CallErrorKind::Mismatch) has preceded it, and the call can't be complete.
    Mismatch {
        /// The call.
        call: ToolCall<'a>,
        /// The part of the call that is contradicted: its arguments, its name or its id.
        kind: MismatchKind,
        /// The whole input, the name or the id, as the provider repeats it.
        text: Cow<'a, str>,
    },
}

impl CallEvent<'_> {
    /// Returns an event that owns its parts: `'static`, for channels, logs and other threads. Copies them, unless it
    /// owns them already.
    #[must_use]
    pub fn into_owned(self) -> CallEvent<'static> {
        match self {
            Self::Start { call } => CallEvent::Start { call: call.into_owned() },
            Self::Fragment { call, text } => CallEvent::Fragment { call: call.into_owned(), text: owned(text) },
            Self::Match { call, event } => CallEvent::Match { call: call.into_owned(), event: event.into_owned() },
            Self::End { call, input } => CallEvent::End { call: call.into_owned(), input: input.into_owned() },
            Self::Error(error) => CallEvent::Error(error),
            Self::LooksCumulative { call } => CallEvent::LooksCumulative { call: call.into_owned() },
            Self::Mismatch { call, kind, text } => {
                CallEvent::Mismatch { call: call.into_owned(), kind, text: owned(text) }
            }
        }
    }
}

owned_events! {
    /// The events of one signal, in order: what the verbs of [`ToolCalls`](crate::ToolCalls) return. The signal has
    /// been read when this is made, and nothing is borrowed.
    CallEvents of CallEvent<'static>
}

impl CallEvents {
    /// Returns the verdict on the signal, for callers who need none of its events.
    ///
    /// # Errors
    ///
    /// The first [`CallError`] among the events that are left.
    pub fn check(mut self) -> Result<(), CallError> {
        self.find_map(|event| if let CallEvent::Error(error) = event { Some(error) } else { None }).map_or(Ok(()), Err)
    }
}

/// The subject of a mismatch: what the provider contradicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MismatchKind {
    /// The assistant's text.
    Text,
    /// The assistant's reasoning.
    Reasoning,
    /// A refusal.
    Refusal,
    /// The input of a call.
    Arguments,
    /// The name of a call.
    Name,
    /// The id of a call.
    Id,
}

names!(MismatchKind {
    Text => "text",
    Reasoning => "reasoning",
    Refusal => "refusal",
    Arguments => "arguments",
    Name => "name",
    Id => "id",
});

/// The receiver of events. Everything below the public functions takes it as a trait object, so it is compiled once,
/// and not once for each closure.
pub(crate) trait CallListener {
    fn on_call_event(&mut self, event: CallEvent<'_>);
}

impl<F: FnMut(CallEvent<'_>)> CallListener for F {
    fn on_call_event(&mut self, event: CallEvent<'_>) {
        self(event);
    }
}

/// Something that a fragment has reported.
pub(super) enum InputEvent<'a> {
    /// The text that it added to the raw text.
    Fragment(&'a str),
    Match(Event<'a>),
}
