//! Private interfaces for `jsonspigot-llm` only. It is built with exactly the version of this crate that it was tested
//! with, so nothing here is stable.

#![allow(missing_docs, reason = "each is documented where it stands")]
#![allow(clippy::must_use_candidate, reason = "likewise")]

use alloc::vec;

use crate::error::Error;
pub use crate::error::{Interrupted, unless_interrupted};
use crate::event::CompleteValue;
pub use crate::event::{Line, Member, lines, on_one_line, owned_events};
pub use crate::names::{named, names};
use crate::parser::Parser;
use crate::path::PathStore;
pub use crate::path::{ConcreteStep, concrete_steps};
use crate::pattern::{Pattern, PatternSegment, PatternSet, Selector};
use crate::rewrite::Rewriter;
use crate::tokenizer::Tokenizer;
pub use crate::tokenizer::{floor_char_boundary, string_len, unescaped, whole_escape};
pub use crate::tree::write_escaped;

/// The header of a saved state, and the reader and writer of its parts.
pub mod saved {
    pub use crate::saved::{Digest, Impossible, Kind, Owner, Reader, Writer, restore, save};
}

/// The path of the root, for complete texts.
#[derive(Clone, Debug, Default)]
pub struct Root(PathStore);

impl Root {
    /// Returns the value of a text, which must be one valid JSON text.
    pub fn value<'a>(&'a self, text: &'a str) -> CompleteValue<'a> {
        CompleteValue::of_text(text.as_bytes(), self.0.path(crate::path::ROOT))
    }
}

/// Returns the pattern `$..*`, which matches every value except the root.
pub fn children() -> PatternSet {
    let children = PatternSegment { is_descendant: true, selectors: vec![Selector::Wildcard] };
    PatternSet::from(vec![Pattern { segments: vec![children], is_raw: false }])
}

#[doc(hidden)]
impl Parser {
    /// Fails as if the text had this error.
    pub fn fail_again(&mut self, error: Error) {
        self.engine.fail_again(error);
    }
}

/// Returns the pattern that selects the same values in the text inside the root, a string.
pub fn inside_root(mut pattern: Pattern) -> Pattern {
    let inside = PatternSegment { is_descendant: false, selectors: vec![Selector::Inside] };
    pattern.segments.insert(0, inside);
    pattern
}

#[doc(hidden)]
impl Rewriter {
    /// Returns true if the text inside the root, a string, is one complete value so far.
    pub fn has_whole_inner_text(&self) -> bool {
        self.inner_tokenizer().is_some_and(Tokenizer::is_done)
    }

    /// Returns true if that text has only white space so far.
    pub fn is_before_inner_text(&self) -> bool {
        self.inner_tokenizer().is_some_and(Tokenizer::is_before_root)
    }

    fn inner_tokenizer(&self) -> Option<&Tokenizer> {
        self.parser().engine.inner.first().filter(|text| !text.has_failed()).map(|text| &text.tokenizer)
    }
}
