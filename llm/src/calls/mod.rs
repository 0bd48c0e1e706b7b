//! Several tool calls at once, each with its own parser, for streams that any SDK or reader has split up.
//!
//! [`ToolCalls`] takes the five signals that every protocol has in some form: `start`, `delta`, `whole`, `stop` and
//! `end_message`. The verdict on a call's arguments is never a guess. Each call ends with a [`Payload`](crate::Payload)
//! whose status is complete, accepted, empty, truncated, malformed, trailing or raw; only the first three have a value.
//!
//! [`ProviderStream`](crate::ProviderStream) reads the wire formats of known providers and sends the signals.
//!
//! | file | owns |
//! |---|---|
//! | `tool_calls` | the public functions |
//! | `signal`, `signals` | a signal as a value, for saved states; the effect of each signal |
//! | `call_index`, `places` | the call that a slot or an id leads to |
//! | `state` | the state of the calls between two signals |
//! | `open_call`, `input`, `values`, `numbered` | an open call, and its input as text or values |
//! | `rest` | the new part of a repeated input |
//! | `ending`, `stopping` | the end of a call, and the verdict on its input |
//! | `builder`, `options`, `limits`, `start`, `slot` | the options and arguments of the public functions |
//! | `event`, `error`, `executor` | the reported types |
//! | `saved`, `serialize` | saved states; the serialized form of events |

mod builder;
mod call_index;
mod ending;
mod error;
mod event;
mod executor;
mod input;
mod limits;
mod numbered;
mod open_call;
mod options;
mod places;
mod rest;
mod saved;
mod serialize;
mod signal;
mod signals;
mod slot;
mod start;
mod state;
mod stopping;
mod tool_calls;
mod values;

#[cfg(feature = "providers")]
pub(crate) use self::{
    ending::is_one_of, event::CallListener, numbered::Numbered, open_call::OpenCall, open_call::is_stand_in,
    places::Places, rest::digest_of, rest::rest_of, signals::Signals, slot::Place, start::present, state::State,
    values::PathValue,
};
pub use builder::ToolCallsBuilder;
pub use error::{CallError, CallErrorKind};
pub use event::{CallEvent, CallEvents, MismatchKind, ToolCall};
pub use executor::Executor;
pub use limits::CallLimits;
pub use slot::Slot;
pub use start::CallStart;
pub use tool_calls::ToolCalls;
