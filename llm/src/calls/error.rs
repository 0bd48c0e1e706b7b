//! Errors of a stream of calls, except for those in a call's JSON: [`CallError`] and its messages.

use core::fmt;

use jsonspigot::internal::names;

/// An error that the stream made in a call, or a limit that it exceeded. Other calls are not affected.
///
/// An error in a call's *JSON* is reported in the [`Payload`](crate::Payload) with which the call ends.
///
/// ```
/// use jsonspigot_llm::{CallErrorKind, ToolCalls};
///
/// let error = ToolCalls::default().delta(3, "{}").check().unwrap_err();
/// assert_eq!((error.kind(), error.call()), (CallErrorKind::NotStarted, None));
/// let message = "input for a call that was never started";
/// // `main` prints the second form if it returns the error.
/// assert_eq!([error.to_string(), format!("{error:?}")], [message.to_owned(), format!("CallError({message})")]);
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

    /// Returns the kind of error.
    #[must_use]
    pub fn kind(&self) -> CallErrorKind {
        self.kind
    }

    /// Returns the number of the call with the error, if the error is about a numbered call.
    #[must_use]
    pub fn call(&self) -> Option<u64> {
        self.call
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            CallErrorKind::NotStarted if self.call.is_some() => "the call never received a name",
            CallErrorKind::NotStarted => "input for a call that was never started",
            CallErrorKind::Ended => "input for a call that has ended",
            CallErrorKind::Mismatch => "the provider contradicts the input or the name that it sent before",
            CallErrorKind::Mixed => "input arrived both as text and as values by path: the call can't be complete",
            CallErrorKind::OpenCallsLimit => "open calls limit: the call is left out",
            CallErrorKind::InputLimit => "input limit: the rest of the input is left out",
            CallErrorKind::NameLimit => "name limit: an id or name is too long, so what it identifies is left out",
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
    /// A delta for a slot in which no call was started, or for no slot while several calls are open. The delta is
    /// dropped, and each open call that it may belong to ends truncated. In a provider's stream, also a call that never
    /// received a name: it ends truncated.
    NotStarted,
    /// A delta or a repeated start after the end of its call. A delta is dropped, and each open call that it may belong
    /// to ends truncated.
    Ended,
    /// A repeated input, name or id that differs from the one before. The call ends truncated, unless the provider's
    /// format allows servers to change the input, as Vercel's does. Also a repeated result that differs from the first
    /// one.
    Mismatch,
    /// Values by path for a call whose input arrived as text, or text after values by path. The call ends truncated.
    Mixed,
    /// More open calls than [`CallLimits::open_calls`](crate::CallLimits::open_calls). The new call is left out.
    OpenCallsLimit,
    /// More input than [`CallLimits::input_bytes`](crate::CallLimits::input_bytes). The call ends truncated.
    InputLimit,
    /// An id or name longer than [`CallLimits::name_bytes`](crate::CallLimits::name_bytes).
    NameLimit,
    /// An event longer than [`CallLimits::event_bytes`](crate::CallLimits::event_bytes). Open calls end truncated.
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
