//! Private interfaces for `jsonspigot-llm` only. It is built with exactly the version of this crate that it was tested
//! with, so nothing here is stable.

#![allow(missing_docs, reason = "each is documented where it stands")]
#![allow(clippy::must_use_candidate, reason = "likewise")]

use alloc::vec;
use alloc::vec::Vec;

use crate::error::{Error, ErrorKind};
pub use crate::error::{Interrupted, unless_interrupted};
use crate::event::{CompleteValue, Event, OwnedEvent};
pub use crate::event::{Line, Member, deserialize_whole, lines, on_one_line, owned_events};
pub use crate::names::{display_from_name, named, names};
use crate::parser::{DuplicateKeys, Parser, ParserBuilder};
use crate::path::PathStore;
pub use crate::path::{ConcreteStep, concrete_steps};
use crate::pattern::{Pattern, PatternSegment, PatternSet, Selector};
use crate::rewrite::Rewriter;
use crate::tokenizer::{Place, Tokenizer, ValueKind};
pub use crate::tokenizer::{floor_char_boundary, string_len, unescaped};
use crate::tree::PartialValue;
pub use crate::tree::write_escaped;

/// The header of a saved state, and the reader and writer of its parts.
pub mod saved {
    pub use crate::saved::{Digest, Impossible, Kind, Owner, Reader, Writer, restore, restore_error, save, save_error};
}

/// Returns an error at an offset, line and column.
pub fn error_at(kind: ErrorKind, place: (u64, u64, u64), path: Option<&str>, expected: &str) -> Error {
    Error::at(kind, place, path, expected)
}

/// Returns an error about a text as a whole.
pub fn error_without_place(kind: ErrorKind, expected: &str) -> Error {
    Error::without_place(kind, "$", expected)
}

/// Returns the members of an event's line.
pub fn line_of(event: &OwnedEvent) -> Line<'_> {
    event.line()
}

/// The path of the root, for complete texts.
#[derive(Clone, Debug)]
pub struct Root(PathStore);

impl Root {
    pub fn new() -> Self {
        Self(PathStore::default())
    }

    /// Returns the value of a text, which must be one valid JSON text.
    pub fn value<'a>(&'a self, text: &'a str) -> CompleteValue<'a> {
        CompleteValue::of_text(text.as_bytes(), self.0.path(crate::path::ROOT))
    }
}

impl Default for Root {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the pattern `$..*`, which matches every value except the root.
pub fn children() -> PatternSet {
    let children = PatternSegment { is_descendant: true, selectors: vec![Selector::Wildcard] };
    PatternSet::from(vec![Pattern { segments: vec![children], is_raw: false }])
}

/// Builder options that `jsonspigot-llm` sets or reads.
pub trait Choices: Sized {
    fn duplicate_keys_by_default(self, default: DuplicateKeys) -> Self;
    fn whole(self) -> Self;
    fn accepts(&self) -> bool;
}

impl Choices for ParserBuilder {
    fn duplicate_keys_by_default(self, default: DuplicateKeys) -> Self {
        self.duplicate_keys_by_default(default)
    }

    fn whole(self) -> Self {
        self.whole()
    }

    fn accepts(&self) -> bool {
        self.accepts()
    }
}

/// Parser methods for readers that contain a parser.
pub trait Inside {
    fn feed_dyn(&mut self, chunk: &[u8], on_event: &mut dyn FnMut(Event<'_>)) -> Result<(), Error>;
    fn feed_value_with(&mut self, chunk: &[u8], on_event: &mut dyn FnMut(Event<'_>)) -> Result<usize, Error>;
    fn has_root_ended(&self) -> bool;
    fn is_in_root_number(&self) -> bool;
    /// Returns true if the strict text has ended, even if more of the input may follow.
    fn is_done(&self) -> bool;
    /// Returns the error that stopped the parser, which is not the error of a deviation.
    fn stopped_by(&self) -> Option<&Error>;
    fn has_deviated(&self) -> bool;
    fn refuse(&mut self, kind: ErrorKind, expected: &'static str);
    fn fail_again(&mut self, error: Error);
    fn owner(&self, kind: saved::Kind) -> saved::Owner;
    fn choices(&self) -> saved::Digest;
    /// Writes everything but the header of a saved state.
    fn save_body(&self, out: &mut saved::Writer<'_>) -> Result<(), Error>;
    fn restore_body(&mut self, reader: &mut saved::Reader<'_>) -> Result<(), saved::Impossible>;
}

impl Inside for Parser {
    fn feed_dyn(&mut self, chunk: &[u8], on_event: &mut dyn FnMut(Event<'_>)) -> Result<(), Error> {
        self.feed_dyn(chunk, on_event)
    }

    fn feed_value_with(&mut self, chunk: &[u8], on_event: &mut dyn FnMut(Event<'_>)) -> Result<usize, Error> {
        self.feed_value_with(chunk, on_event)
    }

    fn has_root_ended(&self) -> bool {
        self.has_root_ended()
    }

    fn is_in_root_number(&self) -> bool {
        self.is_in_root_number()
    }

    fn is_done(&self) -> bool {
        self.engine.document.tokenizer.is_done()
    }

    fn stopped_by(&self) -> Option<&Error> {
        self.engine.stopped_by()
    }

    fn has_deviated(&self) -> bool {
        self.engine.deviation().is_some()
    }

    fn refuse(&mut self, kind: ErrorKind, expected: &'static str) {
        self.refuse(kind, expected);
    }

    fn fail_again(&mut self, error: Error) {
        self.engine.fail_again(error);
    }

    fn owner(&self, kind: saved::Kind) -> saved::Owner {
        self.owner(kind)
    }

    fn choices(&self) -> saved::Digest {
        self.choices()
    }

    fn save_body(&self, out: &mut saved::Writer<'_>) -> Result<(), Error> {
        self.save_body(out)
    }

    fn restore_body(&mut self, reader: &mut saved::Reader<'_>) -> Result<(), saved::Impossible> {
        self.restore_body(reader)
    }
}

/// Rewriter methods for readers that contain a rewriter.
pub trait Rewriting {
    /// Returns true if a rule redacts.
    fn redacts(&self) -> bool;
    /// Returns true if the text inside the root, a string, is one complete value so far.
    fn has_whole_inner_text(&self) -> bool;
    /// Returns true if that text has only white space so far.
    fn is_before_inner_text(&self) -> bool;
    /// Returns true if the root is an open string and the bytes held back are the end of its text, or if the text can
    /// no longer be continued.
    fn is_in_root_string(&self) -> bool;
    fn owner(&self, kind: saved::Kind) -> saved::Owner;
    /// Writes everything but the header of a saved state.
    fn save_body(&self, out: &mut saved::Writer<'_>) -> Result<(), Error>;
    fn restore_body(&mut self, reader: &mut saved::Reader<'_>) -> Result<(), saved::Impossible>;
}

impl Rewriting for Rewriter {
    fn redacts(&self) -> bool {
        self.redacts()
    }

    fn has_whole_inner_text(&self) -> bool {
        let text = self.parser().engine.inner.first();
        text.is_some_and(|text| !text.has_failed() && text.tokenizer.is_done())
    }

    fn is_before_inner_text(&self) -> bool {
        let text = self.parser().engine.inner.first();
        text.is_some_and(|text| !text.has_failed() && text.tokenizer.is_before_root())
    }

    fn is_in_root_string(&self) -> bool {
        fn place_in_root_string(tokenizer: &Tokenizer) -> Option<Vec<u8>> {
            let is_in_string = tokenizer.place() == Place::String && tokenizer.nest().depth() == 0;
            let mut tail = Vec::new();
            tokenizer.push_tail(&mut tail);
            is_in_string.then_some(tail)
        }
        if !self.parser().is_open() {
            return self.check_open().is_err();
        }
        let place = place_in_root_string(&self.parser().engine.document.tokenizer);
        if self.held().is_empty() {
            return place.is_some();
        }
        // Only a forged state holds back invalid text, or more or less than an escape.
        let mut held = Parser::new(&PatternSet::empty());
        let is_read = [b"\"".as_slice(), self.held()].into_iter().all(|text| held.feed_dyn(text, &mut |_| {}).is_ok());
        is_read && place.is_some() && place_in_root_string(&held.engine.document.tokenizer) == place
    }

    fn owner(&self, kind: saved::Kind) -> saved::Owner {
        self.owner(kind)
    }

    fn save_body(&self, out: &mut saved::Writer<'_>) -> Result<(), Error> {
        self.save_body(out)
    }

    fn restore_body(&mut self, reader: &mut saved::Reader<'_>) -> Result<(), saved::Impossible> {
        self.restore_body(reader)
    }
}

/// Returns the digest of a set's patterns.
pub fn digest_of(patterns: &PatternSet) -> saved::Digest {
    patterns.digest()
}

/// Returns the entries of an object sorted by key, the last one of duplicates.
pub fn last_entries(object: PartialValue<'_>) -> Vec<(&str, PartialValue<'_>)> {
    object.last_entries()
}

/// Returns the kind of the value with this first byte.
pub fn kind_of_first_byte(byte: u8) -> Option<ValueKind> {
    ValueKind::of_first_byte(byte)
}
