//! Events of calls that own their parts: for `?`, `.await`, channels and logs.

use alloc::borrow::ToOwned;
use alloc::string::String;

use jsonspigot::Event;
use jsonspigot::internal::owned_events;

use super::error::CallError;
use super::event::{CallEvent, ToolCall};
use super::executor::Executor;
use crate::payload::OwnedPayload;

/// A [`ToolCall`] that owns its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedToolCall {
    /// The call's number.
    pub number: u64,
    /// The provider's id.
    pub id: Option<String>,
    /// The tool's name.
    pub name: Option<String>,
    /// Which of several answers it belongs to; 0 where there is one.
    pub choice: u64,
    /// The side that is to execute it, as far as that is known.
    pub executor: Executor,
}

/// A [`CallEvent`] that owns its parts: `'static + Send`, as the verbs of [`ToolCalls`](crate::ToolCalls) return them.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot_llm::{CallStart, OwnedCallEvent, ToolCalls};
///
/// let mut calls = ToolCalls::new(&PatternSet::default());
/// let (sender, receiver) = std::sync::mpsc::channel::<OwnedCallEvent>();
/// for event in calls.start(0, CallStart::new("search").id("call_1")) {
///     sender.send(event)?; // or `.await`
/// }
/// for event in calls.whole(0, r#"{"query": "json"}"#).chain(calls.finish(Some("tool_calls"))) {
///     sender.send(event)?;
/// }
/// let value = receiver.try_iter().find_map(|event| match event {
///     OwnedCallEvent::End { call, input } => Some((call.id, input.value().map(str::to_owned))),
///     _ => None,
/// });
/// assert_eq!(value, Some((Some("call_1".to_owned()), Some(r#"{"query":"json"}"#.to_owned()))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnedCallEvent {
    /// [`CallEvent::Start`].
    Start(OwnedToolCall),
    /// [`CallEvent::Fragment`].
    Fragment {
        /// Which call it belongs to.
        call: OwnedToolCall,
        /// The piece.
        text: String,
    },
    /// [`CallEvent::Match`].
    Match {
        /// Which call it belongs to.
        call: OwnedToolCall,
        /// The parser's event.
        event: Event<'static>,
    },
    /// [`CallEvent::End`].
    End {
        /// Which call.
        call: OwnedToolCall,
        /// The verdict and, if it is complete, the value.
        input: OwnedPayload,
    },
    /// [`CallEvent::Error`].
    Error(CallError),
    /// [`CallEvent::Mismatch`].
    Mismatch {
        /// Which call.
        call: OwnedToolCall,
        /// The whole input as the provider repeats it.
        text: String,
    },
}

impl ToolCall<'_> {
    /// A copy that can be kept. Costs the id and the name.
    #[must_use]
    pub fn to_owned(&self) -> OwnedToolCall {
        let Self { number, id, name, choice, executor } = *self;
        OwnedToolCall { number, id: id.map(str::to_owned), name: name.map(str::to_owned), choice, executor }
    }
}

impl CallEvent<'_> {
    /// A copy that can be kept and sent to another thread. Costs the call's names and the text or value.
    #[must_use]
    pub fn to_owned(&self) -> OwnedCallEvent {
        match self.clone() {
            Self::Start(call) => OwnedCallEvent::Start(call.to_owned()),
            Self::Fragment { call, text } => OwnedCallEvent::Fragment { call: call.to_owned(), text: text.to_owned() },
            Self::Match { call, event } => OwnedCallEvent::Match { call: call.to_owned(), event: event.into_owned() },
            Self::End { call, input } => OwnedCallEvent::End { call: call.to_owned(), input: input.to_owned() },
            Self::Error(error) => OwnedCallEvent::Error(error),
            Self::Mismatch { call, text } => OwnedCallEvent::Mismatch { call: call.to_owned(), text: text.to_owned() },
        }
    }
}

owned_events! {
    /// The events of one signal, in order: what the verbs of [`ToolCalls`](crate::ToolCalls) return. The signal has
    /// been read when this is made, and nothing is borrowed.
    CallEvents of OwnedCallEvent
}

impl CallEvents {
    /// Returns the verdict on the signal, for callers who need none of its events.
    ///
    /// # Errors
    ///
    /// The first [`CallError`] among the events that are left.
    pub fn check(mut self) -> Result<(), CallError> {
        self.find_map(|event| if let OwnedCallEvent::Error(error) = event { Some(error) } else { None })
            .map_or(Ok(()), Err)
    }
}
