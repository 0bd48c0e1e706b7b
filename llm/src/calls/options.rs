//! The options of a stream's calls, which every open call borrows.

use alloc::collections::BTreeMap;
use alloc::string::String;
use core::fmt::Write;

use jsonspigot::PatternSet;
use jsonspigot::internal::saved::Digest;
use jsonspigot::{DuplicateKeys, Parser, ParserBuilder, Retain};

use super::limits::CallLimits;

/// The options of [`ToolCallsBuilder`](super::builder::ToolCallsBuilder).
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(super) patterns: PatternSet,
    pub(super) patterns_by_name: BTreeMap<String, PatternSet>,
    pub(super) parser: ParserBuilder,
    pub(super) limits: CallLimits,
    /// True if each delta holds all of the input so far, and not only new text.
    pub(super) is_cumulative: bool,
    /// True if a call without a name is not complete.
    pub(super) needs_names: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            patterns: PatternSet::default(),
            patterns_by_name: BTreeMap::new(),
            parser: Parser::builder(),
            limits: CallLimits::default(),
            is_cumulative: false,
            needs_names: false,
        }
    }
}

impl Options {
    /// Returns the patterns that apply to a tool's calls.
    pub(super) fn patterns_of(&self, name: &str) -> &PatternSet {
        self.patterns_by_name.get(name).unwrap_or(&self.patterns)
    }
}

/// The maximum of consecutive white space in a call, in bytes. Models that send more never stop sending it.
const MOST_BLANK: u64 = 64 << 10;

/// Returns a user's builder with the defaults for the parser of a call's text.
pub(super) fn for_text(builder: ParserBuilder) -> ParserBuilder {
    builder
        .blank_limit_by_default(MOST_BLANK)
        .retain(Retain::All)
        .duplicate_keys_by_default(DuplicateKeys::Reject)
        .whole()
}

/// Saved state.
impl Options {
    /// Returns a digest of the patterns of all tools.
    pub(super) fn patterns_digest(&self) -> Digest {
        let all = Digest::new().with_digest(self.patterns.digest());
        self.patterns_by_name.iter().fold(all, |mut digest, (name, patterns)| {
            // Writing to a digest cannot fail.
            let _ = digest.write_str(name);
            digest.with(name.len() as u64).with_digest(patterns.digest())
        })
    }

    /// Returns a digest of all other options.
    pub(super) fn choices(&self) -> Digest {
        let parser = for_text(self.parser.clone()).patterns(&self.patterns).build().choices();
        self.limits.add_to(Digest::new().with_digest(parser)).with(self.is_cumulative.into())
    }
}
