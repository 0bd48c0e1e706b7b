//!
#![doc = include_str!("links.md")]
// The README below is the front page here too. Its links lead to files of the repository and to pages of docs.rs. The
// first definition of a link's name counts, so here they lead to items, and to the repository's address, which is set in
// `Cargo.toml` alone.
#![cfg_attr(feature = "tool-calls", doc = "[tool-calls]: crate::tool_calls::ToolCalls")]
#![cfg_attr(feature = "stream", doc = "[parser-stream]: crate::ParserStream")]
#![cfg_attr(feature = "providers", doc = "[provider-stream]: crate::providers::ProviderStream")]
#![cfg_attr(feature = "providers", doc = "[guide-tool-calls]: crate::guide::tool_calls")]
#![cfg_attr(feature = "envelope", doc = "[envelope]: crate::envelope::Envelope")]
#![cfg_attr(feature = "envelope", doc = "[guide-envelope]: crate::guide::envelope")]
#![doc = concat!("[architecture]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/ARCHITECTURE.md")]
#![doc = concat!("[changelog]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/CHANGELOG.md")]
#![doc = concat!("[chat]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/apps/chat/README.md")]
#![doc = concat!("[js]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/bindings/js/README.md")]
#![doc = concat!("[cli]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/cli/README.md")]
#![doc = concat!("[contributing]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/CONTRIBUTING.md")]
#![doc = concat!("[performance]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/PERFORMANCE.md")]
#![doc = concat!("[security]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/SECURITY.md")]
#![doc = concat!("[shopping]: ", env!("CARGO_PKG_REPOSITORY"), "/raw/HEAD/apps/chat/pictures/shopping.webp")]
#![doc = concat!("[cost-by-chunk-size]: ", env!("CARGO_PKG_REPOSITORY"), "/raw/HEAD/pictures/cost-by-chunk-size.svg")]
//!
#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod digest;
#[cfg(feature = "envelope")]
pub mod envelope;
mod error;
mod event;
#[cfg(any(doc, doctest))]
pub mod guide;
mod lenient;
mod names;
mod parser;
mod path;
mod pattern;
#[cfg(any(feature = "tool-calls", feature = "envelope"))]
mod payload;
#[cfg(feature = "_provider-streams")]
#[cfg_attr(not(feature = "providers"), allow(dead_code, reason = "each wire format uses a part of it"))]
pub mod providers;
mod saved;
#[cfg(feature = "stream")]
mod stream;
mod texts;
mod tokenizer;
#[cfg(feature = "tool-calls")]
#[cfg_attr(not(feature = "providers"), allow(dead_code, reason = "the wire formats use the rest"))]
pub mod tool_calls;
mod tree;

pub use error::{Deviation, DeviationKind, Error, ErrorKind, Leniency};
pub use event::{CompleteValue, Event, EventKind, OwnedEvent, OwnedEventKind};
pub use names::UnknownName;
pub use parser::{DuplicateKeys, Events, Parser, ParserBuilder, Retain};
pub use path::{Path, Segment};
pub use pattern::{Pattern, PatternError, PatternId, PatternSet};
#[cfg(any(feature = "tool-calls", feature = "envelope"))]
pub use payload::{OwnedPayload, Payload, PayloadStatus};
pub use saved::{RestoreError, RestoreErrorKind};
#[cfg(feature = "stream")]
pub use stream::{ParserStream, ParserStreamError};
pub use texts::{
    DocumentEvent, DocumentEvents, Documents, EndedDocument, Framing, OwnedDocumentEvent, OwnedEndedDocument,
};
pub use tokenizer::{Limits, ValueKind};
pub use tree::{Partial, PartialValue, PatchOp, Revision, Settled, ValueState};
