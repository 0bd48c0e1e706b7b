//! Reads what language models send: tool calls, provider streams, and JSON payloads inside text. Each value is reported
//! as it arrives.
//!
//! [`ProviderStream`] reads the events of a provider's stream, one JSON text at a time. It reports text, reasoning,
//! usage, the stop reason, errors and tool calls, and parses the arguments of each call while they arrive.
//! [`ToolCalls`] parses the calls of a stream that an SDK has already read. [`Envelope`] separates JSON payloads from
//! the text around them. All three parse with [`jsonspigot`], whose [patterns](jsonspigot::PatternSet) select the
//! values to report.
//!
//! The crate does no I/O and uses no async runtime. To split a response body into events, use `jsonspigot-framing` or
//! any reader of server-sent events, and push each event's `data`.
//!
//! ```
//! # #[cfg(not(feature = "providers"))]
//! # fn main() {}
//! # #[cfg(feature = "providers")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::borrow::Cow;
//!
//! use jsonspigot::PatternSet;
//! use jsonspigot_llm::{CallEvent, ProviderStream, StopKind, StreamEvent, ToolCalls};
//!
//! let mut stream = ProviderStream::detecting(ToolCalls::new(&PatternSet::new(["city"])?));
//! let mut seen = Vec::new();
//! for data in [
//!     r#"{"choices":[{"delta":{"content":"I look."}}]}"#,
//!     r#"{"choices":[{"delta":{"tool_calls":[{"id":"call_1","function":{"name":"weather","arguments":"{\"city\": \"Os"}}]}}]}"#,
//!     r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"lo\"}"}}]},"finish_reason":"tool_calls"}]}"#,
//! ] {
//!     for event in stream.push(data) {
//!         match event {
//!             StreamEvent::Text { text, .. } => seen.push(text.into_owned()),
//!             StreamEvent::Call(CallEvent::Start { call }) => seen.extend(call.name.map(Cow::into_owned)),
//!             StreamEvent::Call(CallEvent::Match { event, .. }) => seen.extend(event.delta().map(str::to_owned)),
//!             StreamEvent::Call(CallEvent::End { input, .. }) => seen.push(input.status().to_string()),
//!             StreamEvent::Stop { kind: StopKind::Length, .. } => return Err("the answer was cut off".into()),
//!             StreamEvent::ProviderError { message, .. } => return Err(message.into_owned().into()),
//!             _ => {}
//!         }
//!     }
//! }
//! stream.finish().check()?; // an error unless everything that the provider sent was reported and has ended
//! assert_eq!(seen, ["I look.", "weather", "Os", "lo", "complete"]);
//! # Ok(())
//! # }
//! ```
//!
//! # What is reported
//!
//! | topic | reported by |
//! |---|---|
//! | the answer | [`Text`](StreamEvent::Text), [`Reasoning`](StreamEvent::Reasoning), [`Refusal`](StreamEvent::Refusal), in blocks; [`Media`](StreamEvent::Media), [`Data`](StreamEvent::Data) |
//! | calls, and the party that executes them | [`Call`](StreamEvent::Call) with its [executor](Executor), [`ApprovalRequest`](StreamEvent::ApprovalRequest) |
//! | results and sources | [`ToolResult`](StreamEvent::ToolResult), [`CallCancelled`](StreamEvent::CallCancelled), [`Source`](StreamEvent::Source) |
//! | parts to send back with the next request | [`Opaque`](StreamEvent::Opaque); the whole message is [`ProviderStream::message`](ProviderStream::message) |
//! | beginnings and ends | [`MessageStart`](StreamEvent::MessageStart), [`BlockStart`](StreamEvent::BlockStart), [`BlockEnd`](StreamEvent::BlockEnd), [`Stop`](StreamEvent::Stop), [`End`](StreamEvent::End), [`Incomplete`](StreamEvent::Incomplete) |
//! | usage and errors | [`Usage`](StreamEvent::Usage), [`ContentFilter`](StreamEvent::ContentFilter), [`ProviderError`](StreamEvent::ProviderError), [`Mismatch`](StreamEvent::Mismatch), [`UnknownPart`](StreamEvent::UnknownPart), [`Unknown`](StreamEvent::Unknown), [`BadFrame`](StreamEvent::BadFrame) |
//! | payloads in the text | [`Payload`](StreamEvent::Payload), after [`with_envelope`](ProviderStream::with_envelope) |
//! | completeness of the stream | [`ProviderStream::verdict`](ProviderStream::verdict) |
//!
//!
#![cfg_attr(feature = "providers", doc = include_str!("formats/formats.md"))]
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(all(feature = "providers", feature = "envelope")),
    allow(dead_code, unused_imports, reason = "each of both uses a part of what they share")
)]

extern crate alloc;

// Runs the README's examples as doc tests.
#[cfg(all(doctest, feature = "providers"))]
#[doc = include_str!("../README.md")]
mod readme {}

mod calls;
#[cfg(feature = "providers")]
mod emitter;
#[cfg(feature = "envelope")]
mod envelope;
#[cfg(feature = "providers")]
mod event;
#[cfg(feature = "providers")]
mod formats;
#[cfg(any(doc, doctest))]
pub mod guide;
#[cfg(feature = "providers")]
mod json;
#[cfg(feature = "providers")]
mod message;
mod payload;
#[cfg(feature = "providers")]
mod rewrite;
mod saved;
#[cfg(feature = "providers")]
mod stream;
mod verbs;
#[cfg(feature = "providers")]
mod wire;
mod words;
#[cfg(feature = "providers")]
mod write;

pub use calls::{
    CallError, CallErrorKind, CallEvent, CallEvents, CallLimits, CallStart, Executor, MismatchKind, Slot, ToolCall,
    ToolCalls, ToolCallsBuilder,
};
#[cfg(feature = "envelope")]
pub use envelope::{Delimiter, DelimiterError, Envelope, EnvelopeBuilder, EnvelopeEvent, EnvelopeEvents};
#[cfg(feature = "providers")]
pub use event::{
    Block, BlockKind, Media, Opaque, OpaqueKind, Retry, Source, StopKind, StreamEvent, StreamEvents, TokenUsage,
    ToolResult, Unfinished, UnfinishedKind,
};
pub use payload::{Payload, PayloadStatus};
#[cfg(feature = "providers")]
pub use rewrite::{BadEvent, BadEventReason, CallRewriter};
pub use saved::SAVE_LIMIT;
#[cfg(feature = "providers")]
pub use stream::{Provider, ProviderStream};
#[cfg(feature = "providers")]
pub use write::{Loss, StreamWriter, Unwritten, Written, WrittenEvents};
