//! Several tool calls at once, each with a parser of its own, whatever SDK or reader took the stream apart.
//!
//! [`ToolCalls`] takes the five signals that every protocol has in some form: `start`, `delta`, `whole`, `stop` and
//! `end_message`. The verdict on a call's arguments is never a guess: each call ends with a [`Payload`](crate::Payload) that
//! says whether its input is complete, empty, truncated, malformed, followed by more text, or not JSON at all, and only
//! the first two have a value.
//!
//! For the streams of known providers, [`providers`](crate::providers) reads the wire format and gives the signals.
//!
//! | file | owns |
//! |---|---|
//! | `tool_calls` | the public functions |
//! | `signal`, `signals` | a signal as a value, of which saved state is made; what each does |
//! | `call_index`, `places` | which call a slot or an id means |
//! | `state` | what is known of the calls between two signals |
//! | `open_call`, `input`, `values`, `numbered` | a call that is open, and the text or values that it got |
//! | `rest` | what a repetition says beyond what has come |
//! | `ending` | how a call ends, and the verdict on its input |
//! | `builder`, `options`, `limits`, `start`, `slot` | what a user chooses |
//! | `event`, `error`, `executor` | what is reported |
//! | `serialize` | how events are serialized |

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

#[cfg(feature = "_provider-streams")]
pub(crate) use self::{
    ending::is_one_of, event::CallListener, numbered::Numbered, open_call::OpenCall, open_call::is_stand_in,
    places::Key, places::Places, rest::digest_of, rest::rest_of, signals::Signals, slot::Place, start::present,
    state::State, values::PathValue,
};
pub use builder::ToolCallsBuilder;
pub use error::{CallError, CallErrorKind};
pub use event::{CallEvent, CallEvents, MismatchKind, ToolCall};
pub use executor::Executor;
pub use limits::CallLimits;
pub use slot::Slot;
pub use start::CallStart;
pub use tool_calls::ToolCalls;
