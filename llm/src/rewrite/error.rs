//! The errors of rewriting an event.

use alloc::string::String;
use core::error::Error as StdError;
use core::fmt;

use jsonspigot::RewriteError;

/// An event that could not be rewritten as it should have been, and what may be passed on in its place.
///
/// ```
/// use jsonspigot::Rule;
/// use jsonspigot_llm::{BadEventReason, CallRewriter, Provider};
///
/// let mut calls = CallRewriter::new(Provider::OpenaiChat, [("password", Rule::redact())])?;
/// let bad = calls.push("{\"choices\":[{\"del").unwrap_err();
/// assert_eq!((bad.instead(), bad.reason()), ("", &BadEventReason::NotJson));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadEvent {
    pub(super) instead: String,
    pub(super) reason: BadEventReason,
}

/// The reason of a [`BadEvent`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadEventReason {
    /// The event is not JSON.
    NotJson,
    /// The event is another wire's, and a rule redacts.
    OtherWire,
    /// The event can't be read, and a rule redacts.
    Unreadable,
    /// The arguments of a call can't be rewritten further, and end with this event. Its offset counts from the quote
    /// before the arguments.
    Arguments(RewriteError),
    /// More than 256 calls are open: nothing of this one's arguments passes.
    TooManyCalls,
    /// A closure of the rules panicked in an earlier call: nothing more passes until the next stream.
    Panicked,
}

impl BadEvent {
    /// Returns the event as it may be passed on. An event that is not JSON, is unreadable or is of
    /// another wire is empty if a rule [redacts](jsonspigot::Rule::redact), and otherwise unchanged.
    #[must_use]
    pub fn instead(&self) -> &str {
        &self.instead
    }

    /// Returns the reason.
    #[must_use]
    pub fn reason(&self) -> &BadEventReason {
        &self.reason
    }
}

impl fmt::Display for BadEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            BadEventReason::NotJson => f.write_str("an event is not JSON"),
            BadEventReason::OtherWire => f.write_str("an event is of another wire format"),
            BadEventReason::Unreadable => f.write_str("an event could not be read"),
            BadEventReason::Arguments(error) => error.fmt(f),
            BadEventReason::TooManyCalls => f.write_str("more calls are open than can be distinguished"),
            BadEventReason::Panicked => f.write_str("a closure of the rules panicked"),
        }
    }
}

impl StdError for BadEvent {}
