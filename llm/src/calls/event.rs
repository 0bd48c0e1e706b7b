//! The events of a stream's tool calls: [`CallEvent`], and the call that each event is about, [`ToolCall`].

use alloc::borrow::Cow;

use jsonspigot::Event;
use jsonspigot::internal::{Line, lines, names, owned_events};

use super::error::CallError;
use super::start::Executor;
use crate::payload::{Payload, PayloadStatus, owned};

/// The known identity of a tool call.
///
/// Some servers send the id or the name only after the first fragment, so early events may lack either.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall<'a> {
    /// The call's number. Calls are numbered from 0 in the order of their starts, across all messages.
    pub number: u64,
    /// The provider's id, which the result has to name.
    pub id: Option<Cow<'a, str>>,
    /// The tool's name. Some servers send it in pieces; it is complete at the first fragment.
    pub name: Option<Cow<'a, str>>,
    /// The index of the answer that the call belongs to; 0 if there is only one.
    pub choice: u64,
    /// The party that executes the call. Some servers send it only with a later event, so check it at the call's end.
    pub executor: Executor,
    /// True if the input is the message's own text, which has neither id nor name and is not executed.
    pub is_answer: bool,
    /// True if the input is not meant to be JSON, such as the text for a custom tool.
    pub is_raw: bool,
}

impl ToolCall<'_> {
    /// Returns a call that borrows its id and name from this one.
    pub(super) fn borrowed(&self) -> ToolCall<'_> {
        let Self { number, choice, executor, is_answer, is_raw, .. } = *self;
        let [id, name] = [&self.id, &self.name].map(|text| text.as_deref().map(Cow::from));
        ToolCall { number, id, name, choice, executor, is_answer, is_raw }
    }

    /// Returns a call that owns its id and name. Copies them unless it already owns them.
    #[must_use]
    pub fn into_owned(self) -> ToolCall<'static> {
        let Self { number, id, name, choice, executor, is_answer, is_raw } = self;
        ToolCall { number, id: id.map(owned), name: name.map(owned), choice, executor, is_answer, is_raw }
    }
}

/// An event of a tool call.
///
/// Each call starts once and ends once. All other events of the call are reported in between.
///
/// A callback receives an event that borrows its parts. [`into_owned`](Self::into_owned) makes the event `'static`, for
/// channels and other threads. Iterators return owned events.
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
    /// A call has started. If the message's own text is JSON, that text is reported as a call without id and name.
    Start {
        /// The call.
        call: ToolCall<'a>,
    },
    /// A piece of a call's input as it was received, never empty. The pieces, joined, are the input's
    /// [`raw`](Payload::raw) text.
    Fragment {
        /// The call.
        call: ToolCall<'a>,
        /// The piece.
        text: Cow<'a, str>,
    },
    /// An event of a match in a call's input: its begin, a delta or its end.
    Match {
        /// The call.
        call: ToolCall<'a>,
        /// The parser's event.
        event: Event<'a>,
    },
    /// A call's value has closed, so that it can't change any more. Only reported if
    /// [enabled](crate::ToolCallsBuilder::report_closed), and always before the end, which still has the verdict.
    Closed {
        /// The call.
        call: ToolCall<'a>,
    },
    /// All of the fields that [`report_closed`](crate::ToolCallsBuilder::report_closed) names have closed.
    FieldsClosed {
        /// The call.
        call: ToolCall<'a>,
    },
    /// A call has ended.
    End {
        /// The call.
        call: ToolCall<'a>,
        /// The verdict on the input and, if it is complete, the value.
        input: Payload<'a>,
    },
    /// The stream made an error in a call or exceeded a limit. Reading continues.
    Error(CallError),
    /// The first fragments of a call look as if each held all of the input so far. If they do, build the calls with
    /// [`cumulative`](crate::ToolCallsBuilder::cumulative). Fragments are still read as they are, since genuine ones
    /// may look the same.
    LooksCumulative {
        /// The call.
        call: ToolCall<'a>,
    },
    /// The provider repeated a call's whole input, name or id with a different text. The call can't be complete. An
    /// error of the kind [`Mismatch`](crate::CallErrorKind::Mismatch) is reported first.
    Mismatch {
        /// The call.
        call: ToolCall<'a>,
        /// The part of the call that differs: its arguments, its name or its id.
        kind: MismatchKind,
        /// The repeated input, name or id.
        text: Cow<'a, str>,
    },
}

impl CallEvent<'_> {
    /// Returns an event that owns its parts: `'static`, for channels, logs and other threads. Copies them unless it
    /// already owns them.
    #[must_use]
    pub fn into_owned(self) -> CallEvent<'static> {
        match self {
            Self::Start { call } => CallEvent::Start { call: call.into_owned() },
            Self::Fragment { call, text } => CallEvent::Fragment { call: call.into_owned(), text: owned(text) },
            Self::Match { call, event } => CallEvent::Match { call: call.into_owned(), event: event.into_owned() },
            Self::Closed { call } => CallEvent::Closed { call: call.into_owned() },
            Self::FieldsClosed { call } => CallEvent::FieldsClosed { call: call.into_owned() },
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
    /// The events of one signal, in order, as returned by the methods of [`ToolCalls`](crate::ToolCalls). The signal
    /// has already been read, and the iterator borrows nothing.
    CallEvents of CallEvent<'static>
}

impl CallEvents {
    /// Returns the first error of the signal, for callers that need no other events.
    ///
    /// # Errors
    ///
    /// Fails with the first [`CallError`] among the remaining events.
    pub fn check(mut self) -> Result<(), CallError> {
        self.find_map(|event| if let CallEvent::Error(error) = event { Some(error) } else { None }).map_or(Ok(()), Err)
    }
}

/// The part of a message or call that the provider repeated with a different text.
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

/// The receiver of events. Internal functions take it as a trait object, so they are compiled once and not for each
/// closure.
pub(crate) trait CallListener {
    fn on_call_event(&mut self, event: CallEvent<'_>);
}

impl<F: FnMut(CallEvent<'_>)> CallListener for F {
    fn on_call_event(&mut self, event: CallEvent<'_>) {
        self(event);
    }
}

/// An event of an input, before its call is added.
pub(super) enum InputEvent<'a> {
    /// The text that was appended to the raw text.
    Fragment(&'a str),
    Match(Event<'a>),
}

impl ToolCall<'_> {
    fn put_names<'a>(&'a self, line: &mut Line<'a>) {
        line.put("call", self.number).put("id", self.id.as_deref()).put("name", self.name.as_deref());
    }

    fn put_executor<'a>(&'a self, line: &mut Line<'a>) {
        line.put_some("executed", (!self.is_answer).then(|| self.executor.name()));
    }
}

lines!(CallEvent<'_>);

impl CallEvent<'_> {
    /// Returns the event's members.
    pub(crate) fn line(&self) -> Line<'_> {
        let mut line = Line::new(self.name());
        match self {
            Self::Match { call, event } => return event.line().of([("call", call.number.into())]),
            Self::Start { call } => {
                call.put_names(&mut line);
                line.put("choice", call.choice);
                call.put_executor(&mut line);
            }
            Self::Fragment { call, text } => {
                line.put("call", call.number).put("text", &**text);
            }
            Self::Closed { call } | Self::FieldsClosed { call } => {
                line.put("call", call.number);
            }
            Self::End { call, input } => {
                call.put_names(&mut line);
                let reason = if let PayloadStatus::Truncated { reason } = input.status() { Some(reason) } else { None };
                input.put_value(&mut line);
                input.put_values(&mut line);
                input.put_error(&mut line, reason);
                call.put_executor(&mut line);
            }
            Self::Error(error) => {
                line.put_some("call", error.call()).put("kind", error.kind().name());
            }
            Self::LooksCumulative { call } => {
                line.put("kind", "cumulative").put("call", call.number);
            }
            Self::Mismatch { call, kind, text } => {
                line.put("kind", kind.name()).put("call", call.number).put("text", &**text);
                line.put_some("choice", (call.choice > 0).then_some(call.choice));
            }
        }
        line
    }

    /// Returns the event's name as the command prints it. The line of a match has the name of its own event instead.
    fn name(&self) -> &'static str {
        match self {
            Self::Start { .. } => "call",
            Self::Fragment { .. } => "fragment",
            Self::Match { .. } => "match",
            Self::Closed { .. } => "call-closed",
            Self::FieldsClosed { .. } => "fields-closed",
            Self::End { .. } => "input",
            Self::Error(_) => "call-error",
            Self::LooksCumulative { .. } => "warning",
            Self::Mismatch { .. } => "mismatch",
        }
    }
}
