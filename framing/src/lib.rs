//! Splits the body of a response into events: [`Frames`] reads server-sent events, JSON texts (one per line, or spread
//! over several), arrays of objects and Amazon's event stream. The first bytes decide which format a body has.
//!
//! ```
//! use jsonspigot_framing::{Frame, Frames};
//!
//! let mut events = Vec::new();
//! let mut frames = Frames::new();
//! for chunk in ["event: ping\r\ndata: {\"n\"", ": 1}\r\n\r", "\ndata: [DONE]"] {
//!     for frame in frames.feed(chunk) {
//!         if let Frame::Text(text) = frame {
//!             events.push(text);
//!         }
//!     }
//! }
//! // The last blank line may be missing.
//! assert_eq!(frames.finish().collect::<Vec<_>>(), [Frame::Text("[DONE]".into())]);
//! assert_eq!(events, ["{\"n\": 1}"]);
//! ```
//!
//! A frame holds the text of one event. A reader such as `ProviderStream` in the crate `jsonspigot-llm` interprets it:
//!
//! ```
//! # #[cfg(feature = "providers")]
//! # fn main() -> Result<(), jsonspigot_llm::Unfinished> {
//! use jsonspigot_framing::Frames;
//! use jsonspigot_llm::{ProviderStream, StreamEvent, ToolCalls};
//!
//! let (mut frames, mut stream) = (Frames::new(), ProviderStream::detecting(ToolCalls::default()));
//! let mut said = String::new();
//! let mut on_event = |event: StreamEvent<'_>| {
//!     if let StreamEvent::Text { text, .. } = event {
//!         said.push_str(&text);
//!     }
//! };
//! for chunk in ["data: {\"choices\":[{\"delta\":{\"content\":\"Hel", "lo\"},\"finish_reason\":\"stop\"}]}"] {
//!     frames.feed_with(chunk, |frame| frame.push_to(&mut stream, &mut on_event));
//! }
//! for frame in frames.finish() {
//!     frame.push_to(&mut stream, &mut on_event); // an event that no blank line ends
//! }
//! stream.finish_with(&mut on_event);
//! stream.verdict()?;
//! assert_eq!(said, "Hello");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "providers"))]
//! # fn main() {}
//! ```
//!
//! This requires the feature `providers`. With the feature `stream`, `ProviderBody` does all of it between two async
//! streams.
//!
//! [`Utf8`] is for bodies that are text instead of events, such as a model's answer with payloads in it. It withholds
//! the first bytes of a character until the rest arrives.
//!
//! # Guarantees
//!
//! - **Chunk boundaries are invisible.** The frames of a body are the same for every chunking, and a frame is reported
//!   as soon as its end has been read.
//! - **Nothing is dropped silently.** An event that can't be read is a frame too, and reading continues after it.
//! - **Memory is bounded** by the longest event that is allowed ([`Frames::with_limit`]), whatever lengths a body
//!   claims. Work is linear in its bytes.
//! - **The state can be saved** between any two chunks ([`Frames::save_with`]), even in the middle of an event,
//!   together with the state of the event's reader. Any bytes restore to a state that some body leads to, or are
//!   refused.
//!
//! No I/O, no async, no HTTP: the caller supplies the bytes, after decompression.
//!
//! # Why existing readers are not used
//!
//! Servers deviate from the standard: they send data lines that are events without a blank line between them, and
//! errors in a field `error` or as a line of JSON without a field. A reader that follows the standard, such as the
//! crate `sse-core`, drops these, and silently replaces invalid UTF-8. To find them, the lines have to be read here,
//! which leaves nothing for such a reader to do; the tests compare with it on bodies that follow the standard. Amazon's
//! own `aws-smithy-eventstream` reads whole messages, but depends on two dozen packages, for a format that takes a
//! screenful of code; the tests compare with it byte by byte.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![forbid(unsafe_code)]
#![no_std]

extern crate alloc;

mod amazon;
#[cfg(feature = "stream")]
mod body;
mod checksum;
mod detection;
mod edit;
mod frame;
mod frames;
mod json;
#[cfg(feature = "providers")]
mod push;
mod repeated;
mod saved;
mod sse;
mod texts;
mod utf8;

#[cfg(feature = "stream")]
pub use body::ProviderBody;
pub use edit::EventEditor;
pub use frame::{Damage, Frame};
pub use frames::{FrameIter, Frames};
pub use utf8::Utf8;
