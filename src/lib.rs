//!
#![doc = include_str!("links.md")]
// The README below is also the front page of the documentation. Its links lead to files of the repository and to pages
// of docs.rs. The first definition of a link wins, so the ones here redirect them to items and to the repository's
// address, which is set only in `Cargo.toml`.
#![cfg_attr(feature = "stream", doc = "[parser-stream]: crate::ParserStream")]
#![doc = concat!("[architecture]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/ARCHITECTURE.md")]
#![doc = concat!("[changelog]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/CHANGELOG.md")]
#![doc = concat!("[chat]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/apps/chat/README.md")]
#![doc = concat!("[js]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/bindings/js/README.md")]
#![doc = concat!("[cli]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/cli/README.md")]
#![doc = concat!("[llm]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/llm/README.md")]
#![doc = concat!("[contributing]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/CONTRIBUTING.md")]
#![doc = concat!("[performance]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/PERFORMANCE.md")]
#![doc = concat!("[security]: ", env!("CARGO_PKG_REPOSITORY"), "/blob/HEAD/SECURITY.md")]
#![doc = concat!("[examples]: ", env!("CARGO_PKG_REPOSITORY"), "/tree/HEAD/examples")]
#![doc = concat!("[demo]: ", env!("CARGO_PKG_REPOSITORY"), "/raw/HEAD/pictures/demo.webp")]
#![doc = concat!("[ask-slots]: ", env!("CARGO_PKG_REPOSITORY"), "/raw/HEAD/pictures/ask_slots.svg")]
#![doc = concat!("[cost-by-chunk-size]: ", env!("CARGO_PKG_REPOSITORY"), "/raw/HEAD/pictures/cost-by-chunk-size.svg")]
//!
#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

#[allow(missing_docs, clippy::must_use_candidate, clippy::new_without_default, reason = "public only for `internal`")]
mod digest;
mod error;
mod event;
#[cfg(any(doc, doctest))]
pub mod guide;
#[doc(hidden)]
pub mod internal;
mod lenient;
mod names;
mod parser;
mod partial_json;
mod path;
mod pattern;
mod rewrite;
#[allow(missing_docs, clippy::must_use_candidate, reason = "public only for `internal`, except its errors")]
mod saved;
// A small deterministic generator: unit tests try the same inputs on every machine and need no other crate.
#[cfg(test)]
#[path = "../benches/payload/random.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the benchmarks")]
mod random;
mod shared_word;
#[cfg(feature = "stream")]
mod stream;
mod texts;
mod tokenizer;
mod tree;
mod typed;

pub use error::{Deviation, DeviationKind, Error, ErrorKind, Leniency, Place};
pub use event::{CompleteValue, Event, EventKind};
pub use names::UnknownName;
pub use parser::{DuplicateKeys, Events, Parser, ParserBuilder, Retain};
pub use partial_json::PartialJson;
pub use path::{Indices, Path, Segment, Segments};
pub use pattern::{Pattern, PatternError, PatternId, PatternSet};
pub use rewrite::{RewriteError, Rewriter, Rule, RuleError};
pub use saved::RestoreError;
#[cfg(feature = "stream")]
pub use stream::{DocumentStream, ParserStream, ParserStreamError};
#[cfg(feature = "std")]
pub use texts::DocumentValues;
pub use texts::{DocumentEvent, DocumentEvents, DocumentRewriter, Documents, EndedDocument, Framing, Rewritten};
pub use tokenizer::{Limits, ValueKind};
pub use tree::{Entries, PartialValue, PartialValues, PatchOp, Revision, ValueState};
pub use typed::{Partial, Settled};
