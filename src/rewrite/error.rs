//! Errors of rules and of rewriting.

use alloc::string::String;
use core::error::Error as StdError;
use core::fmt;

use crate::error::Error;
use crate::pattern::PatternError;

/// The reason why a text was not rewritten to its end.
///
/// ```
/// use jsonspigot::{RewriteError, Rewriter, Rule};
///
/// let mut rewriter = Rewriter::new([("a", Rule::map(|_| "oops".to_owned()))])?;
/// let written = rewriter.write(r#"{"a": 1}"#, |_| {});
/// assert_eq!(written, Err(RewriteError::NotJson { offset: 6 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RewriteError {
    /// The text is not one JSON text within the limits, according to the parser.
    Text(Error),
    /// More bytes would have to be held back than allowed. The offset is that of the first byte beyond the limit.
    HeldLimit {
        /// The offset in the original text.
        offset: u64,
    },
    /// A closure returned something other than one JSON text for the value at this offset.
    NotJson {
        /// The offset in the original text.
        offset: u64,
    },
}

impl RewriteError {
    /// Returns the offset in the original text.
    #[must_use]
    pub fn offset(&self) -> u64 {
        match self {
            Self::Text(error) => error.offset(),
            Self::HeldLimit { offset } | Self::NotJson { offset } => *offset,
        }
    }
}

impl fmt::Display for RewriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(error) => error.fmt(f),
            Self::HeldLimit { offset } => {
                write!(f, "held limit: expected to hold back no more bytes than allowed, at byte {offset}")
            }
            Self::NotJson { offset } => {
                write!(f, "bad replacement: expected JSON in place of the value at byte {offset}")
            }
        }
    }
}

impl StdError for RewriteError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Text(error) => Some(error),
            Self::HeldLimit { .. } | Self::NotJson { .. } => None,
        }
    }
}

/// The reason why a text can't be rewritten by some rules.
///
/// ```
/// use jsonspigot::{Rule, RuleError};
///
/// assert!(matches!(Rule::replace("{"), Err(RuleError::NotJson { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleError {
    /// The replacement is not one JSON text.
    NotJson {
        /// The replacement.
        text: String,
        /// The error in it.
        error: Error,
    },
    /// A rule removes a root: that of the document, or of the text in a string.
    RemovesRoot {
        /// The index of the rule, from 0.
        place: usize,
    },
    /// A pattern does not parse.
    Pattern(PatternError),
    /// The pattern of a rule is `raw:…`, which is only for reporting text.
    Raw {
        /// The place of the rule, from 0.
        place: usize,
    },
    /// The parser would tolerate deviations from JSON, but the output must be JSON.
    Lenient,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { text, error } => write!(f, "the replacement `{text}` is not JSON: {error}"),
            Self::RemovesRoot { place } => {
                write!(f, "rule {place} removes the root of a text, but a text must have a value")
            }
            Self::Pattern(error) => error.fmt(f),
            Self::Raw { place } => write!(f, "rule {place} needs a pattern without `raw:`"),
            Self::Lenient => f.write_str("only strict JSON can be rewritten, so the parser must not be lenient"),
        }
    }
}

impl StdError for RuleError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::NotJson { error, .. } => Some(error),
            Self::Pattern(error) => error.source(),
            _ => None,
        }
    }
}
