//! [parser]: crate::Parser
//! [event-kind]: crate::EventKind
//! [owned-event]: crate::OwnedEvent
//! [partial-value]: crate::PartialValue
//! [partial]: crate::Partial
//! [settled]: crate::Settled
//! [revision]: crate::Revision
//! [value-feed]: crate::ValueFeed
//! [pattern-set]: crate::PatternSet
//! [limits]: crate::Limits
//! [duplicate-keys]: crate::DuplicateKeys
//! [retain]: crate::Retain
//!
// The README's links lead to source files; the first definition of a name counts, so that here they lead to items.
#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod document;
#[cfg(feature = "envelope")]
pub mod envelope;
mod error;
mod event;
mod parser;
mod path;
mod pattern;
#[cfg(any(feature = "tool-calls", feature = "envelope"))]
mod payload;
#[cfg(feature = "providers")]
pub mod providers;
mod tokenizer;
#[cfg(feature = "tool-calls")]
#[cfg_attr(not(feature = "providers"), allow(dead_code, reason = "the wire formats use the rest"))]
pub mod tool_calls;

pub use document::{Partial, PartialValue, PatchOp, Revision, Settled, ValueState};
pub use error::{Deviation, Error, ErrorKind};
pub use event::{CompleteValue, Event, EventKind, OwnedEvent, OwnedEventKind};
pub use parser::{Atom, DuplicateKeys, Events, Parser, ParserBuilder, Retain, ValueFeed};
pub use path::{Path, Segment};
pub use pattern::{Pattern, PatternError, PatternId, PatternSet};
#[cfg(any(feature = "tool-calls", feature = "envelope"))]
pub use payload::{Payload, PayloadStatus};
pub use tokenizer::{Limits, ValueKind};
