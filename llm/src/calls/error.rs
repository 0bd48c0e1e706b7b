//! Errors of a stream of calls besides a call's JSON: the wording of every [`CallError`].

use core::fmt;

use jsonspigot::internal::names;

/// Something about a call that the stream got wrong, or a limit that it passed. Other calls are not affected.
///
/// An error in a call's *JSON* is in the [`Payload`](crate::Payload) that it ends with instead.
///
/// ```
/// use jsonspigot_llm::{CallErrorKind, CallEvent, ToolCalls};
///
/// let mut calls = ToolCalls::default();
/// let mut reported = Vec::new();
/// calls.delta_with(3, "{}", |event| {
///     if let CallEvent::Error(error) = event {
///         assert_eq!((error.kind(), error.call()), (CallErrorKind::NotStarted, None));
///         reported.push(error.to_string());
///         reported.push(format!("{error:?}")); // what `main` prints if it returns the error
///     }
/// });
/// let message = "input for a call that was never started";
/// assert_eq!(reported, [message.to_owned(), format!("CallError({message})")]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CallError {
    kind: CallErrorKind,
    call: Option<u64>,
}

impl CallError {
    pub(crate) fn new(kind: CallErrorKind, call: impl Into<Option<u64>>) -> Self {
        Self { kind, call: call.into() }
    }

    /// The kind of error.
    #[must_use]
    pub fn kind(&self) -> CallErrorKind {
        self.kind
    }

    /// The call it is about, if it is about one that has a number.
    #[must_use]
    pub fn call(&self) -> Option<u64> {
        self.call
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            CallErrorKind::NotStarted if self.call.is_some() => "a call that never got a name",
            CallErrorKind::NotStarted => "input for a call that was never started",
            CallErrorKind::Ended => "input for a call that has ended",
            CallErrorKind::Mismatch => "the provider contradicts the input or the name that it gave before",
            CallErrorKind::Mixed => "input comes both as text and as values by path: the call can't be complete",
            CallErrorKind::OpenCallsLimit => "open calls limit: the call is left out",
            CallErrorKind::InputLimit => "input limit: the rest of the input is left out",
            CallErrorKind::NameLimit => "name limit: an id or name is too long, what it names is left out",
            CallErrorKind::EventLimit => "event limit: the event is left out, and no open call can be complete",
        })?;
        self.call.map_or(Ok(()), |call| write!(f, " (call {call})"))
    }
}

impl fmt::Debug for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallError({self})")
    }
}

impl core::error::Error for CallError {}

/// The kinds of [`CallError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CallErrorKind {
    /// A delta for a slot in which no call was started, or for no slot at all while several calls are open. It is
    /// dropped, and each open call that may have lost it ends truncated. Or, in a provider's stream, a call that never
    /// got a name: it ends truncated.
    NotStarted,
    /// A delta after the end of its call. It is dropped, and each open call that may have lost it ends truncated.
    Ended,
    /// A repetition of the whole input differs from the deltas: the call ends truncated, unless the provider's format
    /// allows a server to change the input (as Vercel's does). Or a result of a call differs from the one before.
    Mismatch,
    /// Input as values by path for a call whose input came as text, or the other way round; the call ends truncated.
    Mixed,
    /// One call more than [`CallLimits::open_calls`](crate::CallLimits::open_calls).
    OpenCallsLimit,
    /// One byte more than [`CallLimits::input_bytes`](crate::CallLimits::input_bytes); the call ends truncated.
    InputLimit,
    /// An id or a name longer than [`CallLimits::name_bytes`](crate::CallLimits::name_bytes).
    NameLimit,
    /// An event longer than [`CallLimits::event_bytes`](crate::CallLimits::event_bytes); open calls end truncated.
    EventLimit,
}

names!(CallErrorKind {
    NotStarted => "not-started",
    Ended => "ended",
    Mismatch => "mismatch",
    Mixed => "mixed",
    OpenCallsLimit => "open-calls-limit",
    InputLimit => "input-limit",
    NameLimit => "name-limit",
    EventLimit => "event-limit",
});
