//! Layer 6: what JSON comes wrapped in: provider streams with tool calls, and text with payloads between marks. No I/O,
//! no line framing, no async.
//!
//! [`ToolCalls`] takes one provider event (its JSON text) at a time and tells [`ToolEvent`]s. Below it stands the
//! provider-neutral door, [`Calls`]: `start`, `delta`, `whole`, `stop`, `finish`, for users of any SDK.
//!
//! What a call's arguments are worth is never a guess: each [`Input`] says whether it is complete, empty, truncated,
//! malformed, trailed by more bytes, or not JSON at all, and only the first two have a value.
//!
//! Server-sent events are split into events elsewhere: any reader of them will do, its `data` is what is pushed.

mod body;
mod builder;
mod call;
mod calls;
mod door;
mod error;
mod event;
mod limits;
mod provider;
mod providers;
mod slots;
mod tool_calls;
mod wire;

pub use builder::{ArgumentsMode, CallsBuilder};
pub use calls::Calls;
pub use error::{CallError, CallErrorKind};
pub use event::{Input, InputStatus, ToolEvent};
pub use limits::CallLimits;
pub use provider::{Provider, UnknownProvider};
pub use slots::Slot;
pub use tool_calls::ToolCalls;
