//! Errors of bytes that are not a saved state that can be restored here.

use core::fmt;

use crate::names::named;

/// The reason why a saved state was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RestoreError {
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

named!(RestoreError {
    NotSavedState => "not-saved-state",
    OtherVersion => "other-version",
    Cut => "cut",
    Changed => "changed",
    OtherKind => "other-kind",
    OtherPatterns => "other-patterns",
    OtherChoices => "other-choices",
    Impossible => "impossible",
});

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotSavedState => "not a saved state: the bytes do not begin as one does",
            Self::OtherVersion => "other version: the state was saved in another version of the format",
            Self::Cut => "cut: the end of the saved state is missing",
            Self::Changed => "changed: the bytes are not those that were saved",
            Self::OtherKind => "other kind: the state is not that of the type it was restored as",
            Self::OtherPatterns => "other patterns: the state was saved with different patterns",
            Self::OtherChoices => "other choices: the state was saved with different choices",
            Self::Impossible => "impossible: no text leads to such a state",
        })
    }
}

impl core::error::Error for RestoreError {}
