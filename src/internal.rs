//! Private interfaces for `jsonspigot-llm` only. It is built with exactly the version of this crate that it was tested
//! with, so nothing here is stable.

#![allow(missing_docs, reason = "each is documented where it stands")]
#![allow(clippy::must_use_candidate, reason = "likewise")]

use alloc::vec;
use alloc::vec::Vec;

use crate::error::Error;
pub use crate::error::{Interrupted, unless_interrupted};
use crate::event::CompleteValue;
pub use crate::event::{Line, Member, lines, on_one_line, owned_events};
pub use crate::names::{display_from_name, named, names};
use crate::parser::Parser;
use crate::path::PathStore;
pub use crate::path::{ConcreteStep, concrete_steps};
use crate::pattern::{Pattern, PatternSegment, PatternSet, Selector};
use crate::rewrite::Rewriter;
use crate::tokenizer::{Place, Tokenizer};
pub use crate::tokenizer::{floor_char_boundary, string_len, unescaped};
pub use crate::tree::write_escaped;

/// The header of a saved state, and the reader and writer of its parts.
pub mod saved {
    pub use crate::saved::{Digest, Impossible, Kind, Owner, Reader, Writer, restore, restore_error, save, save_error};
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
    /// Returns true if the strict text has ended, even if more of the input may follow.
    pub fn is_done(&self) -> bool {
        self.engine.document.tokenizer.is_done()
    }

    /// Returns true if there was a deviation that is not accepted.
    pub fn has_deviated(&self) -> bool {
        self.engine.deviation().is_some()
    }

    /// Restores a saved error state.
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

    /// Returns true if the root is an open string and the bytes held back are the end of its text, or if the text can
    /// no longer be continued.
    pub fn is_in_root_string(&self) -> bool {
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
        let mut held = Parser::default();
        let is_read = [b"\"".as_slice(), self.held()].into_iter().all(|text| held.feed_dyn(text, &mut |_| {}).is_ok());
        is_read && place.is_some() && place_in_root_string(&held.engine.document.tokenizer) == place
    }
}
