//! Errors of bytes that are not a saved state that can be restored here.

use core::fmt;

use crate::names::names;

/// The reason why a saved state was refused.
///
/// ```
/// use jsonspigot::{Parser, PatternSet, RestoreErrorKind};
///
/// let parser = Parser::new(&PatternSet::new(["a"])?);
/// let saved = parser.save();
/// let other = PatternSet::new(["b"])?;
/// let error = Parser::builder().restore(&other, &saved).unwrap_err();
/// assert_eq!(error.kind(), RestoreErrorKind::OtherPatterns);
/// assert_eq!(error.to_string(), "other patterns: the state was saved with different patterns");
/// # Ok::<(), jsonspigot::PatternError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestoreError {
    kind: RestoreErrorKind,
}

/// The kinds of [`RestoreError`], in the order in which they are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RestoreErrorKind {
    /// The bytes do not begin as a saved state does.
    NotSavedState,
    /// The state was saved in another version of the format. The text has to be read again from its beginning.
    OtherVersion,
    /// The end of the state is missing, or there are no bytes at all.
    Cut,
    /// The bytes are not those that were saved: the checksum does not match.
    Changed,
    /// Something else was saved: a [`Documents`](crate::Documents), say, and not a [`Parser`](crate::Parser).
    OtherKind,
    /// The state was saved with different patterns.
    OtherPatterns,
    /// The state was saved with different choices: limits, retention, snapshots and so on.
    OtherChoices,
    /// The checksum is right, but no text leads to such a state. Only bytes that were made up have this.
    Impossible,
}

names!(RestoreErrorKind {
    NotSavedState => "not-saved-state",
    OtherVersion => "other-version",
    Cut => "cut",
    Changed => "changed",
    OtherKind => "other-kind",
    OtherPatterns => "other-patterns",
    OtherChoices => "other-choices",
    Impossible => "impossible",
});

impl RestoreError {
    /// Returns the kind of fault in the bytes.
    #[must_use]
    pub fn kind(&self) -> RestoreErrorKind {
        self.kind
    }
}

/// For states of your own with one of these inside, which are refused for the same reasons.
///
/// ```
/// use jsonspigot::{RestoreError, RestoreErrorKind};
///
/// let error = RestoreError::from(RestoreErrorKind::Cut);
/// assert_eq!(error.to_string(), "cut: the end of the saved state is missing");
/// ```
impl From<RestoreErrorKind> for RestoreError {
    #[cold]
    fn from(kind: RestoreErrorKind) -> Self {
        Self { kind }
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            RestoreErrorKind::NotSavedState => "not a saved state: the bytes do not begin as one does",
            RestoreErrorKind::OtherVersion => "other version: the state was saved in another version of the format",
            RestoreErrorKind::Cut => "cut: the end of the saved state is missing",
            RestoreErrorKind::Changed => "changed: the bytes are not those that were saved",
            RestoreErrorKind::OtherKind => "other kind: the state is not that of the type it was restored as",
            RestoreErrorKind::OtherPatterns => "other patterns: the state was saved with different patterns",
            RestoreErrorKind::OtherChoices => "other choices: the state was saved with different choices",
            RestoreErrorKind::Impossible => "impossible: no text leads to such a state",
        })
    }
}

impl core::error::Error for RestoreError {}
