//! Several tool calls at once, each with its own parser, for streams that any SDK or reader has split up.
//!
//! [`ToolCalls`] takes the five signals that every protocol has in some form: `start`, `delta`, `whole`, `stop` and
//! `end_message`. The verdict on a call's arguments is never a guess. Each call ends with a [`Payload`](crate::Payload)
//! whose status is complete, accepted, empty, truncated, malformed, trailing or raw; only the first three have a value.
//!
//! [`ProviderStream`](crate::ProviderStream) reads the wire formats of known providers and sends the signals.

mod builder;
mod closing;
mod ending;
mod error;
mod event;
mod input;
mod limits;
mod numbered;
mod open_call;
mod places;
mod rest;
mod saved;
mod signals;
mod start;
mod state;
mod stopping;
mod tool_calls;
mod values;

#[cfg(feature = "providers")]
pub(crate) use self::{
    event::CallListener, numbered::Numbered, open_call::OpenCall, open_call::is_stand_in, places::Places,
    rest::digest_of, rest::rest_of, signals::Signals, start::Place, start::present, state::State, values::PathValue,
};
pub use builder::ToolCallsBuilder;
pub use error::{CallError, CallErrorKind};
pub use event::{CallEvent, CallEvents, MismatchKind, ToolCall};
pub use limits::CallLimits;
pub use start::{CallStart, Executor, Slot};
pub use tool_calls::ToolCalls;
